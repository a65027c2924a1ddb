# A mistake is one specific line and a pointer to help, on standard error; code 2.
try() {
	echo "\$ assay${*:+ $*}"
	assay "$@" 2>&1 >/dev/null
	echo "[$?]"
}
try
try measure
try run --rounds
try run --rounds none
try run --budget 10
try run --precision -1
try run --set huge
try run --colour
try run no.such.bench
try run --label noequals
try show one two
try rename only-one
try completion tcsh
try help no.such.thing
try list no.such.bench
try run --json --jsonl
try run --dry-run --json cpu.clock
try run mem.latency/size=1
try run cpu.clock/size=1
try rename latest 018df4a0
