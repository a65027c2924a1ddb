#!/bin/sh
# Relative links and the paths between backticks in the pages exist. Usage: links.sh ROOT
set -eu
cd "$1"
code=0
for page in *.md doc/*.md; do
	[ -f "$page" ] || continue
	folder=$(dirname "$page")
	for target in $(grep -o '](\([^)]*\))' "$page" | sed 's/](//; s/)//; s/#.*//' | grep -v -e '^$' -e '://' || :); do
		[ -e "$folder/$target" ] || {
			echo "$page: the link $target leads nowhere"
			code=1
		}
	done
	for target in $(grep -oE '`(src|test|doc|man|tool)/[A-Za-z0-9_./-]+`' "$page" | tr -d '`' || :); do
		[ -e "$target" ] || {
			echo "$page: there is no $target"
			code=1
		}
	done
done
exit $code
