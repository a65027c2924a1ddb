#!/bin/sh
# doc/adding-a-benchmark.md is true: a copy of the tree with one file and one word more knows, explains and measures the
# new bench. Usage: adding-a-benchmark.sh ROOT (CC names the compiler; without meson or ninja it is skipped)
set -eu
cd "$1"
command -v meson >/dev/null && command -v ninja >/dev/null || {
	echo 'meson and ninja are not both here'
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir "$tree" "$work/home" "$work/tmp"
fail() {
	echo "$*"
	exit 1
}

if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ "$(git rev-parse --show-toplevel)" = "$(pwd -P)" ]; then
	git ls-files -z --cached --others --exclude-standard >"$work/files"
else
	find . -type d -name 'build*' -prune -o -type f -print0 >"$work/files"
fi
tar -c --null -T "$work/files" --ignore-failed-read 2>/dev/null | tar -x -C "$tree"
cp -r "$tree" "$work/before"

# The page's steps 1 and 2.
sed 's/example\.random/syscall.example/; s/example_random/syscall_example/' src/bench/TEMPLATE.c \
	>"$tree/src/bench/syscall/example.c"
sed -i "s/files('/files('example.c', '/" "$tree/src/bench/syscall/meson.build"

changed=$(cd "$work" && diff -rq before tree || :)
[ "$(printf '%s\n' "$changed" | wc -l)" = 2 ] || fail "not two files were touched: $changed"
for lint in names floors bench-calls; do
	sh "$tree/test/lint/$lint.sh" "$tree" || fail "test/lint/$lint.sh finds fault with the new bench"
done

# Step 3. Whether it works does not depend on how fast the rest of the program is.
{ meson setup "$work/build" "$tree" -Dbuildtype=debug && ninja -C "$work/build" -j 2 assay; } >"$work/log" 2>&1 ||
	fail "$(tail -n 30 "$work/log")"
export HOME="$work/home" TMPDIR="$work/tmp" LC_ALL=C
unset XDG_DATA_HOME ASSAY_BOOK
assay=$work/build/assay
"$assay" list | grep -q 'syscall\.example' || fail 'assay list does not name it'
"$assay" help syscall.example >"$work/help" || fail 'assay help syscall.example fails'
for words in 'random number generator' 'getrandom' 'device' 'size'; do
	grep -q "$words" "$work/help" || fail "assay help syscall.example does not say '$words': $(cat "$work/help")"
done
# 4: measured, but this machine was not still enough; that is no fault of the bench.
code=0
"$assay" run syscall.example --rounds 1 -q --json --book "$work/book.db" >"$work/run" 2>"$work/err" || code=$?
case $code in 0 | 4) ;; *) fail "assay run syscall.example ends with $code: $(cat "$work/err")" ;; esac
for point in syscall.example:getrandom/size=16 syscall.example:device/size=16; do
	grep -q "\"$point\"" "$work/run" || fail "there is no $point in the run"
done
! grep -qE '"verdict": *"(failed|skipped)"' "$work/run" || fail "a point was not measured: $(cat "$work/run")"
[ -z "$(ls -A "$work/tmp")" ] || fail "left in TMPDIR: $(ls -A "$work/tmp")"
