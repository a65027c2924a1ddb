#!/bin/sh
# A test that no list names is never run. Usage: wired.sh ROOT
set -eu
cd "$1"
code=0
complain() {
	echo "$*"
	code=1
}
for file in $(find test/unit -name 'test_*.c' 2>/dev/null | LC_ALL=C sort); do
	list=$(dirname "$file")/meson.build
	grep -q "'$(basename "$file")'" "$list" 2>/dev/null || complain "$file: $list does not name it"
	grep -q "'$(basename "$(dirname "$file")")'" test/meson.build || complain "$file: test/meson.build does not visit its folder"
done
for file in $(find test/lint test/cli -name '*.sh' 2>/dev/null | LC_ALL=C sort); do
	name=$(basename "$file" .sh)
	case $name in lib | run) continue ;; esac
	grep -q "'$name'" test/meson.build || complain "$file: test/meson.build does not name it"
done
for file in $(find test/cli -maxdepth 1 -name '*.sh' ! -name run.sh 2>/dev/null | LC_ALL=C sort); do
	[ -f "${file%.sh}.out" ] || complain "$file: there is no ${file%.sh}.out beside it (test/cli/run.sh --update writes it)"
done
exit $code
