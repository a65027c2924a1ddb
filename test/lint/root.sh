#!/bin/sh
# /proc and /sys are read through base/root only, so that a recorded tree can stand in for any machine.
# Usage: root.sh ROOT
#
# A file that holds a path below /proc or /sys includes base/root.h and opens nothing itself. (Sentences that begin so
# are told by their blanks.) Exceptions stand in test/lint/ALLOW ("root FILE REASON").
set -eu
lint=$(cd "$(dirname "$0")" && pwd)
cd "$1"
allow=test/lint/ALLOW
[ -f "$allow" ] || allow=/dev/null
opening='open|open64|openat|openat2|fopen|freopen|opendir|scandir|access|faccessat|stat|lstat|fstatat|statx|statfs|readlink'
opening="$opening|readlinkat|realpath"

find src -name '*.[ch]' ! -path src/base/root.c | LC_ALL=C sort | while read -r file; do
	awk -f "$lint/strip-comments.awk" "$file" | awk -v file="$file" -v opening="$opening" '
	match($0, /"\/(proc|sys)[^" ]*"/) && !place { place = FNR; path = substr($0, RSTART, RLENGTH) }
	/#[ \t]*include[ \t]*"base\/root\.h"/ { door = 1 }
	match($0, "(^|[^A-Za-z0-9_.>])(" opening ")[ \t]*\\(") { opens = FNR; call = substr($0, RSTART, RLENGTH) }
	END {
		gsub(/[^A-Za-z0-9_]/, "", call)
		if (place && !door)
			print file ":" place ": " path ", but the file does not include base/root.h"
		else if (place && opens)
			print file ":" opens ": " call " in a file that holds the path " path
	}'
done | awk -v lint=root -f "$lint/allow.awk" "$allow" -
