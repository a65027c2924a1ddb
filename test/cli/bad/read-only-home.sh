#!/bin/sh
# A home that cannot be written: measured all the same, into ./assay.db with a notice, or refused with the reason.
. "$(dirname "$0")/lib.sh"

need_mounts
cat >"$work/script" <<TEXT
mount -t tmpfs -o ro tmpfs "$work/home" || exit 77
exec "$assay" $short
TEXT
attempt unshare -m sh "$work/script"
[ $code != 77 ] || skip 'no tmpfs may be mounted here'
book=$work/cwd/assay.db
[ ! -e "$book" ] || grep -q assay.db "$work/err" || fail 'no notice that the book is ./assay.db'
expect_figures_or_reason
expect_nothing_left assay.db assay.db-wal assay.db-shm

exit 0
