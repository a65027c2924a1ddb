#!/bin/sh
# Holds every #include "…" below src/ against src/FLOORS. Usage: floors.sh ROOT
#
# An entry of a floor is a folder, or one header ("harness/bench.h") when only that door is open. "(everything except
# X …)" is understood. The floors themselves must have no circle, and nothing may include the folder bench.
set -eu
cd "$1"

awk '
function complain(text) { print text; bad = 1 }
FILENAME == "src/FLOORS" {
	if (/^[ \t]*(#|$)/)
		next
	room = $1
	sub(/:.*/, "", room)
	known[room] = 1
	rest = $0
	sub(/^[^:]*:[ \t]*/, "", rest)
	if (rest ~ /^\(everything except /) {
		gsub(/^\(everything except |\)$/, "", rest)
		all[room] = 1
		count = split(rest, word, /[ \t]+/)
		for (i = 1; i <= count; i++)
			closed[room, word[i]] = 1
	} else {
		count = split(rest, word, /[ \t]+/)
		for (i = 1; i <= count; i++)
			open[room, word[i]] = 1
	}
	next
}
FNR == 1 {
	split(FILENAME, part, "/")
	room = part[2]
	if (!(room in known) && !said[room]++)
		complain(FILENAME ": src/FLOORS does not know the folder " room)
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	target = $0
	sub(/^[^"]*"/, "", target)
	sub(/".*/, "", target)
	there = target
	sub(/\/.*/, "", there)
	place = FILENAME ":" FNR ": "
	if (target !~ /\// || target ~ /\.\.\//)
		complain(place "\"" target "\" is not written from src/")
	else if ((getline line < ("src/" target)) < 0)
		complain(place "src/" target " does not exist")
	else if (there == "bench")
		complain(place "nothing includes the folder bench")
	else if (there == room || open[room, there] || open[room, target])
		;
	else if (all[room] && !closed[room, there])
		;
	else
		complain(place room " may not include " target)
	close("src/" target)
}
END { exit bad }
' src/FLOORS $(find src -name '*.[ch]' | LC_ALL=C sort) && code=0 || code=1

circles=$(sed -e 's/#.*//' -e '/(everything/d' -e 's|/[^ ]*||g' src/FLOORS |
	awk -F: 'NF > 1 { n = split($2, w, /[ \t]+/); for (i = 1; i <= n; i++) if (w[i] != "") print $1, w[i] }' |
	tsort 2>&1 >/dev/null || :)
if [ -n "$circles" ]; then
	echo "src/FLOORS: the floors go round in a circle: $(echo "$circles" | tr '\n' ' ')"
	code=1
fi
exit $code
