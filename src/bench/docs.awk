# The header comments of benches, as a table in C: `assay help BENCH` shows what stands beside the code, and nothing twice.
#
# Of every file FOLDER/FILE.c, the comment it begins with. Its paragraphs become lines, joined and with an empty line
# between them; rows of a table ("name   words", and what is indented below) become lines that begin with two blanks.

function quoted(s)
{
	gsub(/\\/, "&&", s)
	gsub(/"/, "\\\\&", s)
	return "\"" s "\\n\""
}

function flush()
{
	if (line == "")
		return
	if (began && !(is_row && was_row))
		print "\t  \"\\n\""
	print "\t  " quoted(line)
	began = 1
	was_row = is_row
	line = ""
	is_row = 0
}

function add(s)
{
	if (s == "") {
		flush()
		was_row = 0
	} else if (s ~ /^  +/ && is_row) {
		sub(/^ +/, "", s)
		line = line " " s
	} else if (s ~ /^[^ ].*  +[^ ]/) {
		flush()
		line = "  " s
		is_row = 1
	} else {
		if (is_row || s ~ /^(One operation|Counted|Not counted|Distortions?|Ancestor|Ancestry|Checked):/)
			flush()
		sub(/^ +/, "", s)
		line = line == "" ? s : line " " s
	}
}

function finish()
{
	flush()
	if (name != "")
		print "\t},"
	name = ""
	inside = 0
}

BEGIN {
	print "#include \"harness/bench_doc.h\"\n\nconst struct bench_doc bench_docs[] = {"
}

FNR == 1 {
	finish()
	if ($0 !~ /^\/\*/)
		next
	parts = split(FILENAME, part, "/")
	name = part[parts - 1] "." part[parts]
	sub(/\.c$/, "", name)
	print "\t{ \"" name "\","
	began = was_row = 0
	inside = 1
	sub(/^\/\* */, "")
	if (index($0, name ": ") == 1) {
		$0 = substr($0, length(name) + 3)
		$0 = toupper(substr($0, 1, 1)) substr($0, 2)
	}
}

inside {
	last = sub(/ *\*\/.*/, "")
	if (FNR > 1)
		sub(/^ \* ?/, "")
	add($0)
	if (last)
		inside = 0
}

END {
	finish()
	print "\t{ 0, 0 },\n};"
}
