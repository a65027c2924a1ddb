#!/bin/sh
# No HOME at all: the book is ./assay.db, and a notice says so.
. "$(dirname "$0")/lib.sh"

attempt env -u HOME "$assay" $short
expect_code 0 4
[ -s "$work/cwd/assay.db" ] || fail 'there is no assay.db in the working directory'
grep -q assay.db "$work/err" || fail 'no notice that the book is ./assay.db'
book=$work/cwd/assay.db
expect_measured 6
expect_nothing_left assay.db assay.db-wal assay.db-shm

exit 0
