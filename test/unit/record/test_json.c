#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/text.h"
#include "record/json.h"
#include "sample.h"

static char *written(const struct run *run, bool pretty, unsigned flags)
{
	struct text out = { 0 };
	struct json json;

	json_init(&json, &out, pretty);
	run_write_json(run, &json, flags);
	return text_take(&out);
}

static void a_run_comes_back_as_it_was(void **state)
{
	(void)state;
	for (int pretty = 0; pretty < 2; pretty++) {
		struct run run, back = { 0 };
		struct err err = { "" };
		sample_run(&run, 50);
		auto_free char *text = written(&run, pretty, RUN_JSON_BATCHES);
		assert_int_equal(run_read_json(text, strlen(text), &back, &err), 0);
		assert_true(same_run(&run, &back, true));
		auto_free char *again = written(&back, pretty, RUN_JSON_BATCHES);
		assert_string_equal(text, again);
		run_done(&run);
		run_done(&back);
	}
}

static void batches_are_written_only_when_asked_for(void **state)
{
	struct run run, back = { 0 };

	(void)state;
	sample_run(&run, 50);
	auto_free char *text = written(&run, false, 0);
	assert_int_equal(run_read_json(text, strlen(text), &back, NULL), 0);
	assert_null(back.point[0].process[0].batch);
	assert_int_equal(back.point[0].process[0].batches, 50);
	assert_true(same_run(&run, &back, false));
	run_done(&run);
	run_done(&back);
}

static void an_empty_run_comes_back(void **state)
{
	struct run run = { .set = mem_copy("quick"), .method = mem_copy("1"), .version = mem_copy("0.1.0") };
	struct run back = { 0 };

	(void)state;
	uuid7_make(run.id, 1);
	auto_free char *text = written(&run, false, 0);
	assert_int_equal(run_read_json(text, strlen(text), &back, NULL), 0);
	assert_true(same_run(&run, &back, true));
	run_done(&run);
	run_done(&back);
}

static void what_was_not_measured_is_null(void **state)
{
	static const char *const nulls[] = { "\"samples\":null", "\"noise\":null", "\"min_cycles\":null", "\"n\":null" };
	struct run run;

	(void)state;
	sample_run(&run, 0);
	run.point[2].min_cycles = 0;
	struct process computed = { .location = 1 };
	point_add_process(&run.point[2], &computed);
	auto_text struct text out = { 0 };
	point_event(&run.point[2], &out, 0);
	for (size_t i = 0; i < countof(nulls); i++)
		assert_non_null(strstr(text_get(&out), nulls[i]));
	run_done(&run);
}

static void of_labels_with_one_key_the_last_holds(void **state)
{
	struct run run = { .set = mem_copy("quick"), .method = mem_copy("1"), .version = mem_copy("0.1.0") };
	static const char *const values[] = { "1", "2" };

	(void)state;
	for (size_t i = 0; i < countof(values); i++) {
		run.label = mem_grow(run.label, i + 1, sizeof *run.label);
		run.label[run.labels++] = (struct label){ mem_copy("a"), mem_copy(values[i]) };
	}
	auto_free char *text = written(&run, false, 0);
	assert_non_null(strstr(text, "\"labels\":{\"a\":\"2\"}"));
	run_done(&run);
}

static void bad_utf8_becomes_the_replacement_character(void **state)
{
	struct run run, back = { 0 };

	(void)state;
	sample_run(&run, 0);
	run.name = mem_copy("a\xff\xc0z");
	auto_free char *text = written(&run, false, 0);
	assert_int_equal(run_read_json(text, strlen(text), &back, NULL), 0);
	assert_string_equal(back.name, "a\xef\xbf\xbd\xef\xbf\xbdz");
	run_done(&run);
	run_done(&back);
}

static void an_event_is_one_line_even_with_a_machine_on_several(void **state)
{
	auto_text struct text out = { 0 };
	struct run run;

	(void)state;
	sample_run(&run, 3);
	free(run.machine);
	run.machine = mem_copy("{\n  \"hostname\": \"two\\nlines\"\r\n}\n");
	run_begin_event(&run, &out);
	point_event(&run.point[0], &out, RUN_JSON_BATCHES);
	run_end_event(&run, &out);
	size_t lines = 0;
	for (size_t i = 0; i < out.length; i++)
		lines += out.at[i] == '\n';
	assert_int_equal(lines, 3);
	assert_non_null(strstr(out.at, "\"hostname\": \"two\\nlines\""));
	assert_non_null(strstr(out.at, "{\"event\":\"point\",\"point\":{\"id\":\"mem.read/size=64k\""));
	run_done(&run);
}

static void times_are_rfc_3339_in_utc(void **state)
{
	char out[JSON_TIME];

	(void)state;
	assert_string_equal(json_time(out, 0), "1970-01-01T00:00:00.000Z");
	assert_string_equal(json_time(out, INT64_C(1709207999123)), "2024-02-29T11:59:59.123Z");
	assert_string_equal(json_time(out, INT64_MAX), "9999-12-31T23:59:59.999Z");
	assert_string_equal(json_time(out, INT64_MIN), "1970-01-01T00:00:00.000Z");
}

#define HEAD \
	"\"run\":{\"id\":\"018df4a0-0000-7000-8000-000000000000\",\"set\":\"quick\",\"method\":\"1\",\"version\":" \
	"\"1\""
#define POINT "{\"id\":\"a\",\"title\":\"t\",\"unit\":\"ns\",\"verdict\":\"ok\""

static void unknown_keys_are_ignored_and_missing_ones_are_not_measured(void **state)
{
	static const char text[] = "{\"schema\":\"assay.run/1\",\"future\":[{}]," HEAD
				   ",\"more\":1,\"started\":\"2024-02-29T12:59:59.5+01:00\"},\"points\":[" POINT
				   ",\"x\":{},\"processes\":[{\"outcome\":\"ok\",\"y\":0}]}]}";
	struct run run = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(run_read_json(text, strlen(text), &run, &err), 0);
	assert_int_equal(run.started_ms, INT64_C(1709207999500));
	assert_true(isnan(run.point[0].value));
	assert_true(isnan(run.point[0].process[0].quantile[20]));
	assert_int_equal(run.point[0].better, BETTER_LESS);
	assert_int_equal(run.point[0].process[0].cpu, -1);
	run_done(&run);
}

static void a_mistake_is_told_with_its_key(void **state)
{
	static const struct {
		const char *text, *sentence;
		int code;
	} rows[] = {
		{ "", "not JSON: line 1", -EINVAL },
		{ "[1,2", "not JSON: line 1", -EINVAL },
		{ "[]", "document: expected an object", -EINVAL },
		{ "{}", "schema: expected \"assay.run/1\", found none", -EINVAL },
		{ "{\"schema\":\"assay.run/2\"}", "schema: expected \"assay.run/1\", found \"assay.run/2\"",
		  -EPROTONOSUPPORT },
		{ "{\"schema\":\"assay.run/1\"}", "run.id: expected a UUID", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "}}", "points: expected an array", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD ",\"seed\":-1},\"points\":[]}",
		  "run.seed: expected a whole number", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD ",\"rounds\":4294967296},\"points\":[]}",
		  "run.rounds: expected a smaller number", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD ",\"started\":\"yesterday, at about noon\"},\"points\":[]}",
		  "run.started: expected a time", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "},\"points\":[0]}", "points[0].id: expected text", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "},\"points\":[" POINT ",\"value\":\"1\"}]}",
		  "points[0].value: expected a number or null", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "},\"points\":[" POINT ",\"verdict\":\"fine\"}]}",
		  "points[0].verdict: expected ok, noisy", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "},\"points\":[" POINT "}," POINT
		  ",\"processes\":[{\"outcome\":\"ok\",\"n\":1.5}]}]}",
		  "points[1].processes[0].n: expected a whole number", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "},\"points\":[" POINT
		  ",\"processes\":[{\"outcome\":\"ok\",\"quantiles\":[1]}]}]}",
		  "points[0].processes[0].quantiles: expected 21 numbers", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "},\"points\":[" POINT
		  ",\"processes\":[{\"outcome\":\"ok\",\"batches\":1000000000000,\"batch\":[1]}]}]}",
		  "points[0].processes[0].batch: expected as many", -EINVAL },
		{ "{\"schema\":\"assay.run/1\"," HEAD "},\"conditions\":[{\"id\":\"a\"}],\"points\":[]}",
		  "conditions[0].verdict: expected", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct run run = { 0 };
		struct err err = { "" };
		assert_int_equal(run_read_json(rows[i].text, strlen(rows[i].text), &run, &err), rows[i].code);
		assert_int_equal(strncmp(err.text, rows[i].sentence, strlen(rows[i].sentence)), 0);
		assert_int_equal(run.points, 0);
		assert_int_equal(run_read_json(rows[i].text, strlen(rows[i].text), &run, NULL), rows[i].code);
	}
}

/* Every cut and many single-byte changes of a real document: it is read or refused, and memory checkers watch. */
static void damaged_documents_never_crash_the_reader(void **state)
{
	struct random random = { .state = 3 };
	struct run run;

	(void)state;
	sample_run(&run, 2);
	auto_free char *text = written(&run, false, RUN_JSON_BATCHES);
	size_t length = strlen(text);
	run_done(&run);
	for (size_t i = 0; i < 2000; i++) {
		struct run back = { 0 };
		auto_free char *copy = mem_copy(text);
		copy[random_below(&random, length)] = (char)random_below(&random, 256);
		size_t cut = i % 2 ? length : random_below(&random, length);
		int r = run_read_json(copy, cut, &back, NULL);
		assert_true(r == 0 || r == -EINVAL || r == -EPROTONOSUPPORT);
		run_done(&back);
	}
}

static void deep_nesting_is_refused(void **state)
{
	size_t depth = 100000;
	auto_free char *text = mem_new(depth, 1);
	struct run run = { 0 };

	(void)state;
	memset(text, '[', depth);
	assert_int_equal(run_read_json(text, depth, &run, NULL), -EINVAL);
}

static void ids_are_version_7_and_sort_by_time(void **state)
{
	char a[37], b[37], c[37];

	(void)state;
	uuid7_make(a, 0x0123456789ab);
	uuid7_make(b, 0x0123456789ab);
	uuid7_make(c, 0x0123456789ac);
	assert_int_equal(strlen(a), 36);
	assert_memory_equal(a, "01234567-89ab-7", 15);
	assert_non_null(strchr("89ab", a[19]));
	assert_string_not_equal(a, b);
	assert_true(strcmp(a, c) < 0 && strcmp(b, c) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_comes_back_as_it_was),
		cmocka_unit_test(batches_are_written_only_when_asked_for),
		cmocka_unit_test(an_empty_run_comes_back),
		cmocka_unit_test(what_was_not_measured_is_null),
		cmocka_unit_test(of_labels_with_one_key_the_last_holds),
		cmocka_unit_test(bad_utf8_becomes_the_replacement_character),
		cmocka_unit_test(an_event_is_one_line_even_with_a_machine_on_several),
		cmocka_unit_test(times_are_rfc_3339_in_utc),
		cmocka_unit_test(unknown_keys_are_ignored_and_missing_ones_are_not_measured),
		cmocka_unit_test(a_mistake_is_told_with_its_key),
		cmocka_unit_test(damaged_documents_never_crash_the_reader),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(ids_are_version_7_and_sort_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
