#!/bin/sh
# A locale whose decimal sign is a comma: options are read and JSON is written with a dot.
. "$(dirname "$0")/lib.sh"

if ! locale -a 2>/dev/null | grep -qi '^de_DE\.utf-\?8$'; then
	need_command localedef
	mkdir "$work/locale"
	localedef -i de_DE -f UTF-8 "$work/locale/de_DE.UTF-8" >/dev/null 2>&1 || skip 'de_DE.UTF-8 cannot be made here'
	export LOCPATH="$work/locale"
fi
export LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8
[ "$(printf '%.1f' 1)" = 1,0 ] || [ "$(/usr/bin/printf '%.1f' 1)" = 1,0 ] || skip 'the locale has no decimal comma'
attempt "$assay" $short --precision 1.5 --json --book "$book"
expect_code 0 4
grep -qE '"value": *[0-9]+\.[0-9]' "$work/out" || grep -qE '"value": *[0-9]+e?' "$work/out" || fail 'no value in the JSON'
grep -qE '": *-?[0-9]+,[0-9]' "$work/out" && fail 'a decimal comma in the JSON'
if command -v python3 >/dev/null; then
	python3 -m json.tool "$work/out" >/dev/null || fail 'the JSON cannot be read'
fi
expect_measured 6
expect_nothing_left

exit 0
