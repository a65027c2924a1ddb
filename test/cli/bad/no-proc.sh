#!/bin/sh
# Without /proc: figures, or one clear reason and a code that is not 0.
. "$(dirname "$0")/lib.sh"

need_mounts
cat >"$work/script" <<TEXT
mount -t tmpfs -o ro tmpfs /proc || exit 77
exec "$assay" $short --book "$book"
TEXT
attempt unshare -m sh "$work/script"
[ $code != 77 ] || skip 'nothing may be mounted over /proc here'
expect_figures_or_reason
expect_nothing_left

exit 0
