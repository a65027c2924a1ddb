#!/bin/sh
# The options a man page documents are those the program has, verb by verb; and every verb has a page.
# Usage: man-options.sh MAN-DIRECTORY (ASSAY names the program)
set -u
: "${ASSAY:?names the program}"
man=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0

for page in "$man"/assay-*.1.scd; do
	verb=$(basename "$page" .1.scd)
	verb=${verb#assay-}
	"$ASSAY" help "$verb" >"$work/help" 2>&1 || {
		echo "assay help $verb fails, but there is $page"
		code=1
		continue
	}
	# Help lists "  -q, --quiet  …"; a page lists "*-q*, *--quiet*".
	sed -nE 's/^ *(-[A-Za-z], *)?(--[a-z][a-z-]*).*/\2 \1/p' "$work/help" | tr -d ', ' | LC_ALL=C sort -u >"$work/program"
	sed -nE 's/^(\*-[A-Za-z]\*, *)?\*(--[a-z][a-z-]*)\*.*/\2 \1/p' "$page" | tr -d '*, ' | LC_ALL=C sort -u >"$work/page"
	if ! diff "$work/program" "$work/page" >"$work/diff"; then
		echo "$page and assay help $verb differ (< only in the program, > only in the page):"
		grep '^[<>]' "$work/diff"
		code=1
	fi
done

"$ASSAY" help >"$work/help" 2>&1 || code=1
for verb in run show list runs rm rename export machine help completion; do
	grep -qE "^ +$verb( |\$)" "$work/help" || {
		echo "assay help does not list $verb"
		code=1
	}
	[ -f "$man/assay-$verb.1.scd" ] || {
		echo "there is no man page of $verb"
		code=1
	}
done

# The rules by which verdicts are given stand in three places, in the same words.
flat() {
	tr -d '`*_|' <"$1" | tr -s ' \t\n' ' '
}
flat "$man/assay.1.scd" | sed 's/\. /  /g' >"$work/man"
flat "$man/../doc/method.md" >"$work/method"
"$ASSAY" help verdicts | awk '
	/^  [a-z]+  / { if (row) print row; row = $0; next }
	/^    / && row { row = row " " $0; next }
	{ if (row) print row; row = "" }' | tr -s ' ' >"$work/rules"
[ "$(wc -l <"$work/rules")" -ge 10 ] || {
	echo "assay help verdicts lists no rules"
	code=1
}
while read -r rule words; do
	grep -qF "$rule: $words" "$work/man" || {
		echo "assay.1.scd does not have the rule '$rule: $words'"
		code=1
	}
	grep -qF "$rule $words" "$work/method" || {
		echo "method.md does not have the rule '$rule $words'"
		code=1
	}
done <"$work/rules"
exit $code
