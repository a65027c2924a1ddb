#!/bin/sh
# A bench's path, name and symbol agree, and every file is built and registered. Usage: names.sh ROOT
#
# src/bench/ipc/pipe.c holds .name = "ipc.pipe" and BENCH_REGISTER(ipc_pipe); ipc/meson.build lists pipe.c; and
# src/bench/meson.build has subdir('ipc'). Lists are alphabetical, so that two branches rarely touch the same line.
set -eu
cd "$1"
code=0
complain() {
	echo "$*"
	code=1
}

for file in $(find src/bench -mindepth 2 -name '*.c' | LC_ALL=C sort); do
	[ "$file" != src/bench/proc/hello/hello.c ] || continue # what proc.create starts is no bench
	short=${file#src/bench/}
	folder=${short%%/*}
	stem=${short#*/}
	stem=${stem%.c}
	case $stem in
	*/*) # a program that a bench starts
		! grep -q '^BENCH_REGISTER' "$file" || complain "$file: benches live one folder deep"
		continue
		;;
	esac
	names=$(sed -n 's/^[[:space:]]*\.name = "\([^"]*\..*\)",.*/\1/p' "$file")
	[ "$names" = "$folder.$stem" ] || complain "$file: .name is \"$names\", expected \"$folder.$stem\""
	symbols=$(sed -n 's/^BENCH_REGISTER(\(.*\));.*/\1/p' "$file")
	expected=$(echo "${folder}_$stem" | tr - _)
	[ "$symbols" = "$expected" ] || complain "$file: registers \"$symbols\", expected BENCH_REGISTER($expected)"
	grep -q "'$stem\.c'" "src/bench/$folder/meson.build" ||
		complain "$file: src/bench/$folder/meson.build does not list it, so it is never built"
	grep -q "^subdir('$folder')" src/bench/meson.build ||
		complain "src/bench/$folder: src/bench/meson.build has no subdir('$folder')"
done

for list in $(find src/bench -name meson.build | LC_ALL=C sort); do
	sed -n "s/^subdir('\(.*\)').*/\1/p" "$list" | LC_ALL=C sort -c 2>/dev/null ||
		complain "$list: the folders are not in alphabetical order"
	awk '/^bench_sources \+= files/ { on = 1 } on { print } /\)/ { on = 0 }' "$list" | grep -o "'[^']*\.c'" | sed "s/\.c'//; s/'//" | LC_ALL=C sort -c 2>/dev/null ||
		complain "$list: the files are not in alphabetical order"
done
exit $code
