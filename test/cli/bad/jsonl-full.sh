#!/bin/sh
# JSON lines that cannot be written: one line that says so, exit code 1, and the run is in the book all the same.
. "$(dirname "$0")/lib.sh"

[ -c /dev/full ] || skip 'there is no /dev/full'
attempt sh -c 'exec "$@" >/dev/full' sh "$assay" run self.known --rounds 6 --budget 2s --quiet --jsonl --book "$book"
expect_code 1
expect_reason 'standard output'
expect_measured 6
expect_nothing_left

exit 0
