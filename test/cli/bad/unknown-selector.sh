#!/bin/sh
# A name that does not exist: wrong usage, with the name in the sentence, and no empty run in the book.
. "$(dirname "$0")/lib.sh"

attempt "$assay" run no.such.bench --book "$book"
expect_code 2
expect_reason no.such.bench
[ "$(runs_kept)" = 0 ] || fail 'a run was kept although nothing was planned'
expect_nothing_left

exit 0
