#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "fixture.h"
#include "report/curve.h"

#define auto_run __attribute__((cleanup(run_done)))

static void add_points(struct run *run, const char *before, const char *values, const char *behind)
{
	auto_free char *all = mem_copy(values);
	char *rest = all;

	for (char *value; (value = strsep(&rest, " "));) {
		auto_free char *id = mem_text("%s%s%s", before, value, behind);
		fixture_point(run, id, "ns", 1, 1);
	}
}

static void points_that_differ_in_one_param_are_a_curve_in_the_order_of_its_values(void **state)
{
	static const char *const values[] = { "512", "1k", "1536", "2k", "1m" };
	auto_run struct run run = { 0 };

	(void)state;
	add_points(&run, "mem.latency:random/size=", "1m 512 2k 1k 1536", ",page=huge,spacing=64");
	auto_curves struct curves curves = curves_find(&run);
	assert_int_equal(curves.count, 1);
	const struct curve *curve = &curves.curve[0];
	assert_string_equal(curve->bench, "mem.latency");
	assert_string_equal(curve->variant, "random");
	assert_string_equal(curve->param, "size");
	assert_string_equal(curve->others, "page=huge,spacing=64");
	assert_int_equal(curve->points, countof(values));
	for (size_t i = 0; i < countof(values); i++)
		assert_string_equal(curve->point[i].value, values[i]);
}

static void assert_others(const char *before, const char *behind, const char *others)
{
	auto_run struct run run = { 0 };

	add_points(&run, before, "1 2 3 4 5", behind);
	auto_curves struct curves curves = curves_find(&run);
	assert_int_equal(curves.count, 1);
	assert_string_equal(curves.curve[0].others, others);
}

static void the_other_params_are_told_wherever_the_param_stands(void **state)
{
	(void)state;
	assert_others("a.b/n=", "", "");
	assert_others("a.b:c/n=", ",m=7", "m=7");
	assert_others("a.b/m=7,n=", "", "m=7");
	assert_others("a.b/m=7,n=", ",place=cross", "m=7,place=cross");
}

static void few_points_and_words_are_no_curve(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	add_points(&run, "a.b/n=", "1 2 3 4", "");
	add_points(&run, "c.d/kind=", "one two three four five six", "");
	add_points(&run, "e.f:", "one two three four five six", "");
	add_points(&run, "g.h/n=", "1 2 3", ",m=1");
	add_points(&run, "g.h/n=", "1 2 3", ",m=2");
	auto_curves struct curves curves = curves_find(&run);
	assert_int_equal(curves.count, 0);
}

static void each_point_is_in_the_longest_curve_only(void **state)
{
	auto_run struct run run = { 0 };
	size_t points = 0;

	(void)state;
	for (char n = '1'; n <= '5'; n++) {
		auto_free char *before = mem_text("a.b/n=%c,size=", n);
		add_points(&run, before, "1k 2k 4k 8k 16k 32k", "");
	}
	auto_curves struct curves curves = curves_find(&run);
	assert_int_equal(curves.count, 5);
	for (size_t i = 0; i < curves.count; i++) {
		assert_string_equal(curves.curve[i].param, "size");
		points += curves.curve[i].points;
	}
	assert_int_equal(points, run.points);
	assert_string_equal(curves.curve[0].others, "n=1");
	assert_string_equal(curves.curve[4].others, "n=5");
}

static void variants_are_siblings_and_other_params_part_them(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	add_points(&run, "a.b:v/n=", "1 2 3 4 5", ",m=1");
	add_points(&run, "a.b:w/n=", "1 2 3 4 5", ",m=1");
	add_points(&run, "a.b:v/n=", "1 2 3 4 5", ",m=2");
	auto_curves struct curves curves = curves_find(&run);
	assert_int_equal(curves.count, 3);
	assert_true(curve_is_sibling(&curves.curve[0], &curves.curve[1]));
	assert_false(curve_is_sibling(&curves.curve[0], &curves.curve[2]));
}

/* Of a curve nothing may be lost, neither a value that only one sibling has nor one written in another way. */
static void every_point_stands_in_a_table(void **state)
{
	auto_run struct run run = { 0 };
	auto_text struct text out = { 0 };
	const struct show_style style = { .width = 80 };

	(void)state;
	add_points(&run, "a.b:v/n=", "1k 1024 3 4 5", "");
	add_points(&run, "a.b:w/n=", "4 5 6 7 8", "");
	auto_curves struct curves curves = curves_find(&run);
	assert_int_equal(curves.count, 2);
	assert_int_equal(curves_draw((const struct curve *[]){ &curves.curve[0], &curves.curve[1] }, 2, &style, &out), 0);
	const char *rows[] = { "1k", "1024", "3", "4", "5", "6", "7", "8" };
	for (size_t i = 0; i < countof(rows); i++) {
		auto_free char *row = mem_text("\n%*s  ", 6, rows[i]);
		assert_non_null(strstr(text_get(&out), row));
	}
	assert_null(strstr(text_get(&out), "not part"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_that_differ_in_one_param_are_a_curve_in_the_order_of_its_values),
		cmocka_unit_test(the_other_params_are_told_wherever_the_param_stands),
		cmocka_unit_test(few_points_and_words_are_no_curve),
		cmocka_unit_test(each_point_is_in_the_longest_curve_only),
		cmocka_unit_test(variants_are_siblings_and_other_params_part_them),
		cmocka_unit_test(every_point_stands_in_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
