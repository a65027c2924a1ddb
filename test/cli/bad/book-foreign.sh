#!/bin/sh
# A file that is no book, or the database of another program, is left exactly as it was.
. "$(dirname "$0")/lib.sh"

echo 'these are my notes, not a book' >"$book"
before=$(cksum <"$book")
attempt "$assay" $short --book "$book"
expect_code 1
expect_reason book.db
[ "$(cksum <"$book")" = "$before" ] || fail 'the file was changed'
attempt "$assay" show --book "$book"
expect_code 1
expect_reason book.db
[ "$(cksum <"$book")" = "$before" ] || fail 'the file was changed'

if command -v sqlite3 >/dev/null || command -v python3 >/dev/null; then
	rm "$book"
	if command -v sqlite3 >/dev/null; then
		sqlite3 "$book" 'PRAGMA application_id = 7; CREATE TABLE t(x); INSERT INTO t VALUES (1)'
	else
		python3 -c 'import sqlite3, sys
b = sqlite3.connect(sys.argv[1])
b.executescript("PRAGMA application_id = 7; CREATE TABLE t(x); INSERT INTO t VALUES (1)")' "$book"
	fi
	before=$(cksum <"$book")
	attempt "$assay" $short --book "$book"
	expect_code 1
	expect_reason book.db
	[ "$(cksum <"$book")" = "$before" ] || fail 'the database of another program was changed'
fi
expect_nothing_left

exit 0
