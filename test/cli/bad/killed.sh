#!/bin/sh
# kill -9 in mid-run: workers end with their parent, the book is whole, and --resume carries on in the same run.
. "$(dirname "$0")/lib.sh"

args='run self.known self.null --rounds 12 --budget 60s --quiet'
start "$assay" $args --book "$book"
wait_for_data 3
before=$(measured)
kill -9 "$pid"
finish
expect_code 137
expect_measured "$before"
grep -q '"complete": *false' "$work/shown" || fail 'the book says that the killed run is complete'
# Nobody could clean up. Directories of dead runs are swept by the next run once they are old enough to be no one else's.
find "$work/tmp" -mindepth 1 -exec touch -d '2 hours ago' {} +
attempt "$assay" run --resume --quiet --book "$book"
# Another assay of this machine, not of this test, may be measuring: resuming refuses to run beside it.
tries=0
while grep -q 'must wait' "$work/err" && [ $tries -lt 100 ]; do
	tries=$((tries + 1))
	sleep 1
	attempt "$assay" run --resume --quiet --book "$book"
done
expect_code 0 4
expect_measured $((before + 1))
grep -q '"complete": *true' "$work/shown" || fail 'the resumed run is not complete'
[ "$(runs_kept)" = 1 ] || fail 'resuming made a second run'
expect_nothing_left

exit 0
