#!/bin/sh
# The disk fills up in mid-run: the run goes on, says so, its figures still come out as JSON, and older runs stay.
. "$(dirname "$0")/lib.sh"

need_mounts
mkdir "$work/disk"
cat >"$work/script" <<TEXT
mount -t tmpfs -o size=4m tmpfs "$work/disk" || exit 77
"$assay" $short --book "$work/disk/book.db" || [ \$? = 4 ] || exit 98
"$assay" $short --rounds 12 --json --book "$work/disk/book.db" >"$work/json" &
run=\$!
tries=0
until "$assay" runs --json --book "$work/disk/book.db" | grep -q '"complete": *false'; do
	tries=\$((tries + 1))
	[ \$tries -lt 300 ] || exit 97
	sleep 0.02
done
dd if=/dev/zero of="$work/disk/fill" bs=4k 2>/dev/null
wait \$run
code=\$?
rm "$work/disk/fill"
"$assay" show 'latest~1' --json --book "$work/disk/book.db" >"$work/older" || exit 96
exit \$code
TEXT
attempt unshare -m sh "$work/script"
case $code in
77) skip 'no tmpfs may be mounted here' ;;
98) fail 'the run before the disk was full fails' ;;
97) fail 'the second run is never seen in the book' ;;
96) fail 'the older run cannot be read any more' ;;
esac
expect_code 0 1 4
grep -qi 'room\|space\|full' "$work/err" || fail 'standard error does not speak of the full disk'
[ "$(grep -c '"outcome": *"ok"' "$work/json")" = 12 ] || fail 'figures are lost: the JSON has not all 12 processes'
[ "$(grep -c '"outcome": *"ok"' "$work/older")" = 6 ] || fail 'the older run is not whole any more'
expect_nothing_left

exit 0
