# Exit codes as documented, with benches that are made to be known, faulty and hanging.
try() {
	assay "$@" >/dev/null 2>&1
	echo "assay $*: $?"
}
# A machine that is too noisy for a figure (4) is none of the program's faults.
try_measuring() {
	assay "$@" >/dev/null 2>&1
	code=$?
	case $code in
	0 | 4) echo "assay $*: measured" ;;
	*) echo "assay $*: $code" ;;
	esac
}
try list
try list --json
try machine --json
try help run
try runs
try show
try_measuring run self.known --rounds 6 --budget 2s --quiet
try show
try show latest --json
try export latest
try run self.faulty --rounds 1 --budget 2s --quiet
try run self.hang --rounds 1 --budget 2s --quiet
try run self.known --dry-run
try rm latest
try rm no-such-run
