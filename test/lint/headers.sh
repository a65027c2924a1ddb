#!/bin/sh
# Every header compiles alone: whoever includes it needs nothing before it. Usage: headers.sh ROOT
set -eu
cd "$1"
code=0
for header in $(find src -name '*.h' | LC_ALL=C sort); do
	# shellcheck disable=SC2086 # a compiler may be two words ("ccache gcc"), as in Meson
	${CC:-cc} -fsyntax-only -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -iquote src ${LINT_CFLAGS:-} \
		-include "$header" -x c /dev/null || {
		echo "$header: does not compile alone"
		code=1
	}
done
exit $code
