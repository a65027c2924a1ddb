#!/bin/sh
# Without /sys: what came from there is unknown; the figures are measured all the same.
. "$(dirname "$0")/lib.sh"

need_mounts
cat >"$work/script" <<TEXT
mount -t tmpfs -o ro tmpfs /sys || exit 77
"$assay" machine --json >"$work/machine" || exit 98
exec "$assay" $short --book "$book"
TEXT
attempt unshare -m sh "$work/script"
[ $code != 77 ] || skip 'nothing may be mounted over /sys here'
[ $code != 98 ] || fail 'assay machine fails without /sys'
expect_code 0 4
expect_measured 6
expect_nothing_left

exit 0
