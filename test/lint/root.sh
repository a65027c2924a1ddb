#!/bin/sh
# /proc and /sys are read through base/root only, so that a recorded tree can stand in for any machine.
# Usage: root.sh ROOT
#
# A literal that begins with /proc or /sys may only be handed to a function whose name begins with root_, or stand in a
# file that test/lint/ALLOW names ("root FILE REASON").
set -eu
lint=$(cd "$(dirname "$0")" && pwd)
cd "$1"
allow=test/lint/ALLOW
[ -f "$allow" ] || allow=/dev/null
find src -name '*.[ch]' ! -path src/base/root.c | LC_ALL=C sort | while read -r file; do
	awk '$1 == "root" && $2 == "'"$file"'" && NF > 2 { found = 1 } END { exit !found }' "$allow" && continue
	awk -f "$lint/strip-comments.awk" "$file" | awk -v file="$file" '
	# Statements may span lines: what is between ; { and } is looked at in one piece.
	{
		text = text $0 "\n"
		if ($0 ~ /[;{}][ \t]*$/)
			look()
	}
	END { look(); exit bad }
	function look(   at, before) {
		while ((at = match(text, /"\/(proc|sys)[\/"]/))) {
			before = substr(text, 1, at - 1)
			if (before !~ /(^|[^A-Za-z0-9_])root_[a-z_]+\([^;]*$/) {
				print file ":" FNR ": \"" substr(text, at + 1, 5) "…\" does not go through base/root.h"
				bad = 1
			}
			text = substr(text, at + RLENGTH)
			text = (before ~ /root_[a-z_]+\([^;]*$/ ? "root_x(" : "") text
		}
		text = ""
	}' || echo failed
done | awk '$0 != "failed" { print } $0 == "failed" { bad = 1 } END { exit bad }'
