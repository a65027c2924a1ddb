/* What the tests of the book share: a directory for each, runs in a book, and SQLite's own view of the file. */
#ifndef TEST_FIXTURE_H
#define TEST_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "../record/sample.h"
#include "base/text.h"
#include "store/book.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

/* Every test has a directory of its own, in which it also stands. */
static inline int enter(void **state)
{
	char *directory = mem_copy("/tmp/assay-book-XXXXXX");

	*state = directory;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static inline int leave(void **state)
{
	auto_free char *directory = *state;
	auto_free char *command = mem_text("chmod -R u+w '%s' && rm -r '%s'", directory, directory);

	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static inline struct book *opened(const char *path, unsigned flags)
{
	struct book *book = NULL;
	struct err err = { "" };

	if (book_open(path, flags, &book, &err) < 0)
		fail_msg("%s", err.text);
	return book;
}

static inline struct book *made(void)
{
	return opened("book.db", BOOK_WRITE | BOOK_CREATE);
}

static inline void must(int r, const struct err *err)
{
	if (r < 0)
		fail_msg("%d: %s", r, err->text);
}

/* As the run verb does: begin, one process at a time, finish. */
static inline void store(struct book *book, const struct run *run, bool finish)
{
	struct err err = { "" };
	struct run head = *run;

	head.points = 0;
	must(book_begin_run(book, &head, &err), &err);
	for (unsigned round = 0; round < 6; round++) {
		for (size_t i = 0; i < run->points; i++) {
			const struct point *point = &run->point[i];
			if (round < point->processes)
				must(book_add_process(book, run->id, point, &point->process[round], &err), &err);
		}
	}
	if (finish)
		must(book_finish_run(book, run, &err), &err);
}

/* A small run with one point, for tests that need many. */
static inline void small_run(struct run *run, const char *name)
{
	struct random random = { .state = 1 };

	sample_head(run);
	run->name = mem_copy(name);
	struct process process = sample_process(&random, 0, 4);
	point_add_process(sample_point(run, "ipc.pipe"), &process);
}

static inline void store_small(struct book *book, const char *name, char ret_id[37])
{
	struct run run;

	small_run(&run, name);
	if (ret_id)
		memcpy(ret_id, run.id, 37);
	store(book, &run, true);
	run_done(&run);
}

static inline int64_t answer(const char *path, const char *sql, char text[64])
{
	sqlite3 *db;
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	int r = sqlite3_step(statement);
	int64_t value = r == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
	if (text)
		snprintf(text, 64, "%s", r == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "none");
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return value;
}

static inline void assert_whole(const char *path)
{
	char text[64];

	answer(path, "PRAGMA integrity_check", text);
	assert_string_equal(text, "ok");
	assert_int_equal(answer(path, "SELECT count(*) FROM pragma_foreign_key_check", NULL), 0);
}

static inline char *contents(const char *path)
{
	struct text out = { 0 };
	char block[4096];
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while ((got = read(fd, block, sizeof block)) > 0)
		text_add(&out, "%zd:%08x ", got, (unsigned)block[got - 1]), text_bytes(&out, block, (size_t)got);
	close(fd);
	return text_take(&out);
}

static inline void put(const char *path, const void *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

static inline void assert_refused(const char *path, unsigned flags, int code, const char *words)
{
	struct book *book = NULL;
	struct err err = { "" };

	assert_int_equal(book_open(path, flags, &book, &err), code);
	assert_null(book);
	assert_non_null(strstr(err.text, path));
	if (!strstr(err.text, words))
		fail_msg("'%s' lacks '%s'", err.text, words);
	assert_null(strchr(err.text, '\n'));
}

#endif
