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

/* Every test has a directory of its own, in which it also stands. */
static int enter(void **state)
{
	char *directory = mem_copy("/tmp/assay-book-XXXXXX");

	*state = directory;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	auto_free char *directory = *state;
	auto_free char *command = mem_text("chmod -R u+w '%s' && rm -r '%s'", directory, directory);

	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static struct book *opened(const char *path, unsigned flags)
{
	struct book *book = NULL;
	struct err err = { "" };

	if (book_open(path, flags, &book, &err) < 0)
		fail_msg("%s", err.text);
	return book;
}

static struct book *made(void)
{
	return opened("book.db", BOOK_WRITE | BOOK_CREATE);
}

static void must(int r, const struct err *err)
{
	if (r < 0)
		fail_msg("%d: %s", r, err->text);
}

/* As the run verb does: begin, one process at a time, finish. */
static void store(struct book *book, const struct run *run, bool finish)
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
static void small_run(struct run *run, const char *name)
{
	struct random random = { .state = 1 };

	sample_head(run);
	run->name = mem_copy(name);
	struct process process = sample_process(&random, 0, 4);
	point_add_process(sample_point(run, "ipc.pipe"), &process);
}

static void store_small(struct book *book, const char *name, char ret_id[37])
{
	struct run run;

	small_run(&run, name);
	if (ret_id)
		memcpy(ret_id, run.id, 37);
	store(book, &run, true);
	run_done(&run);
}

static int64_t answer(const char *path, const char *sql, char text[64])
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

static void assert_whole(const char *path)
{
	char text[64];

	answer(path, "PRAGMA integrity_check", text);
	assert_string_equal(text, "ok");
	assert_int_equal(answer(path, "SELECT count(*) FROM pragma_foreign_key_check", NULL), 0);
}

static char *contents(const char *path)
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

static void put(const char *path, const void *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

static void assert_refused(const char *path, unsigned flags, int code, const char *words)
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

static void a_run_comes_back_as_it_was(void **state)
{
	struct run run, back = { 0 };
	struct err err = { "" };

	(void)state;
	sample_run(&run, 500);
	run.name = mem_copy("odd name '; DROP TABLE run; --");
	struct book *book = made();
	store(book, &run, true);
	book_close(book);
	book = opened("book.db", 0);
	must(book_load_run(book, run.id, BOOK_LOAD_BATCHES, &back, &err), &err);
	assert_true(same_run(&run, &back, true));
	run_done(&back);
	must(book_load_run(book, run.id, 0, &back, &err), &err);
	assert_true(same_run(&run, &back, false));
	assert_null(back.point[0].process[0].batch);
	assert_int_equal(back.point[0].process[0].batches, 500);
	run_done(&back);
	run_done(&run);
	book_close(book);
	assert_whole("book.db");
}

static void a_curve_is_stored_in_one_piece(void **state)
{
	struct err err = { "" };
	struct run run, back = { 0 };

	(void)state;
	sample_run(&run, 5);
	struct book *book = made();
	struct run head = run;
	head.points = 0;
	must(book_begin_run(book, &head, &err), &err);
	struct book_entry entries[] = { { &run.point[0], &run.point[0].process[0] },
					{ &run.point[1], &run.point[1].process[0] } };
	must(book_add_processes(book, run.id, entries, 2, &err), &err);
	/* A point without a unit is refused by the table: the one before it in the same call must not stay either. */
	struct point bad = { .id = (char *)"bad" };
	entries[1].point = &bad;
	entries[0].process = &run.point[0].process[1];
	assert_true(book_add_processes(book, run.id, entries, 2, &err) < 0);
	must(book_load_run(book, run.id, 0, &back, &err), &err);
	assert_int_equal(back.points, 2);
	assert_int_equal(back.point[0].processes, 1);
	run_done(&back);
	run_done(&run);
	book_close(book);
}

static void a_cut_short_run_loads_without_claims(void **state)
{
	struct err err = { "" };
	struct run run, back = { 0 };
	char id[37];

	(void)state;
	sample_run(&run, 5);
	struct book *book = made();
	store(book, &run, false);
	must(book_last_incomplete(book, id, &err), &err);
	assert_string_equal(id, run.id);
	must(book_load_run(book, id, BOOK_LOAD_BATCHES, &back, &err), &err);
	assert_false(back.complete);
	assert_int_equal(back.points, 2);
	assert_true(isnan(back.point[0].value) && isnan(back.point[0].low));
	assert_int_equal(back.point[0].verdict, VERDICT_SKIPPED);
	assert_non_null(back.point[0].reason);
	for (int i = 0; i < 6; i++)
		assert_true(same_process(&run.point[0].process[i], &back.point[0].process[i], true));
	must(book_finish_run(book, &run, &err), &err);
	assert_int_equal(book_last_incomplete(book, id, &err), -ENOENT);
	run_done(&back);
	run_done(&run);
	book_close(book);
}

static void finishing_adds_what_the_book_lacks(void **state)
{
	struct err err = { "" };
	struct run run, back = { 0 };

	(void)state;
	sample_run(&run, 5);
	struct run head = run;
	head.points = 0;
	struct book *book = made();
	must(book_begin_run(book, &head, &err), &err);
	must(book_add_process(book, run.id, &run.point[0], &run.point[0].process[2], &err), &err);
	must(book_finish_run(book, &run, &err), &err);
	must(book_finish_run(book, &run, &err), &err);
	must(book_load_run(book, run.id, BOOK_LOAD_BATCHES, &back, &err), &err);
	assert_true(same_run(&run, &back, true));
	run_done(&back);
	run_done(&run);
	book_close(book);
}

/* The child writes for ever and tells through a pipe what was committed; it is killed in the middle of it. */
static void write_for_ever(int out, char id[37])
{
	struct random random = { .state = 5 };
	struct run run;
	struct err err = { "" };
	struct book *book = NULL;

	small_run(&run, NULL);
	run.point[0].processes = 0;
	memcpy(run.id, id, 37);
	if (book_open("book.db", BOOK_WRITE | BOOK_CREATE, &book, &err) < 0 || book_begin_run(book, &run, &err) < 0)
		_exit(1);
	for (unsigned round = 0;; round++) {
		struct process process = sample_process(&random, round, 2000);
		if (book_add_process(book, id, &run.point[0], &process, &err) < 0 ||
		    write(out, &round, sizeof round) != sizeof round)
			_exit(1);
	}
}

static void a_killed_writer_loses_nothing_it_committed(void **state)
{
	struct err err = { "" };
	unsigned round = 0, last = 0;

	(void)state;
	for (unsigned kill_at = 1; kill_at <= 16; kill_at *= 4) {
		struct run back = { 0 };
		int ends[2], status;
		char id[37];
		uuid7_make(id, 1709207999123);
		assert_int_equal(pipe(ends), 0);
		pid_t child = fork();
		if (child == 0) {
			close(ends[0]);
			write_for_ever(ends[1], id);
		}
		close(ends[1]);
		while (read(ends[0], &round, sizeof round) == sizeof round) {
			last = round;
			if (round == kill_at)
				kill(child, SIGKILL);
		}
		close(ends[0]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		struct book *book = opened("book.db", 0);
		must(book_load_run(book, id, BOOK_LOAD_BATCHES, &back, &err), &err);
		book_close(book);
		assert_false(back.complete);
		assert_true(back.point[0].processes > last);
		for (size_t i = 0; i < back.point[0].processes; i++) {
			assert_int_equal(back.point[0].process[i].round, i);
			assert_non_null(back.point[0].process[i].batch);
		}
		run_done(&back);
		assert_whole("book.db");
	}
}

static void what_is_no_book_is_refused_and_left_alone(void **state)
{
	static const char junk[5000] = "These bytes are nobody's database, and must still be there afterwards.";
	sqlite3 *db;

	(void)state;
	put("junk", junk, sizeof junk);
	assert_int_equal(sqlite3_open("other.db", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE run (id); INSERT INTO run VALUES (1)", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	auto_free char *junk_before = contents("junk");
	auto_free char *other_before = contents("other.db");
	for (unsigned write = 0; write < 2; write++) {
		unsigned flags = write ? BOOK_WRITE | BOOK_CREATE : 0;
		assert_refused("junk", flags, -EMEDIUMTYPE, "--book");
		assert_refused("other.db", flags, -EMEDIUMTYPE, "database of another program");
	}
	auto_free char *junk_after = contents("junk");
	auto_free char *other_after = contents("other.db");
	assert_string_equal(junk_before, junk_after);
	assert_string_equal(other_before, other_after);
	assert_int_equal(access("other.db-wal", F_OK), -1);
}

static void a_newer_book_is_refused_with_the_remedy(void **state)
{
	(void)state;
	book_close(made());
	answer("book.db", "PRAGMA user_version = 2", NULL);
	assert_refused("book.db", BOOK_WRITE | BOOK_CREATE, -EPROTONOSUPPORT, "update assay");
	assert_refused("book.db", 0, -EPROTONOSUPPORT, "update assay");
	assert_int_equal(answer("book.db", "PRAGMA user_version", NULL), 2);
}

static void a_place_that_cannot_hold_a_book_is_told(void **state)
{
	struct book *book = NULL;
	struct err err = { "" };

	(void)state;
	mkdir("directory", 0755);
	assert_refused("directory", BOOK_WRITE | BOOK_CREATE, -EISDIR, "is a directory");
	assert_refused("directory", 0, -EISDIR, "is a directory");
	mkfifo("fifo", 0600);
	assert_refused("fifo", 0, -EMEDIUMTYPE, "not a regular file");
	put("file", "", 0);
	assert_refused("file/book.db", BOOK_WRITE | BOOK_CREATE, -ENOTDIR, "Not a directory");
	assert_refused("missing.db", 0, -ENOENT, "assay run");
	assert_refused("file", 0, -ENOENT, "is empty");
	assert_int_equal(book_open("", 0, &book, &err), -EINVAL);
}

static void names_that_sqlite_would_interpret_are_files(void **state)
{
	static const char *const names[] = { ":memory:", "file:x?mode=memory", "empty-before",
					     "new/parents/of it/book" };

	(void)state;
	put("empty-before", "", 0);
	for (size_t i = 0; i < countof(names); i++) {
		struct stat info;
		book_close(opened(names[i], BOOK_WRITE | BOOK_CREATE));
		assert_int_equal(stat(names[i], &info), 0);
		assert_true(info.st_size > 0);
		book_close(opened(names[i], 0));
	}
}

/* root may write what is read-only, so the child gives that up first. */
static void a_read_only_book_can_be_read_and_says_that_it_cannot_be_written(void **state)
{
	struct err err = { "" };
	char id[37];
	int status;

	struct book *book = made();
	store_small(book, "one", id);
	book_close(book);
	assert_int_equal(chmod("book.db", 0444), 0);
	assert_int_equal(chmod(*state, 0555), 0);
	pid_t child = fork();
	if (child == 0) {
		struct run back = { 0 };
		if (getuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(1);
		if (book_open("book.db", BOOK_WRITE | BOOK_CREATE, &book, &err) != -EACCES ||
		    !strstr(err.text, "book.db"))
			_exit(2);
		if (book_open("book.db", 0, &book, &err) < 0 ||
		    book_load_run(book, id, BOOK_LOAD_BATCHES, &back, &err) < 0)
			_exit(3);
		if (!same_text(back.name, "one") || !back.point[0].process[0].batch)
			_exit(4);
		if (book_remove_run(book, id, &err) != -EROFS)
			_exit(5);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(WIFEXITED(status));
}

static void a_full_disk_is_told_and_the_book_stays_whole(void **state)
{
	struct random random = { .state = 1 };
	struct rlimit limit = { 0 };
	struct err err = { "" };
	struct run run, back = { 0 };
	unsigned round = 0;
	int r = 0;

	(void)state;
	sample_head(&run);
	struct point *point = sample_point(&run, "ipc.pipe");
	struct book *book = made();
	must(book_begin_run(book, &run, &err), &err);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	rlim_t before = limit.rlim_cur;
	limit.rlim_cur = 300 << 10;
	setrlimit(RLIMIT_FSIZE, &limit);
	for (; r == 0 && round < 1000; round++) {
		struct process process = sample_process(&random, round, 2000);
		r = book_add_process(book, run.id, point, &process, &err);
		process_done(&process);
	}
	assert_int_equal(r, -ENOSPC);
	assert_non_null(strstr(err.text, "no room is left for the book"));
	limit.rlim_cur = before;
	setrlimit(RLIMIT_FSIZE, &limit);
	/* With room again, the same handle goes on. */
	struct process process = sample_process(&random, 2000, 2000);
	must(book_add_process(book, run.id, point, &process, &err), &err);
	process_done(&process);
	must(book_load_run(book, run.id, BOOK_LOAD_BATCHES, &back, &err), &err);
	assert_int_equal(back.point[0].processes, round);
	run_done(&back);
	run_done(&run);
	book_close(book);
	assert_whole("book.db");
}

static void two_writers_at_once_both_get_through(void **state)
{
	enum { EACH = 15 };
	pid_t child[2];
	int status;

	(void)state;
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		if (child[i])
			continue;
		struct book *book = NULL;
		struct err err = { "" };
		int r = book_open("book.db", BOOK_WRITE | BOOK_CREATE, &book, &err);
		for (int k = 0; r == 0 && k < EACH; k++) {
			struct run run;
			small_run(&run, NULL);
			r = book_begin_run(book, &run, &err);
			if (r == 0)
				r = book_finish_run(book, &run, &err);
			run_done(&run);
		}
		if (r < 0)
			fprintf(stderr, "%s\n", err.text);
		book_close(book);
		_exit(r < 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	assert_int_equal(answer("book.db", "SELECT count(*) FROM run WHERE complete", NULL), 2 * EACH);
	assert_whole("book.db");
}

static void a_book_that_another_program_holds_is_told_as_such(void **state)
{
	struct err err = { "" };
	struct run run;
	sqlite3 *db;

	(void)state;
	small_run(&run, NULL);
	struct book *book = made();
	assert_int_equal(sqlite3_open("book.db", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(book_begin_run(book, &run, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another program holds the book"));
	sqlite3_close(db);
	must(book_begin_run(book, &run, &err), &err);
	run_done(&run);
	book_close(book);
}

static void a_reader_sees_what_is_committed_while_a_run_is_written(void **state)
{
	struct err err = { "" };
	struct run run, back = { 0 };

	(void)state;
	sample_run(&run, 5);
	struct book *writer = made();
	store(writer, &run, false);
	struct book *reader = opened("book.db", 0);
	must(book_load_run(reader, run.id, 0, &back, &err), &err);
	assert_int_equal(back.point[0].processes, 6);
	run_done(&back);
	must(book_finish_run(writer, &run, &err), &err);
	must(book_load_run(reader, run.id, 0, &back, &err), &err);
	assert_true(back.complete);
	run_done(&back);
	run_done(&run);
	book_close(reader);
	book_close(writer);
}

static int64_t runs_with_batches(void)
{
	return answer("book.db",
		      "SELECT count(DISTINCT run) FROM batch JOIN process ON process.key = process"
		      " JOIN point ON point.key = point",
		      NULL);
}

static void batches_stay_for_the_newest_runs_only(void **state)
{
	struct err err = { "" };
	struct run back = { 0 };
	char first[37], kept[37];

	(void)state;
	struct book *book = made();
	store_small(book, NULL, first);
	book_set_raw(book, BOOK_RAW_KEEP);
	store_small(book, NULL, kept);
	book_set_raw(book, BOOK_RAW_RECENT);
	for (int i = 0; i < BOOK_RAW_RUNS - 2; i++)
		store_small(book, NULL, NULL);
	assert_int_equal(runs_with_batches(), BOOK_RAW_RUNS);
	for (int i = 0; i < 2; i++)
		store_small(book, NULL, NULL);
	assert_int_equal(runs_with_batches(), BOOK_RAW_RUNS + 1);
	must(book_load_run(book, first, BOOK_LOAD_BATCHES, &back, &err), &err);
	assert_null(back.point[0].process[0].batch);
	assert_int_equal(back.point[0].process[0].batches, 4);
	assert_false(isnan(back.point[0].process[0].quantile[10]));
	run_done(&back);
	must(book_load_run(book, kept, BOOK_LOAD_BATCHES, &back, &err), &err);
	assert_non_null(back.point[0].process[0].batch);
	run_done(&back);
	book_set_raw(book, BOOK_RAW_DROP);
	store_small(book, NULL, first);
	must(book_load_run(book, first, BOOK_LOAD_BATCHES, &back, &err), &err);
	assert_null(back.point[0].process[0].batch);
	run_done(&back);
	book_close(book);
}

static void assert_resolves(struct book *book, const char *ref, const char *id)
{
	struct err err = { "" };
	char found[37];

	must(book_resolve(book, ref, found, &err), &err);
	assert_string_equal(found, id);
}

static void assert_unresolved(struct book *book, const char *ref, int code, const char *words)
{
	struct err err = { "" };
	char found[37];

	assert_int_equal(book_resolve(book, ref, found, &err), code);
	if (!strstr(err.text, words))
		fail_msg("'%s' lacks '%s'", err.text, words);
}

static void runs_are_found_by_age_name_and_unique_beginning(void **state)
{
	struct err err = { "" };
	char id[3][37], prefix[37];

	(void)state;
	struct book *book = made();
	assert_unresolved(book, "latest", -ENOENT, "assay run");
	store_small(book, "oldest", id[0]);
	store_small(book, "018df", id[1]); /* as the ids begin: the name wins */
	store_small(book, NULL, id[2]);
	assert_resolves(book, "latest", id[2]);
	assert_resolves(book, "latest~0", id[2]);
	assert_resolves(book, "latest~2", id[0]);
	assert_unresolved(book, "latest~3", -ENOENT, "has 3");
	assert_unresolved(book, "latest~", -EINVAL, "latest~1");
	assert_unresolved(book, "latest~99999999999999999999", -EINVAL, "number");
	assert_unresolved(book, "latest~18446744073709551615", -ENOENT, "assay runs");
	assert_resolves(book, "oldest", id[0]);
	assert_resolves(book, "018df", id[1]);
	assert_resolves(book, id[1], id[1]);
	for (char *s = strcpy(prefix, id[1]); *s; s++)
		*s = (char)(*s >= 'a' && *s <= 'f' ? *s - 'a' + 'A' : *s);
	prefix[35] = '\0';
	assert_resolves(book, prefix, id[1]);
	assert_unresolved(book, "018d", -ENOTUNIQ, id[2]);
	assert_unresolved(book, "018d", -ENOTUNIQ, "assay runs");
	assert_unresolved(book, "", -EINVAL, "assay runs");
	assert_unresolved(book, "%", -ENOENT, "assay runs");
	assert_unresolved(book, "0_8", -ENOENT, "assay runs");
	assert_unresolved(book, "oldes", -ENOENT, "'oldes'");
	must(book_remove_run(book, id[2], &err), &err);
	assert_resolves(book, "latest", id[1]);
	assert_int_equal(book_remove_run(book, id[2], &err), -ENOENT);
	book_close(book);
	assert_whole("book.db");
}

static void removing_a_run_removes_all_of_it(void **state)
{
	static const char *const tables[] = { "run", "machine", "label", "run_condition", "point", "source", "process",
					      "process_condition", "batch" };
	struct err err = { "" };
	struct run run;

	(void)state;
	sample_run(&run, 5);
	struct book *book = made();
	store(book, &run, true);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < countof(tables); i++) {
			auto_free char *sql = mem_text("SELECT count(*) > 0 FROM %s", tables[i]);
			assert_int_equal(answer("book.db", sql, NULL), pass == 0);
		}
		if (pass == 0)
			must(book_remove_run(book, run.id, &err), &err);
	}
	run_done(&run);
	book_close(book);
}

static void names_are_unique_and_cannot_be_mistaken(void **state)
{
	static const char *const refused[] = { "",	 "latest",     "latest~1",
					       "Latest", "two\nlines", "\x1b[2J",
					       " blank", "-x",	       "018df4a0-0000-7000-8000-000000000000" };
	struct err err = { "" };
	struct run run;
	char id[2][37];

	(void)state;
	struct book *book = made();
	store_small(book, "a", id[0]);
	store_small(book, "b", id[1]);
	for (size_t i = 0; i < countof(refused); i++)
		assert_int_equal(book_rename_run(book, id[0], refused[i], &err), -EINVAL);
	assert_int_equal(book_rename_run(book, id[0], "b", &err), -EEXIST);
	must(book_rename_run(book, id[0], "a", &err), &err);
	must(book_rename_run(book, id[0], "nach der Änderung", &err), &err);
	assert_resolves(book, "nach der Änderung", id[0]);
	must(book_rename_run(book, id[1], "a", &err), &err);
	assert_int_equal(book_rename_run(book, "no such id", "c", &err), -ENOENT);
	small_run(&run, "a");
	assert_int_equal(book_begin_run(book, &run, &err), -EEXIST);
	assert_non_null(strstr(err.text, "assay rename"));
	run_done(&run);
	book_close(book);
}

static void the_list_shows_each_run_and_the_shortest_id_that_names_it(void **state)
{
	struct err err = { "" };
	struct book_list list = { 0 };
	struct run run;

	(void)state;
	struct book *book = made();
	must(book_list_runs(book, &list, &err), &err);
	assert_int_equal(list.rows, 0);
	book_list_done(&list);
	sample_run(&run, 5);
	store(book, &run, true);
	for (int i = 0; i < 5; i++)
		store_small(book, i ? NULL : "named", NULL);
	must(book_list_runs(book, &list, &err), &err);
	assert_int_equal(list.rows, 6);
	assert_string_equal(list.row[5].id, run.id);
	assert_string_equal(list.row[5].hostname, "host");
	assert_int_equal(list.row[5].points, 4);
	assert_int_equal(list.row[5].verdict[VERDICT_NOISY], 3);
	assert_int_equal(list.row[5].verdict[VERDICT_SKIPPED], 1);
	assert_string_equal(list.row[4].name, "named");
	for (size_t i = 0; i < list.rows; i++) {
		auto_free char *prefix = mem_text("%.*s", list.row[i].short_length, list.row[i].id);
		assert_resolves(book, prefix, list.row[i].id);
	}
	book_list_done(&list);
	run_done(&run);
	book_close(book);
}

static void damage_inside_the_tables_is_an_error_or_a_gap_but_no_crash(void **state)
{
	static const char *const damages[] = {
		"UPDATE batch SET data = x'00'",
		"UPDATE process SET batches = 4611686018427387904",
		"UPDATE process SET batches = -1",
		"UPDATE process SET quantiles = x'1234'",
		"UPDATE process SET outcome = 'fine', quantiles = NULL",
		"UPDATE point SET better = 'up', verdict = 'fine', confidence = NULL",
		"UPDATE run SET options = '{', started_ms = 9223372036854775807, rounds = -1",
		"UPDATE machine SET document = 'not JSON'",
	};
	struct err err = { "" };

	(void)state;
	for (size_t i = 0; i < countof(damages); i++) {
		struct run back = { 0 };
		char id[37];
		struct book *book = made();
		store_small(book, NULL, id);
		answer("book.db", damages[i], NULL);
		int r = book_load_run(book, id, BOOK_LOAD_BATCHES, &back, &err);
		assert_int_equal(r, i < 3 ? -EUCLEAN : 0);
		if (i >= 6)
			assert_true(!back.options || !back.machine);
		run_done(&back);
		must(book_remove_run(book, id, &err), &err);
		book_close(book);
	}
}

static void overwritten_pages_are_an_error_and_no_crash(void **state)
{
	struct random random = { .state = 11 };
	struct run run;
	struct stat info;

	(void)state;
	sample_run(&run, 500);
	for (int i = 0; i < 60; i++) {
		struct book *book = made();
		struct run back = { 0 };
		struct err err = { "" };
		store(book, &run, true);
		book_close(book);
		assert_int_equal(stat("book.db", &info), 0);
		int fd = open("book.db", O_WRONLY | O_CLOEXEC);
		for (int k = 0; k < 40; k++) {
			uint64_t bytes = random_next(&random);
			off_t at = 100 + (off_t)random_below(&random, (uint64_t)info.st_size - 200);
			assert_int_equal(pwrite(fd, &bytes, sizeof bytes, at), sizeof bytes);
		}
		close(fd);
		int r = book_open("book.db", 0, &book, &err);
		if (r == 0) {
			r = book_load_run(book, run.id, BOOK_LOAD_BATCHES, &back, &err);
			run_done(&back);
			book_close(book);
		}
		if (r < 0)
			assert_true(err.text[0]);
		assert_int_equal(unlink("book.db"), 0);
	}
	run_done(&run);
}

static void assert_default(bool for_writing, const char *path, bool notice)
{
	auto_free char *found = NULL;
	auto_free char *words = NULL;

	book_default_path(NULL, for_writing, &found, &words);
	assert_string_equal(found, path);
	assert_int_equal(words != NULL, notice);
}

static void the_default_place_is_the_first_that_can_be_used(void **state)
{
	auto_free char *data = mem_text("%s/data", (char *)*state);
	auto_free char *home = mem_text("%s/home", (char *)*state);
	auto_free char *in_data = mem_text("%s/assay/book.db", data);
	auto_free char *in_home = mem_text("%s/.local/share/assay/book.db", home);
	auto_free char *option = NULL;
	auto_free char *notice = NULL;

	mkdir("home", 0755);
	setenv("HOME", home, 1);
	setenv("XDG_DATA_HOME", data, 1);
	setenv("ASSAY_BOOK", "elsewhere.db", 1);
	book_default_path("option.db", true, &option, &notice);
	assert_string_equal(option, "option.db");
	assert_null(notice);
	assert_default(true, "elsewhere.db", false);
	setenv("ASSAY_BOOK", "", 1);
	assert_default(true, in_data, false);
	put("data", "", 0); /* a file where the directory should be */
	assert_default(true, in_home, false);
	setenv("XDG_DATA_HOME", "relative/ignored", 1);
	assert_default(true, in_home, false);
	setenv("HOME", "/nonexistent", 1);
	assert_default(true, "./assay.db", true);
	unsetenv("HOME");
	assert_default(true, "./assay.db", true);
	assert_default(false, "./assay.db", true);
	unsetenv("XDG_DATA_HOME");
	unsetenv("ASSAY_BOOK");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(a_run_comes_back_as_it_was),
		TEST(a_curve_is_stored_in_one_piece),
		TEST(a_cut_short_run_loads_without_claims),
		TEST(finishing_adds_what_the_book_lacks),
		TEST(a_killed_writer_loses_nothing_it_committed),
		TEST(what_is_no_book_is_refused_and_left_alone),
		TEST(a_newer_book_is_refused_with_the_remedy),
		TEST(a_place_that_cannot_hold_a_book_is_told),
		TEST(names_that_sqlite_would_interpret_are_files),
		TEST(a_read_only_book_can_be_read_and_says_that_it_cannot_be_written),
		TEST(a_full_disk_is_told_and_the_book_stays_whole),
		TEST(two_writers_at_once_both_get_through),
		TEST(a_book_that_another_program_holds_is_told_as_such),
		TEST(a_reader_sees_what_is_committed_while_a_run_is_written),
		TEST(batches_stay_for_the_newest_runs_only),
		TEST(runs_are_found_by_age_name_and_unique_beginning),
		TEST(removing_a_run_removes_all_of_it),
		TEST(names_are_unique_and_cannot_be_mistaken),
		TEST(the_list_shows_each_run_and_the_shortest_id_that_names_it),
		TEST(damage_inside_the_tables_is_an_error_or_a_gap_but_no_crash),
		TEST(overwritten_pages_are_an_error_and_no_crash),
		TEST(the_default_place_is_the_first_that_can_be_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
