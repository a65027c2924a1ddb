#!/bin/sh
# The book is removed in mid-run: said, and not passed off as a run that was kept.
. "$(dirname "$0")/lib.sh"

"$assay" run self.known --rounds 8 --budget 20s --quiet --book "$book" >"$work/out" 2>"$work/err" &
pid=$!
while [ ! -s "$book" ]; do sleep 0.1; done
rm -f "$book" "$book-wal" "$book-shm"
wait "$pid"
code=$?
expect_code 1
expect_reason removed
rm -f "$book-wal" "$book-shm"
expect_nothing_left

exit 0
