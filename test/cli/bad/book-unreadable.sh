#!/bin/sh
# A book that may not be read: the sentence names it, and nothing is measured in vain.
. "$(dirname "$0")/lib.sh"

need_root
need_command setpriv
: >"$book"
chmod 000 "$book"
chmod 755 "$work/home"
attempt setpriv --reuid=65534 --regid=65534 --clear-groups "$assay" show --book "$book"
expect_code 1
expect_reason book.db
attempt setpriv --reuid=65534 --regid=65534 --clear-groups "$assay" $short --book "$book"
expect_code 1
expect_reason book.db
attempt "$assay" show --book "$work/nowhere/book.db"
expect_code 1
expect_reason nowhere
expect_nothing_left

exit 0
