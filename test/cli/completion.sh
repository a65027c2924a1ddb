# What Bash offers, as it is asked: the line up to the cursor. zsh and fish at least take their scripts, where they are there.
assay completion bash >bash.completion
cat >try.bash <<'BASH'
. ./bash.completion
try() {
	COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=(assay)
	_assay
	echo "$1 => ${COMPREPLY[*]}"
}
try 'assay ru'
try 'assay run -s '
try 'assay run --set=q'
try 'assay run mem.latency:'
try 'assay run ipc mem.latency:r'
try 'assay run mem.la'
try 'assay run --budget '
try 'assay help verd'
try 'assay export -f j'
try 'assay show l'
try 'assay show bef'
try 'assay rm --b'
BASH
assay run self.known --rounds 1 --budget 1s --quiet --name before 2>/dev/null
bash try.bash
for shell in zsh fish; do
	assay completion $shell >$shell.completion
	! command -v $shell >/dev/null || $shell -n $shell.completion
done
