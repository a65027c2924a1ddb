#include "store/book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "store/schema.h"
#include "store/sql.h"

enum { BUSY_MS = 3000 };

static int make_parents(const char *path, struct err *err)
{
	auto_free char *above = mem_copy(path);

	for (char *cut = strchr(above + 1, '/'); cut; cut = strchr(cut + 1, '/')) {
		*cut = '\0';
		/* EEXIST may also be a file: then opening the book fails with ENOTDIR and says so. */
		if (mkdir(above, 0777) < 0 && errno != EEXIST && access(above, F_OK) < 0)
			return err_sys(err, -errno, "cannot make the directory %s for the book", above);
		*cut = '/';
	}
	return 0;
}

/* What SQLite would answer with "unable to open database file", or hang on, gets its own sentence. */
static int inspect(const char *path, unsigned flags, bool *ret_missing, struct err *err)
{
	struct stat info;

	if (stat(path, &info) < 0) {
		*ret_missing = errno == ENOENT;
		if (errno != ENOENT)
			return err_sys(err, -errno, "the book %s cannot be opened", path);
		if (flags & BOOK_CREATE)
			return 0;
		return err_set(err, -ENOENT, "there is no book at %s yet: `assay run` makes one", path);
	}
	*ret_missing = false;
	if (S_ISDIR(info.st_mode))
		return err_set(err, -EISDIR, "%s is a directory, and a book is a file: give one with --book", path);
	if (!S_ISREG(info.st_mode))
		return err_set(err, -EMEDIUMTYPE, "%s is not a regular file, as a book must be", path);
	if (access(path, R_OK) < 0)
		return err_sys(err, -errno, "the book %s cannot be read", path);
	if ((flags & BOOK_WRITE) && access(path, W_OK) < 0)
		return err_sys(err, -errno,
			       "the book %s cannot be written: change that, or give another one with --book", path);
	return 0;
}

/* "file:" URI, with everything but plain characters escaped: opened as a snapshot that nobody changes. */
static char *immutable_uri(const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	struct text uri = { 0 };

	text_add(&uri, "file:");
	for (const char *s = path; *s; s++)
		text_add(&uri, strchr(plain, *s) ? "%c" : "%%%02x", (unsigned char)*s);
	text_add(&uri, "?immutable=1");
	return text_take(&uri);
}

/* The file's first bytes are read here, so that a file that is no database fails now and not in mid-run. */
static int touch(struct book *book)
{
	return sqlite3_exec(book->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
}

static int open_file(struct book *book, const char *name, int flags, struct err *err)
{
	int r = sqlite3_open_v2(name, &book->db, flags | SQLITE_OPEN_FULLMUTEX, NULL);

	if (!book->db)
		return err_set(err, -ENOMEM, "no memory to open the book %s", book->path);
	sqlite3_extended_result_codes(book->db, 1);
	sqlite3_busy_timeout(book->db, BUSY_MS);
	/* A book from somewhere else must not run anything (sqlite.org/security.html). */
	sqlite3_db_config(book->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(book->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (r == SQLITE_OK)
		r = touch(book);
	return r == SQLITE_OK ? 0 : sql_fail(book, sqlite3_extended_errcode(book->db), err, "cannot open");
}

/* A book in write-ahead mode needs its -shm file even for reading, which a read-only directory refuses. When there is
 * no log either, nothing can be missed by reading the file as it is. */
static int open_reading(struct book *book, struct err *err)
{
	int r = open_file(book, book->path, SQLITE_OPEN_READONLY, err);
	struct stat info;

	if (r == 0 || r == -EMEDIUMTYPE)
		return r;
	auto_free char *log = mem_text("%s-wal", book->path);
	if (stat(log, &info) == 0 && info.st_size > 0)
		return r;
	auto_free char *uri = immutable_uri(book->path);
	sqlite3_close(book->db);
	book->db = NULL;
	return open_file(book, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
}

/* Write-ahead logging lets readers look while a run is written; network file systems cannot do it, and then the
 * rollback journal stays. Only memory is at stake in either answer, so it is not looked at. FULL syncs each commit
 * before it returns: nothing of it is left for the kernel to write while the next worker measures. */
static int configure(struct book *book, bool missing, struct err *err)
{
	bool empty = missing;
	int r = schema_check(book, &empty, err);

	if (r < 0)
		return r;
	if (empty && !book->writable)
		return err_set(err, -ENOENT, "the book %s is empty: `assay run` fills one", book->path);
	if (!book->writable)
		return 0;
	sqlite3_exec(book->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
	r = sql_script(book, err, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
	return r == 0 && empty ? schema_create(book, err) : r;
}

int book_open(const char *path, unsigned flags, struct book **ret_book, struct err *err)
{
	bool missing = false;

	if (!*path)
		return err_set(err, -EINVAL, "the name of the book is empty");
	struct book *book = mem_new(1, sizeof *book);
	/* SQLite gives names like ":memory:" and "file:…" a meaning; a path never begins like that. */
	book->path = *path == '/' || *path == '.' ? mem_copy(path) : mem_text("./%s", path);
	book->writable = flags & BOOK_WRITE;
	int r = inspect(book->path, flags, &missing, err);
	if (r == 0 && missing)
		r = make_parents(book->path, err);
	if (r == 0)
		r = book->writable ? open_file(book, book->path,
					       SQLITE_OPEN_READWRITE | (missing ? SQLITE_OPEN_CREATE : 0), err)
				   : open_reading(book, err);
	if (r == 0)
		r = configure(book, missing, err);
	if (r < 0) {
		book_close(book);
		return r;
	}
	*ret_book = book;
	return 0;
}

void book_close(struct book *book)
{
	if (!book)
		return;
	sqlite3_close(book->db);
	free(book->path);
	free(book);
}

const char *book_path(const struct book *book)
{
	return book->path;
}

void book_set_raw(struct book *book, enum book_raw raw)
{
	book->raw = raw;
}
