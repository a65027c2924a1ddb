#!/bin/sh
# Every bench that the program lists is run for a moment, alone, and gives a figure or a reasoned skip.
#
# A figure may be noisy, or not to be trusted because the machine was disturbed (code 4): that says nothing against the
# bench. A failed point does.
set -u
: "${ASSAY:?names the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/tmp"
export HOME="$work/home" TMPDIR="$work/tmp" LC_ALL=C
unset XDG_DATA_HOME ASSAY_BOOK
book=$work/home/book.db
failures=0 count=0

names=$("$ASSAY" list --json | grep -oE '"name": *"[a-z]+\.[a-z0-9_-]+"' | sed 's/.*: *"//; s/"//' | LC_ALL=C sort -u)
[ -n "$names" ] || {
	echo 'assay list names no bench'
	exit 1
}
for name in $names; do
	count=$((count + 1))
	code=0
	"$ASSAY" run "$name" --rounds 1 --budget 500ms --quiet --book "$book" --json >"$work/out" 2>"$work/err" </dev/null ||
		code=$?
	case $code in
	0 | 4) grep -q '"verdict": *"failed"' "$work/out" && code=1 ;;
	1) # Nothing was measured: right only when every point is skipped and each says why.
		if grep -q '"verdict": *"skipped"' "$work/out" && ! grep -q '"verdict": *"failed"' "$work/out"; then
			code=0
			echo "$name: skipped: $(grep -oE '"reason": *"[^"]*"' "$work/out" | head -n 1)"
		fi
		;;
	esac
	case $code in
	0 | 4) ;;
	*)
		failures=$((failures + 1))
		echo "$name: code $code"
		cat "$work/err"
		grep -oE '"reason": *"[^"]*"' "$work/out" | LC_ALL=C sort -u | head -n 5
		;;
	esac
	[ -z "$(ls -A "$work/tmp")" ] || {
		failures=$((failures + 1))
		echo "$name: left in TMPDIR: $(ls -A "$work/tmp")"
		rm -rf "${work:?}/tmp" && mkdir "$work/tmp"
	}
done
echo "$count benches, $failures with a fault"
[ "$failures" = 0 ]
