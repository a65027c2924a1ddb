# Exit codes as documented, with benches that are made to be known, faulty and hanging.
try() {
	assay "$@" >/dev/null 2>&1
	echo "assay $*: $?"
}
try list
try list --json
try machine --json
try help run
try runs
try show
try run self.known --rounds 6 --budget 2s --quiet
try show
try show latest --json
try export latest
try run self.faulty --rounds 1 --budget 2s --quiet
try run self.hang --rounds 1 --budget 2s --quiet
try run self.known --dry-run
try rm latest
try rm no-such-run
