/* What a run was asked for survives being written, so that resuming asks for the same. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cmd/run_request.h"

static void what_was_asked_for_is_read_back(void **state)
{
	static const char *selectors[] = { "mem.latency:random/size=4m", "cpu", "with \"quotes\" \\ and ünïcode" };
	const struct run_request asked = { .selectors = { selectors, 3, 3 },
					   .place = "0,2-3",
					   .budget_ns = UINT64_C(86400000000000),
					   .rounds = 1000,
					   .precision_pct = 0.125,
					   .memory_bytes = UINT64_C(1) << 40,
					   .memory_capped = true };
	struct run_request got = { 0 };
	struct err err = { { 0 } };

	(void)state;
	auto_free char *document = run_request_write(&asked);
	assert_int_equal(run_request_read(document, &got, &err), 0);
	assert_int_equal(got.selectors.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(got.selectors.at[i], selectors[i]);
	assert_null(got.set);
	assert_string_equal(got.place, "0,2-3");
	assert_true(got.budget_ns == asked.budget_ns && got.rounds == 1000 && got.precision_pct == 0.125);
	assert_true(got.memory_bytes == asked.memory_bytes && got.memory_capped);
	for (size_t i = 0; i < 3; i++)
		free((char *)got.selectors.at[i]);
	free(got.selectors.at);
	free((char *)got.place);
}

static void a_set_without_anything_else_is_read_back(void **state)
{
	const struct run_request asked = { .set = "quick" };
	struct run_request got = { 0 };

	(void)state;
	auto_free char *document = run_request_write(&asked);
	assert_int_equal(run_request_read(document, &got, NULL), 0);
	assert_string_equal(got.set, "quick");
	assert_null(got.place);
	assert_int_equal(got.selectors.count, 0);
	assert_true(got.precision_pct == 0 && !got.memory_capped);
	free((char *)got.set);
}

static void what_is_no_request_is_refused_with_words(void **state)
{
	static const char *const documents[] = { NULL, "", "{}", "[]", "null", "{\"selectors\": []}", "{\"selectors\": 5", "\xff" };

	(void)state;
	for (size_t i = 0; i < countof(documents); i++) {
		struct run_request got = { .rounds = 77 };
		struct err err = { { 0 } };
		assert_int_equal(run_request_read(documents[i], &got, &err), -EINVAL);
		assert_string_equal(err.text, "the run does not tell what it was asked for: it cannot be resumed");
		assert_int_equal(got.rounds, 77);
	}
}

/* A book is outside text: selectors that are none must not be followed. */
static void selectors_that_are_no_text_are_refused(void **state)
{
	static const char *const selectors[] = { "[5]", "[null]", "[\"cpu\", {}]", "{}", "\"cpu\"" };

	(void)state;
	for (size_t i = 0; i < countof(selectors); i++) {
		auto_free char *document = mem_text("{\"selectors\": %s, \"set\": null, \"place\": null, \"budget_ns\": 1, "
						    "\"rounds\": 0, \"precision_pct\": 0.0, \"memory_bytes\": 1, "
						    "\"memory_capped\": false}",
						    selectors[i]);
		struct run_request got = { 0 };
		assert_int_equal(run_request_read(document, &got, NULL), -EINVAL);
	}
}

static void a_request_becomes_a_plan(void **state)
{
	static const char *selectors[] = { "self.known", "self.null" }, *wrong[] = { "self.known", "nothing" };
	struct run_request request = { .selectors = { selectors, 2, 2 }, .memory_bytes = 1 << 28 };
	struct plan plan = { 0 };
	struct err err = { { 0 } };

	(void)state;
	assert_int_equal(run_request_plan(&request, true, &plan, &err), 0);
	assert_int_equal(plan.points, 2);
	plan_done(&plan);
	request.selectors.at = wrong;
	assert_int_equal(run_request_plan(&request, true, &plan, &err), -ENOENT);
	assert_non_null(strstr(err.text, "'nothing'"));
	plan_done(&plan);
	request = (struct run_request){ .set = "quick", .memory_bytes = 1 << 28 };
	assert_int_equal(run_request_plan(&request, false, &plan, &err), 0);
	assert_true(plan.points > 20);
	plan_done(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_asked_for_is_read_back),
		cmocka_unit_test(a_set_without_anything_else_is_read_back),
		cmocka_unit_test(what_is_no_request_is_refused_with_words),
		cmocka_unit_test(selectors_that_are_no_text_are_refused),
		cmocka_unit_test(a_request_becomes_a_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
