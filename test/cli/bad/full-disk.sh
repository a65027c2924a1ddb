#!/bin/sh
# The disk fills up in mid-run: the run goes on, says so, and its figures still come out as JSON.
. "$(dirname "$0")/lib.sh"

need_root
need_command unshare mount
mkdir "$work/disk"
cat >"$work/script" <<TEXT
mount -t tmpfs -o size=256k tmpfs "$work/disk" || exit 77
"$assay" runs --book "$work/disk/book.db" >/dev/null
dd if=/dev/zero of="$work/disk/fill" bs=4k 2>/dev/null
"$assay" $short --json --book "$work/disk/book.db"
code=\$?
rm "$work/disk/fill"
ls -A "$work/disk" >"$work/kept"
exit \$code
TEXT
attempt unshare -m sh "$work/script"
[ $code != 77 ] || skip 'no tmpfs may be mounted here'
grep -qi 'space\|full\|book' "$work/err" || fail 'standard error does not speak of the full disk'
if [ $code = 0 ] || [ $code = 4 ]; then
	grep -q '"outcome": *"ok"' "$work/out" || fail 'the figures are lost: they are not in the JSON either'
else
	expect_code 1
fi
expect_nothing_left

exit 0
