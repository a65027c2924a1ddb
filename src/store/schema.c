/* The tables of the book, version 1. */
#include "store/schema.h"

#include <inttypes.h>
#include <errno.h>
#include <stdio.h>

/* Verdicts and the direction of units are words, so that a book explains itself to anyone with sqlite3. Values keep the
 * record's units; what was not measured is NULL. seed, n, samples and budget_ns are unsigned 64-bit numbers in SQLite's
 * signed ones. */
static const char tables[] =
	"CREATE TABLE run (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT UNIQUE,"
	" hostname TEXT, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, complete INTEGER NOT NULL,"
	" reason TEXT, seed INTEGER NOT NULL, plan TEXT, selection TEXT, options TEXT, budget_ns INTEGER NOT NULL,"
	" rounds INTEGER NOT NULL, method TEXT, version TEXT, keep_raw INTEGER NOT NULL) STRICT;"
	/* Apart from run, so that listing runs does not read every machine's description. */
	"CREATE TABLE machine (run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, document TEXT) STRICT;"
	"CREATE TABLE label (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, position INTEGER NOT NULL,"
	" name TEXT NOT NULL, value TEXT, PRIMARY KEY (run, position)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE run_condition (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
	" position INTEGER NOT NULL, id TEXT NOT NULL, unit TEXT, value REAL, threshold REAL, verdict TEXT NOT NULL,"
	" text TEXT, PRIMARY KEY (run, position)) STRICT, WITHOUT ROWID;"
	/* verdict is NULL until somebody has judged: a killed run. */
	"CREATE TABLE point (key INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
	" position INTEGER NOT NULL, id TEXT NOT NULL, title TEXT, unit TEXT NOT NULL, better TEXT NOT NULL,"
	" target_pct REAL, min_cycles REAL, derived INTEGER NOT NULL, value REAL, low REAL, high REAL,"
	" confidence REAL, cycles REAL, cycles_low REAL, cycles_high REAL, noise REAL,"
	" samples INTEGER NOT NULL DEFAULT 0, rounds INTEGER NOT NULL DEFAULT 0, verdict TEXT, reason TEXT, note TEXT,"
	" UNIQUE (run, id)) STRICT;"
	"CREATE TABLE source (point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE, position INTEGER NOT NULL,"
	" id TEXT NOT NULL, PRIMARY KEY (point, position)) STRICT, WITHOUT ROWID;"
	/* quantiles: 21 doubles (0, 5, … 100 %), little-endian. */
	"CREATE TABLE process (key INTEGER PRIMARY KEY, point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,"
	" round INTEGER NOT NULL, cpu INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT, n INTEGER NOT NULL,"
	" paired INTEGER NOT NULL, steady INTEGER NOT NULL, half_sample INTEGER NOT NULL, location REAL, mean REAL,"
	" min REAL, max REAL, noise REAL, clock_hz REAL, quantiles BLOB, batches INTEGER NOT NULL, remark TEXT)"
	" STRICT;"
	"CREATE INDEX process_of_point ON process (point, round);"
	"CREATE TABLE process_condition (process INTEGER NOT NULL REFERENCES process ON DELETE CASCADE,"
	" position INTEGER NOT NULL, id TEXT NOT NULL, unit TEXT, value REAL, threshold REAL, verdict TEXT NOT NULL,"
	" text TEXT, PRIMARY KEY (process, position)) STRICT, WITHOUT ROWID;"
	/* Apart from process, so that dropping it is cheap: process.batches doubles, little-endian, zlib. */
	"CREATE TABLE batch (process INTEGER PRIMARY KEY REFERENCES process ON DELETE CASCADE, data BLOB NOT NULL)"
	" STRICT;";

static int read_marks(struct book *book, int64_t *ret_application, int64_t *ret_version, int64_t *ret_objects,
		      struct err *err)
{
	int r = sql_whole(book, ret_application, err, "PRAGMA application_id", NULL, 0);

	if (r >= 0)
		r = sql_whole(book, ret_version, err, "PRAGMA user_version", NULL, 0);
	if (r >= 0)
		r = sql_whole(book, ret_objects, err, "SELECT count(*) FROM sqlite_master", NULL, 0);
	return r < 0 ? r : 0;
}

int schema_check(struct book *book, bool *ret_empty, struct err *err)
{
	int64_t application = 0, version = 0, objects = 0;
	int r = read_marks(book, &application, &version, &objects, err);

	if (r < 0)
		return r;
	*ret_empty = !application && !version && !objects;
	if (*ret_empty)
		return 0;
	if (application != BOOK_APPLICATION_ID)
		return err_set(err, -EMEDIUMTYPE, "%s is a database of another program, not a book of assay, and stays "
			       "as it is: give another file with --book", book->path);
	if (version > BOOK_SCHEMA_VERSION)
		return err_set(err, -EPROTONOSUPPORT, "the book %s was written by a newer assay (version %" PRId64
			       " of its tables, this one knows %d): update assay, or give another book with --book",
			       book->path, version, BOOK_SCHEMA_VERSION);
	if (version < 1)
		return err_set(err, -EUCLEAN, "the book %s is damaged: its tables have version %" PRId64, book->path,
			       version);
	return 0;
}

int schema_create(struct book *book, struct err *err)
{
	char marks[96];
	bool empty = false;
	int r = sql_begin(book, true, err);

	if (r < 0)
		return r;
	/* Another program may have been first. */
	r = schema_check(book, &empty, err);
	if (r == 0 && empty)
		r = sql_script(book, err, tables);
	if (r == 0 && empty) {
		snprintf(marks, sizeof marks, "PRAGMA application_id = %d; PRAGMA user_version = %d",
			 BOOK_APPLICATION_ID, BOOK_SCHEMA_VERSION);
		r = sql_script(book, err, marks);
	}
	return sql_end(book, r, err);
}
