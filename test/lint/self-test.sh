#!/bin/sh
# Every lint is able to fail: each is shown a small tree that is right and one with a fault. Usage: self-test.sh
set -eu
lint=$(cd "$(dirname "$0")" && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
failures=0

# A small tree that every lint accepts, in $tree.
fresh() {
	tree=$temp/tree
	rm -rf "$tree"
	mkdir -p "$tree/src/base" "$tree/src/harness" "$tree/src/bench/os" "$tree/src/cmd" "$tree/test/unit/base" \
		"$tree/test/lint" "$tree/test/cli" "$tree/doc"
	cd "$tree"
	printf 'base:\nharness: base\nbench: harness/bench.h\ncmd: (everything except bench)\n' >src/FLOORS
	printf '#ifndef A_H\n#define A_H\nint a(int x);\n#endif\n' >src/base/a.h
	printf '#include "base/a.h"\n\nint a(int x)\n{\n\treturn x;\n}\n' >src/base/a.c
	printf 'struct bench { const char *name; };\n#define BENCH_REGISTER(symbol) extern int symbol\n' >src/harness/bench.h
	printf '#include "harness/bench.h"\nstatic const struct bench os_null = {\n\t.name = "os.null",\n};\nBENCH_REGISTER(os_null);\n' \
		>src/bench/os/null.c
	printf '#include "base/a.h"\n#include "harness/bench.h"\n' >src/cmd/main.c
	printf "bench_sources += files('null.c')\n" >src/bench/os/meson.build
	printf "bench_sources = []\nsubdir('os')\n" >src/bench/meson.build
	printf "unit_tests += [['base-a', files('test_a.c')]]\n" >test/unit/base/meson.build
	printf 'int main(void) { return 0; }\n' >test/unit/base/test_a.c
	printf "foreach room : ['base']\nforeach cli : ['version']\n" >test/meson.build
	printf '#!/bin/sh\nassay --version\n' >test/cli/version.sh
	: >test/cli/version.out
	printf 'See [the page](doc/page.md) and `src/FLOORS`.\n' >README.md
	: >doc/page.md
}

# rejects LINT WHAT WORDS: the tree, with its fault already in it, is refused with these words, the right one is not.
rejects() {
	if "$lint/$1.sh" "$tree" >"$temp/said" 2>&1; then
		echo "$1 accepts $2"
		failures=$((failures + 1))
	elif ! grep -qF -e "$3" "$temp/said"; then
		echo "$1 refuses $2, but does not say \"$3\":"
		cat "$temp/said"
		failures=$((failures + 1))
	fi
	accepts "$1"
}

accepts() {
	fresh
	if ! "$lint/$1.sh" "$tree" >"$temp/said" 2>&1; then
		echo "$1 refuses a tree without a fault:"
		cat "$temp/said"
		failures=$((failures + 1))
	fi
}

fresh
echo '#include "harness/bench.h"' >>src/base/a.c
rejects floors 'an upward include' 'base may not include harness/bench.h'
echo '#include "base/a.h"' >>src/bench/os/null.c
rejects floors 'a door that is not open to benches' 'bench may not include base/a.h'
mkdir src/attic && echo 'int x;' >src/attic/x.c
rejects floors 'an unknown folder' 'src/FLOORS does not know the folder attic'
echo '#include "a.h"' >>src/base/a.c
rejects floors 'an include that is not written from src/' 'is not written from src/'
echo '#include "base/gone.h"' >>src/cmd/main.c
rejects floors 'an include of what is not there' 'src/base/gone.h does not exist'
echo 'int x;' >src/bench/os/x.h && echo '#include "bench/os/x.h"' >>src/cmd/main.c
rejects floors 'an include of the benches' 'nothing includes the folder bench'
sed 's/^base:/base: harness/' src/FLOORS >new && mv new src/FLOORS
rejects floors 'a circle' 'circle'

sed 's/os\.null/os.nil/' src/bench/os/null.c >new && mv new src/bench/os/null.c
rejects names 'a name unlike its path' '.name is "os.nil", expected "os.null"'
sed 's/(os_null)/(null)/' src/bench/os/null.c >new && mv new src/bench/os/null.c
rejects names 'a symbol unlike its path' 'expected BENCH_REGISTER(os_null)'
sed '/BENCH_REGISTER/d' src/bench/os/null.c >new && mv new src/bench/os/null.c
rejects names 'a bench that is not registered' 'registers ""'
: >src/bench/os/meson.build
rejects names 'a bench that is not built' 'does not list it'
sed '/subdir/d' src/bench/meson.build >new && mv new src/bench/meson.build
rejects names 'a folder that is not built' "has no subdir('os')"
printf "bench_sources += files('null.c', 'all.c')\n" >src/bench/os/meson.build
rejects names 'a list out of order' 'not in alphabetical order'

echo 'size_t b(void);' >>src/base/a.h
rejects headers 'a header that needs another before it' 'src/base/a.h: does not compile alone'

echo 'int f(void) { return clock_gettime(0, 0); }' >>src/bench/os/null.c
rejects bench-calls 'a clock' 'calls clock_gettime'
echo 'int f(void) { return printf ("x"); }' >>src/bench/os/null.c
rejects bench-calls 'printing' 'calls printf'
printf 'void f(void)\n{\n\t__asm__ volatile("rdtsc" : : :);\n}\n' >>src/bench/os/null.c
rejects bench-calls 'a counter read in assembly' 'src/bench/os/null.c:8: calls rdtsc'
printf 'void f(void)\n{\n\texit(1);\n}\n' >>src/bench/os/null.c
rejects bench-calls 'an exit' 'src/bench/os/null.c:8: calls exit'
echo 'bench-calls src/bench/os/null.c time it is the operation' >test/lint/ALLOW
rejects bench-calls 'an exception without need' 'does not call time any more'
echo 'int f(void) { return time(0); }' >>src/bench/os/null.c
echo 'bench-calls src/bench/os/null.c time' >test/lint/ALLOW
rejects bench-calls 'an exception without a reason' 'has no reason'

echo 'int f(void) { return open("/proc/stat", 0); }' >>src/base/a.c
rejects root 'a file below /proc opened past the door' 'src/base/a.c:7: "/proc/stat", but'
printf '#include "base/root.h"\nstatic const char *const list[] = {\n\t"/sys/devices",\n};\nint f = fopen(list[0]);\n' >>src/cmd/main.c
rejects root 'a path opened past the door that is there' 'src/cmd/main.c:7: fopen in a file that holds the path "/sys/devices"'
echo 'root src/base/a.c it is the harness' >test/lint/ALLOW
rejects root 'an exception without need' 'needs no exception any more'

{ echo 'int f(void)'; echo '{'; yes '' | head -80; echo '}'; } >>src/base/a.c
rejects budgets 'a long function' 'a function of 82 lines'
echo 'budgets src/base/a.c' >test/lint/ALLOW
rejects budgets 'an exception without a reason' 'src/base/a.c has no reason'
yes '' | head -600 >>src/base/a.c
rejects budgets 'a long file' 'a file has 600 at most'
yes '' | head -200 >>src/base/a.h
rejects budgets 'a long header' 'a header has 200 at most'

echo "see /wo""rk/notes" >>README.md
rejects words "a path of the author's machine" 'README.md:2:'
echo "@@ LATER"" @@" >>doc/page.md
rejects words 'a marker that was left behind' 'doc/page.md:1:'

echo '[gone](doc/gone.md)' >>README.md
rejects links 'a dead link' 'the link doc/gone.md leads nowhere'
echo 'see `src/gone.c`' >>README.md
rejects links 'a path that is not there' 'there is no src/gone.c'

: >test/unit/base/meson.build
rejects wired 'a unit test that is not listed' 'test/unit/base/test_a.c: test/unit/base/meson.build does not name it'
echo >test/meson.build
rejects wired 'a case that is not listed' 'test/cli/version.sh: test/meson.build does not name it'
rm test/cli/version.out
rejects wired 'a case without expectation' 'there is no test/cli/version.out'

echo 'if' >>test/cli/version.sh
rejects shell 'a script that does not parse' 'version.sh'

# What looks like a fault and is none.
printf '/* clock_gettime( and printf( in words */\nint g(void) { _exit(0); return snprintf(0, 0, "exit("); }\n' \
	>>src/bench/os/null.c
"$lint/bench-calls.sh" "$tree" || { echo 'bench-calls refuses words in comments'; failures=$((failures + 1)); }
printf '#include "base/root.h"\n/* open("/proc/x") */\nint g(void)\n{\n\treturn root_readf(0, "/proc/%%d", 1);\n}\n' >>src/base/a.c
echo 'const char *words = "/proc cannot be read"; int h = open(words);' >src/base/b.c
"$lint/root.sh" "$tree" || { echo 'root refuses a literal handed to root_readf'; failures=$((failures + 1)); }

[ "$failures" = 0 ] && echo 'every lint can fail'
exit $((failures > 0))
