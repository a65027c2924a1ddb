#!/bin/sh
# Functions of at most 80 lines, files of 600, headers of 200, below src/ and test/. Usage: budgets.sh ROOT
#
# Headers of tests may be tables of data (golden vectors, fixtures) and have no limit of their own. Exceptions stand in
# test/lint/ALLOW ("budgets FILE REASON").
set -eu
lint=$(cd "$(dirname "$0")" && pwd)
cd "$1"
allow=test/lint/ALLOW
[ -f "$allow" ] || allow=/dev/null
find src test -name '*.[ch]' | LC_ALL=C sort | xargs awk '
function finish() {
	if (file ~ /^src\/.*\.h$/ && lines > 200)
		print file ": " lines " lines, a header has 200 at most"
	else if (file ~ /\.c$/ && lines > 600)
		print file ": " lines " lines, a file has 600 at most"
}
FNR == 1 { finish(); file = FILENAME; begin = 0 }
{ lines = FNR }
/^{/ { begin = FNR }
/^}/ {
	if (begin && FNR - begin + 1 > 80)
		print FILENAME ":" begin ": a function of " FNR - begin + 1 " lines, 80 at most"
	begin = 0
}
END { finish() }' | awk -v lint=budgets -f "$lint/allow.awk" "$allow" -
