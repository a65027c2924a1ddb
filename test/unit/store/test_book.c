#include "fixture.h"

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

int main(void)
{
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
		TEST(damage_inside_the_tables_is_an_error_or_a_gap_but_no_crash),
		TEST(overwritten_pages_are_an_error_and_no_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
