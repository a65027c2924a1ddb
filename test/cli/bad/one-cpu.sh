#!/bin/sh
# One CPU only, and not the first one where there is another: it is used, and it is the one in the record.
. "$(dirname "$0")/lib.sh"

need_command taskset
cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//')
attempt taskset -c "$cpu" "$assay" $short --book "$book"
expect_code 0 4
expect_measured 6
others=$(grep -A 1 '"round":' "$work/shown" | grep '"cpu":' | grep -vc ": *$cpu,\$")
[ "$others" = 0 ] || fail "$others processes ran elsewhere than on CPU $cpu"
attempt taskset -c "$cpu" "$assay" run ipc.pipe --rounds 6 --budget 3s --quiet --book "$book"
expect_code 0 4
expect_measured 6
expect_nothing_left

exit 0
