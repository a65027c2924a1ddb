# Blanks out C comments; with -v strings=drop also what stands between double quotes. Line numbers stay the same.
{
	out = ""
	line = $0
	while (line != "") {
		if (inside) {
			end = index(line, "*/")
			if (!end)
				break
			line = substr(line, end + 2)
			inside = 0
		} else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/)) {
			found = substr(line, RSTART, RLENGTH)
			out = out substr(line, 1, RSTART - 1)
			line = substr(line, RSTART + RLENGTH)
			if (found == "/*")
				inside = 1
			else if (found == "//")
				break
			else if (strings == "drop" && found ~ /^"/)
				out = out "\"\""
			else
				out = out found
		} else {
			out = out line
			line = ""
		}
	}
	print out
}
