#!/bin/sh
# Nothing in the repository speaks of the machine it was written on. Usage: words.sh ROOT
#
# Patterns are written with brackets so that this file does not match itself.
set -eu
cd "$1"
pattern='/[w]ork/|/[f]arm/|/tmp/[w]t|/[h]ome/[a-z]+/|/[r]oot/[.a-z]|[.]library/|[r]egistry[.](npmjs|docker|k8s|gitlab)|[d]eb[.]debian|[s]napshot[.]debian'
pattern="$pattern|[p]ypi[.]org|[n]odesource|[s]ubagent|the [C]EO|@@ [A-Z]+ @@|(^|[^X])[X]XX([^X]|\$)|[F]IXME|^(<{7}|>{7}) "
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ "$(git rev-parse --show-toplevel)" = "$(pwd -P)" ]; then
	list='git ls-files -z --cached --others --exclude-standard'
else
	list='find . -type f -not -path ./.git/* -not -path ./build* -print0'
fi
found=$(set -f; $list | xargs -0 grep -nIE -e "$pattern" -- 2>/dev/null || :)
[ -z "$found" ] || {
	printf '%s\n' "$found"
	exit 1
}
