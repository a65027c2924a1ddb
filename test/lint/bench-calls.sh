#!/bin/sh
# A bench reads no clock, prints nothing and never exits: the harness does that. Usage: bench-calls.sh ROOT
#
# Exceptions stand in test/lint/ALLOW ("bench-calls FILE CALL REASON"): a bench whose operation *is* such a call. An
# exception that is not needed any more is a fault as well. _exit in a forked peer is no exit of the bench.
set -eu
lint=$(cd "$(dirname "$0")" && pwd)
cd "$1"
allow=test/lint/ALLOW
[ -f "$allow" ] || allow=/dev/null
calls='clock_gettime|clock|gettimeofday|time|times|__rdtscp?|__builtin_ia32_rdtscp?|__builtin_readcyclecounter'
calls="$calls|printf|vprintf|fprintf|vfprintf|dprintf|vdprintf|puts|fputs|putchar|putc|fputc|perror|warnx?|errx?|psignal"
calls="$calls|exit|abort|quick_exit|getopt|getopt_long|getenv"

for folder in src/bench src/kit; do
	[ ! -d $folder ] || find $folder -name '*.[ch]'
done | LC_ALL=C sort | while read -r file; do
	{
		awk -f "$lint/strip-comments.awk" -v strings=drop "$file"
		echo '--- again, for counters read in assembly, which stand in strings'
		awk -f "$lint/strip-comments.awk" "$file"
	} | awk -v file="$file" -v calls="$calls" '
	/^--- again/ { again = NR; next }
	{
		line = $0
		pattern = again ? "(rdtscp?|cntvct_el0|rdtime)[ \t\\\"]" : "(^|[^A-Za-z0-9_.>])(" calls ")[ \t]*\\("
		while (match(line, pattern)) {
			call = substr(line, RSTART, RLENGTH)
			gsub(/[^A-Za-z0-9_]/, "", call)
			print file, NR - again, call
			line = substr(line, RSTART + RLENGTH - 1)
		}
	}'
done | awk '
	FILENAME != "-" { if ($1 == "bench-calls") { allowed[$2, $3] = 1; why[$2, $3] = NF > 3 } next }
	($1, $3) in allowed { used[$1, $3] = 1; next }
	{ print $1 ":" $2 ": calls " $3; bad = 1 }
	END {
		for (pair in allowed) {
			split(pair, part, SUBSEP)
			if (!(pair in used)) { print "test/lint/ALLOW: " part[1] " does not call " part[2] " any more"; bad = 1 }
			if (!why[pair]) { print "test/lint/ALLOW: " part[1] " " part[2] " has no reason"; bad = 1 }
		}
		exit bad
	}' "$allow" -
