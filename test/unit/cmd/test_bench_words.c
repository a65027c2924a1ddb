/* The words about benches that list, help and completion share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cmd/bench_words.h"
#include "harness/point.h"
#include "harness/registry.h"

static bool selected(const char *bench, const char *selector)
{
	const struct bench *found = registry_find(bench);

	assert_non_null(found);
	return bench_is_selected(found, selector, NULL);
}

static void a_bench_is_selected_by_name_room_or_pattern(void **state)
{
	(void)state;
	assert_true(selected("mem.latency", "mem.latency"));
	assert_true(selected("mem.latency", "mem"));
	assert_true(selected("mem.latency", "mem.*"));
	assert_true(selected("mem.latency", "*"));
	assert_true(selected("mem.latency", "mem.latency:random"));
	assert_false(selected("mem.latency", "me"));
	assert_false(selected("mem.latency", "mem.lat"));
	assert_false(selected("mem.latency", "mem.latency:nothing"));
	assert_true(selected("mem.latency", "mem.latency/size=4k"));
	assert_true(selected("mem.latency", "mem.latency:random/size=4k,page=huge"));
	assert_true(selected("ipc.pipe", "ipc.pipe/place=cross"));
	assert_false(selected("mem.latency", "mem.latency/place=cross"));
	assert_false(selected("mem.latency", "mem.latency/siz=4k"));
	assert_false(selected("mem.latency", "mem.latency:nothing/size=4k"));
	assert_false(selected("mem.latency", "mem.latency/"));
	assert_false(selected("mem.latency", ""));
	assert_false(selected("mem.latency", ":random"));
}

static void hidden_benches_need_their_room_to_be_named(void **state)
{
	(void)state;
	assert_false(selected("self.known", "*"));
	assert_false(selected("self.known", "*.known"));
	assert_true(selected("self.known", "self"));
	assert_true(selected("self.known", "self.k*"));
}

static void the_pattern_of_the_variant_is_handed_back(void **state)
{
	char *variant = (char *)"stale";

	(void)state;
	assert_true(bench_is_selected(registry_find("mem.latency"), "mem.latency:ran*", &variant));
	assert_string_equal(variant, "ran*");
	free(variant);
	assert_true(bench_is_selected(registry_find("mem.latency"), "mem", &variant));
	assert_null(variant);
}

/* A word that help shows must be one that a selector may have. */
static void every_default_is_shown_as_it_is_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		for (unsigned j = 0; bench->params && bench->params[j].name; j++) {
			const struct param *param = &bench->params[j];
			struct spec spec;
			struct err err = { { 0 } };
			auto_free char *word = param_value_word(param, param->initial);
			auto_free char *id = mem_text("%s/%s=%s", bench->name, param->name, word);
			if (spec_parse(id, &spec, &err) < 0)
				fail_msg("%s: %s", id, err.text);
			assert_true(spec.value[j] == param->initial);
			auto_free char *range = param_range_words(param);
			assert_true(range[0] != '\0');
		}
	}
}

static void units_needs_and_types_have_words(void **state)
{
	(void)state;
	assert_string_equal(bench_unit_word(BENCH_NS), "ns");
	assert_string_equal(bench_unit_word(BENCH_BYTES_PER_SEC), "B/s");
	assert_string_equal(bench_unit_word(BENCH_HZ), "Hz");
	assert_string_equal(bench_need_word(0), "root");
	assert_string_equal(bench_need_word(3), "shell");
	assert_null(bench_need_word(4));
	assert_string_equal(param_type_word(PARAM_CHOICE), "choice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bench_is_selected_by_name_room_or_pattern),
		cmocka_unit_test(hidden_benches_need_their_room_to_be_named),
		cmocka_unit_test(the_pattern_of_the_variant_is_handed_back),
		cmocka_unit_test(every_default_is_shown_as_it_is_written),
		cmocka_unit_test(units_needs_and_types_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
