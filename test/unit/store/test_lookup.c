#include "fixture.h"

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
	static const char *const refused[] = { "018df4", "latest",     "latest~1",
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
	must(book_rename_run(book, id[0], "12345", &err), &err);
	must(book_rename_run(book, id[0], "2026-12-01", &err), &err);
	must(book_rename_run(book, id[0], "badger", &err), &err);
	must(book_rename_run(book, id[0], "", &err), &err);
	must(book_rename_run(book, id[0], "", &err), &err);
	assert_unresolved(book, "badger", -ENOENT, "badger");
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
	const struct CMUnitTest tests[] = {
		TEST(batches_stay_for_the_newest_runs_only),
		TEST(runs_are_found_by_age_name_and_unique_beginning),
		TEST(removing_a_run_removes_all_of_it),
		TEST(names_are_unique_and_cannot_be_mistaken),
		TEST(the_list_shows_each_run_and_the_shortest_id_that_names_it),
		TEST(the_default_place_is_the_first_that_can_be_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
