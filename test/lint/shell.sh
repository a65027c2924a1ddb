#!/bin/sh
# Shell files are well-formed, and clean for shellcheck where that is installed. Usage: shell.sh ROOT
set -eu
cd "$1"
code=0
for file in $(find . -path './build*' -prune -o -path ./.git -prune -o -type f -print | LC_ALL=C sort); do
	case $(head -c 12 "$file" | tr -d '\0' | head -n 1) in
	'#!/bin/sh'*) ;;
	*) continue ;;
	esac
	sh -n "$file" || code=1
	if command -v shellcheck >/dev/null; then
		# SC2046, SC2086: our own lists have no blanks inside words. SC2034: variables for the file that sources this one.
		shellcheck -x -P SCRIPTDIR -s sh -S warning -e SC2046,SC2086,SC1091,SC2034 "$file" || code=1
	fi
done
exit $code
