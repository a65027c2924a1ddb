/* Which run does the user mean? */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "store/book.h"
#include "store/sql.h"

static const char latest[] = "latest";

/* Whoever gives the beginning of an id gives at least this much of it; shorter numbers are fine as names. */
enum { ID_LIKE = 6 };

/* Hexadecimal digits with dashes only where a UUID has them: 2026-12-01 is a name. */
static bool begins_like_id(const char *name)
{
	for (size_t i = 0; name[i]; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (i >= 36 || (dash ? name[i] != '-' : !isxdigit((unsigned char)name[i])))
			return false;
	}
	return true;
}

int book_check_name(const char *name, struct err *err)
{
	size_t length = strlen(name);

	if (!length)
		return err_set(err, -EINVAL, "a run's name cannot be empty");
	if (length > 128)
		return err_set(err, -EINVAL, "a run's name has 128 bytes at most, and '%.40s…' has %zu", name, length);
	for (const char *s = name; *s; s++) {
		if (iscntrl((unsigned char)*s))
			return err_set(err, -EINVAL, "a run's name cannot have control characters");
	}
	if (isspace((unsigned char)name[0]) || isspace((unsigned char)name[length - 1]))
		return err_set(err, -EINVAL, "a run's name cannot begin or end with a blank");
	if (name[0] == '-')
		return err_set(err, -EINVAL, "a run's name cannot begin with '-': '%s' would be taken for an option",
			       name);
	if (!strncasecmp(name, latest, strlen(latest)) && (!name[6] || name[6] == '~'))
		return err_set(err, -EINVAL, "'%s' always means the latest runs, and cannot name one", name);
	if (length >= ID_LIKE && begins_like_id(name))
		return err_set(err, -EINVAL, "'%s' looks like the beginning of a run's id, and cannot name a run", name);
	return 0;
}

/* First column of the first row as an id: 1, 0 when there is no row, or a negative errno. */
static int find_id(struct book *book, char ret_id[37], struct err *err, const char *sql, const struct cell *cells,
		   size_t count)
{
	auto_statement sqlite3_stmt *statement = NULL;
	int r = sql_prepare(book, &statement, err, sql, cells, count);

	if (r == 0)
		r = sql_step(book, statement, err);
	if (r <= 0)
		return r;
	const char *id = (const char *)sqlite3_column_text(statement, 0);
	if (!id || strlen(id) > 36)
		return err_set(err, -EUCLEAN, "the book %s is damaged: a run's id is no UUID", book->path);
	strcpy(ret_id, id);
	return 1;
}

static int resolve_latest(struct book *book, const char *ref, char ret_id[37], struct err *err)
{
	uint64_t back = 0;
	int64_t runs = 0;
	const char *rest = ref + strlen(latest);

	if (*rest && parse_count(rest + 1, &back, NULL) < 0)
		return err_set(err, -EINVAL, "'%s' is no run: behind latest~ comes a number, as in latest~1", ref);
	int r = sql_whole(book, &runs, err, "SELECT count(*) FROM run", NULL, 0);
	if (r < 0)
		return r;
	if (!runs)
		return err_set(err, -ENOENT, "the book %s has no runs yet: `assay run` makes one", book->path);
	if (back >= (uint64_t)runs)
		return err_set(err, -ENOENT,
			       "there is no run %s: the book %s has %" PRId64 " (`assay runs` lists them)", ref,
			       book->path, runs);
	return find_id(book, ret_id, err, "SELECT id FROM run ORDER BY seq DESC LIMIT 1 OFFSET ?1", CELLS(WHOLE(back)));
}

/* Names a few of the runs that ref could mean. */
static int ambiguous(struct book *book, const char *ref, struct err *err)
{
	auto_statement sqlite3_stmt *statement = NULL;
	auto_text struct text ids = { 0 };
	int r = sql_prepare(book, &statement, err,
			    "SELECT id FROM run WHERE substr(id, 1, length(?1)) = lower(?1) ORDER BY seq DESC LIMIT 3",
			    CELLS(TEXT(ref)));

	while (r >= 0 && (r = sql_step(book, statement, err)) > 0)
		text_add(&ids, "%s%s", ids.length ? ", " : "", (const char *)sqlite3_column_text(statement, 0));
	if (r < 0)
		return r;
	return err_set(err, -ENOTUNIQ, "'%s' is the beginning of more than one run (%s): give more of the id, or see "
		       "`assay runs`", ref, text_get(&ids));
}

static int resolve_prefix(struct book *book, const char *ref, char ret_id[37], struct err *err)
{
	int64_t count = 0;
	int r = sql_whole(book, &count, err, "SELECT count(*) FROM run WHERE substr(id, 1, length(?1)) = lower(?1)",
			  CELLS(TEXT(ref)));

	if (r < 0)
		return r;
	if (count > 1)
		return ambiguous(book, ref, err);
	if (!count)
		return err_set(err, -ENOENT, "no run in the book %s has the name or id '%.60s': see `assay runs`",
			       book->path, ref);
	return find_id(book, ret_id, err, "SELECT id FROM run WHERE substr(id, 1, length(?1)) = lower(?1)",
		       CELLS(TEXT(ref)));
}

int book_resolve(struct book *book, const char *ref, char ret_id[37], struct err *err)
{
	if (!*ref)
		return err_set(err, -EINVAL, "an empty text names no run: see `assay runs`");
	if (!strncmp(ref, latest, strlen(latest)) && (!ref[6] || ref[6] == '~')) {
		int r = resolve_latest(book, ref, ret_id, err);
		return r < 0 ? r : 0;
	}
	/* A whole id cannot be a name; a name goes before an id that begins like it. */
	int r = find_id(book, ret_id, err, "SELECT id FROM run WHERE id = lower(?1) OR name = ?1", CELLS(TEXT(ref)));
	if (r == 0)
		r = resolve_prefix(book, ref, ret_id, err);
	return r < 0 ? r : 0;
}

int book_last_incomplete(struct book *book, char ret_id[37], struct err *err)
{
	int r = find_id(book, ret_id, err,
			"SELECT id FROM run WHERE NOT complete AND seq = (SELECT max(seq) FROM run)", NULL, 0);

	if (r == 0)
		return err_set(err, -ENOENT,
			       "the latest run in the book %s is complete: there is nothing to go on with", book->path);
	return r < 0 ? r : 0;
}
