#!/bin/sh
# An unprivileged user with a home of its own: no root is needed for anything but what says so.
. "$(dirname "$0")/lib.sh"

need_root
need_command setpriv
chown 65534:65534 "$work/home"
attempt setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$assay" $short --book "$book"
expect_code 0 4
expect_measured 6
attempt setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$assay" machine
expect_code 0
expect_nothing_left

exit 0
