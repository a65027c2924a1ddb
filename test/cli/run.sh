#!/bin/sh
# Golden command lines: runs NAME.sh and compares what it prints with NAME.out beside it, to the byte.
#
#   run.sh [--update] NAME…      (ASSAY names the program; --update rewrites the expectations)
#
# The script finds the program as "assay" on its PATH; locale, width and seed are fixed, home and working directory are
# empty ones. Standard error is part of what is compared, in the order it comes.
set -u
: "${ASSAY:?names the program}"
cases=$(cd "$(dirname "$0")" && pwd)
update=no
if [ "${1-}" = --update ]; then
	update=yes
	shift
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0
for name in "$@"; do
	rm -rf "${work:?}"/*
	mkdir "$work/bin" "$work/home" "$work/tmp" "$work/cwd"
	ln -s "$ASSAY" "$work/bin/assay"
	(
		cd "$work/cwd" || exit 1
		exec env -i PATH="$work/bin:$PATH" HOME="$work/home" TMPDIR="$work/tmp" LC_ALL=C.UTF-8 COLUMNS=100 TERM=dumb \
			TZ=UTC ASSAY_SEED=1 ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} sh "$cases/$name.sh"
	) >"$work/actual" 2>&1 </dev/null
	if [ $update = yes ]; then
		cp "$work/actual" "$cases/$name.out"
	elif ! diff -u "$cases/$name.out" "$work/actual"; then
		echo "$name: the output differs; if it should: ASSAY=… test/cli/run.sh --update $name"
		code=1
	fi
	[ -z "$(ls -A "$work/tmp")" ] || {
		echo "$name: left in TMPDIR: $(ls -A "$work/tmp")"
		code=1
	}
done
exit $code
