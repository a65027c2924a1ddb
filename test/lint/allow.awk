# Passes on the complaints ("FILE:…") that no exception covers, and complains about exceptions that cover nothing.
# Usage: awk -v lint=NAME -f allow.awk test/lint/ALLOW -
FILENAME != "-" {
	if ($1 == lint) {
		allowed[$2] = 1
		if (NF < 3) {
			print "test/lint/ALLOW: " $2 " has no reason"
			bad = 1
		}
	}
	next
}
{
	file = $0
	sub(/:.*/, "", file)
	if (file in allowed) {
		used[file] = 1
		next
	}
	print
	bad = 1
}
END {
	for (file in allowed)
		if (!(file in used)) {
			print "test/lint/ALLOW: " file " needs no exception any more"
			bad = 1
		}
	exit bad
}
