#!/bin/sh
# Standard output closed, a full device, a reader that goes away: an error, no crash; the book has the run.
. "$(dirname "$0")/lib.sh"

attempt sh -c 'exec "$@" >&-' sh "$assay" $short --json --book "$book"
expect_code 1
expect_measured 6
attempt sh -c 'exec "$@" >&-' sh "$assay" list
expect_code 1
if [ -w /dev/full ]; then
	attempt sh -c 'exec "$@" >/dev/full' sh "$assay" list
	expect_code 1
	expect_reason .
fi
# A first descriptor that is free must not become the book or a worker's memory.
attempt sh -c 'exec "$@" <&- >&- 2>&-' sh "$assay" $short --book "$book"
expect_code 0 1 4
expect_measured 6
attempt sh -c '"$@" | :' sh "$assay" list --json
[ ! -s "$work/err" ] || expect_reason .
expect_nothing_left

exit 0
