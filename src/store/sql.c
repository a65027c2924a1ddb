#include "store/sql.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

/* SQLite often drops the errno of a failed write; the file itself (the log or journal first) still knows it. */
static int system_errno(sqlite3 *db)
{
	sqlite3_file *log = NULL;
	int os = sqlite3_system_errno(db);

	if (!os && sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log &&
	    log->pMethods)
		log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &os);
	if (!os)
		sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &os);
	return os;
}

int sql_fail(const struct book *book, int code, struct err *err, const char *doing)
{
	int os = system_errno(book->db);
	int primary = code & 0xff;

	/* A file size limit or a quota reaches us as an I/O error, and means the same to the user as a full disk. */
	if (primary == SQLITE_FULL || (primary == SQLITE_IOERR && (os == ENOSPC || os == EDQUOT || os == EFBIG)))
		return err_set(err, -ENOSPC,
			       "%s: no room is left for the book %s: make some, or give another one with --book",
			       doing, book->path);
	switch (primary) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, -EBUSY, "%s: another program holds the book %s: try again when it is done", doing,
			       book->path);
	case SQLITE_READONLY:
		return err_set(err, -EROFS, "%s: the book %s cannot be written", doing, book->path);
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return err_set(err, -EACCES, "%s: no permission for the book %s", doing, book->path);
	case SQLITE_CANTOPEN:
		return err_set(err, os ? -os : -EIO, "%s: the book %s cannot be opened%s%s", doing, book->path,
			       os ? ": " : "", os ? strerror(os) : "");
	case SQLITE_NOTADB:
		return err_set(err, -EMEDIUMTYPE, "%s: %s is not a book of assay, and stays as it is: give another "
			       "file with --book", doing, book->path);
	case SQLITE_CORRUPT:
		return err_set(err, -EUCLEAN,
			       "%s: the book %s is damaged: move it away, or see what sqlite3's .recover saves",
			       doing, book->path);
	default:
		return err_set(err, -EIO, "%s: the book %s: %s%s%s", doing, book->path, sqlite3_errmsg(book->db),
			       os ? ": " : "", os ? strerror(os) : "");
	}
}

static int bind(sqlite3_stmt *statement, int position, const struct cell *cell)
{
	switch (cell->type) {
	case CELL_WHOLE:
		return sqlite3_bind_int64(statement, position, cell->whole);
	case CELL_REAL:
		return isnan(cell->real) ? sqlite3_bind_null(statement, position)
					 : sqlite3_bind_double(statement, position, cell->real);
	case CELL_TEXT:
		return cell->bytes ? sqlite3_bind_text(statement, position, cell->bytes, -1, SQLITE_TRANSIENT)
				   : sqlite3_bind_null(statement, position);
	case CELL_BYTES:
		return sqlite3_bind_blob64(statement, position, cell->bytes, cell->length, SQLITE_TRANSIENT);
	}
	return SQLITE_MISUSE;
}

int sql_prepare(struct book *book, sqlite3_stmt **ret_statement, struct err *err, const char *sql,
		const struct cell *cells, size_t count)
{
	sqlite3_stmt *statement = NULL;
	int r = sqlite3_prepare_v2(book->db, sql, -1, &statement, NULL);

	for (size_t i = 0; r == SQLITE_OK && i < count; i++)
		r = bind(statement, (int)i + 1, &cells[i]);
	if (r != SQLITE_OK) {
		r = sql_fail(book, sqlite3_extended_errcode(book->db), err, "cannot use the book");
		sqlite3_finalize(statement);
		return r;
	}
	*ret_statement = statement;
	return 0;
}

int sql_step(struct book *book, sqlite3_stmt *statement, struct err *err)
{
	int r = sqlite3_step(statement);

	if (r == SQLITE_ROW)
		return 1;
	if (r == SQLITE_DONE)
		return 0;
	return sql_fail(book, sqlite3_extended_errcode(book->db), err,
			sqlite3_stmt_readonly(statement) ? "cannot read" : "cannot write");
}

int sql_do(struct book *book, struct err *err, const char *sql, const struct cell *cells, size_t count)
{
	auto_statement sqlite3_stmt *statement = NULL;
	int r = sql_prepare(book, &statement, err, sql, cells, count);

	while (r >= 0 && (r = sql_step(book, statement, err)) > 0)
		;
	return r;
}

int sql_whole(struct book *book, int64_t *ret_value, struct err *err, const char *sql, const struct cell *cells,
	      size_t count)
{
	auto_statement sqlite3_stmt *statement = NULL;
	int r = sql_prepare(book, &statement, err, sql, cells, count);

	if (r == 0)
		r = sql_step(book, statement, err);
	if (r > 0 && sqlite3_column_type(statement, 0) == SQLITE_NULL)
		r = 0;
	if (r > 0)
		*ret_value = sqlite3_column_int64(statement, 0);
	return r;
}

int sql_script(struct book *book, struct err *err, const char *sql)
{
	int r = sqlite3_exec(book->db, sql, NULL, NULL, NULL);

	return r == SQLITE_OK ? 0 : sql_fail(book, sqlite3_extended_errcode(book->db), err, "cannot use the book");
}

int sql_begin(struct book *book, bool write, struct err *err)
{
	if (write && !book->writable)
		return err_set(err, -EROFS, "the book %s is open for reading only", book->path);
	return sql_script(book, err, write ? "BEGIN IMMEDIATE" : "BEGIN");
}

int sql_end(struct book *book, int r, struct err *err)
{
	if (r >= 0) {
		int commit = sql_script(book, err, "COMMIT");
		r = commit < 0 ? commit : r;
	}
	/* Some errors have rolled back already (SQLITE_FULL, SQLITE_IOERR): sqlite.org/lang_transaction.html. */
	if (r < 0 && !sqlite3_get_autocommit(book->db))
		sqlite3_exec(book->db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

double sql_real(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
}

char *sql_text(sqlite3_stmt *statement, int column)
{
	return mem_copy((const char *)sqlite3_column_text(statement, column));
}

enum verdict sql_verdict(sqlite3_stmt *statement, int column)
{
	const char *name = (const char *)sqlite3_column_text(statement, column);
	enum verdict verdict = VERDICT_FAILED;

	if (name)
		verdict_parse(name, &verdict);
	return verdict;
}

void sql_finalize_ptr(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}
