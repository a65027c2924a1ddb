#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../golden-vectors/stat.h"
#include "base/mem.h"
#include "stat/interval.h"
#include "stat/location.h"

static double *sorted_copy(const double *values, size_t count)
{
	double *copy = mem_new(count, sizeof *copy);

	memcpy(copy, values, count * sizeof *copy);
	stat_sort(copy, count);
	return copy;
}

static void assert_interval(const struct golden *g, double confidence, double low, double high)
{
	auto_free double *sorted = sorted_copy(g->series, g->count);
	double got_low = -1, got_high = -1;
	bool there = stat_median_interval(sorted, g->count, confidence, &got_low, &got_high);

	assert_int_equal(there, !isnan(low));
	if (there && !(fabs(got_low - low) <= 1e-10 * fabs(low) && fabs(got_high - high) <= 1e-10 * fabs(high)))
		fail_msg("n = %zu, confidence %g: got %.17g…%.17g, scipy says %.17g…%.17g", g->count, confidence,
			 got_low, got_high, low, high);
	if (!there)
		assert_true(got_low == -1 && got_high == -1);
}

static void intervals_are_those_of_scipy_median_cihs(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(golden); i++) {
		assert_interval(&golden[i], 0.90, golden[i].low90, golden[i].high90);
		assert_interval(&golden[i], 0.95, golden[i].low95, golden[i].high95);
		assert_interval(&golden[i], 0.99, golden[i].low99, golden[i].high99);
	}
}

static void the_fewest_values_follow_from_the_confidence(void **state)
{
	(void)state;
	assert_int_equal(stat_interval_needs(0.95), 6);
	assert_int_equal(stat_interval_needs(0.99), 8);
	assert_int_equal(stat_interval_needs(0.90), 5);
	assert_int_equal(stat_interval_needs(0.96875), 6);  /* exactly 1 − 2·2^−6 */
	assert_int_equal(stat_interval_needs(0.968751), 7);
	assert_true(stat_interval_needs(1) == SIZE_MAX);
	assert_true(stat_interval_needs(NAN) == SIZE_MAX);
}

static void too_few_values_have_no_interval_and_nothing_is_written(void **state)
{
	static const double value[] = { 1, 2, 3, 4, 5 };
	double low = 42, high = 43;

	(void)state;
	for (size_t n = 0; n <= 5; n++)
		assert_false(stat_median_interval(value, n, 0.95, &low, &high));
	assert_false(stat_median_interval(value, 5, 1, &low, &high));
	assert_false(stat_median_interval(value, 5, 0, &low, &high));
	assert_false(stat_median_interval(value, 5, NAN, &low, &high));
	assert_true(low == 42 && high == 43);
}

static void the_whole_range_is_taken_when_the_confidence_just_needs_it(void **state)
{
	static const double value[] = { 1, 2, 3, 4, 5, 6 };
	double low, high;

	(void)state;
	assert_true(stat_median_interval(value, 6, 0.96875, &low, &high));
	assert_true(low == 1 && high == 6);
}

static void equal_values_have_an_interval_without_width(void **state)
{
	static const double value[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	double low, high;

	(void)state;
	assert_true(stat_median_interval(value, 7, 0.95, &low, &high));
	assert_true(fabs(low - 0.1) < 1e-16 && fabs(high - 0.1) < 1e-16);
}

static void intervals_follow_scale_and_shift_and_turn_with_the_sign(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(golden); i++) {
		const struct golden *g = &golden[i];
		auto_free double *one = sorted_copy(g->series, g->count);
		auto_free double *two = sorted_copy(g->series, g->count);
		auto_free double *turned = sorted_copy(g->series, g->count);
		double low, high, low2, high2, low3, high3;
		for (size_t j = 0; j < g->count; j++) {
			two[j] = 3 * one[j] + 1000;
			turned[g->count - 1 - j] = -one[j];
		}
		if (!stat_median_interval(one, g->count, 0.95, &low, &high))
			continue;
		assert_true(low <= stat_median(one, g->count) && stat_median(one, g->count) <= high);
		assert_true(stat_median_interval(two, g->count, 0.95, &low2, &high2));
		assert_true(fabs(low2 - (3 * low + 1000)) < 1e-8 && fabs(high2 - (3 * high + 1000)) < 1e-8);
		assert_true(stat_median_interval(turned, g->count, 0.95, &low3, &high3));
		assert_true(fabs(low3 + high) < 1e-9 && fabs(high3 + low) < 1e-9);
	}
}

static void more_confidence_is_never_narrower(void **state)
{
	auto_free double *sorted = sorted_copy(golden[40].series, golden[40].count);
	double low = 0, high = 0, wider_low, wider_high;

	(void)state;
	assert_true(stat_median_interval(sorted, golden[40].count, 0.5, &low, &high));
	for (double confidence = 0.51; confidence < 0.9995; confidence += 0.001) {
		assert_true(stat_median_interval(sorted, golden[40].count, confidence, &wider_low, &wider_high));
		assert_true(wider_low <= low + 1e-9 && wider_high >= high - 1e-9);
		low = wider_low;
		high = wider_high;
	}
}

static void thousands_of_values_do_not_underflow(void **state)
{
	static double value[5001];

	/* The ranks of the exact binomial interval, from the normal approximation: ½(n ± 1.96 √n), within one rank. */
	(void)state;
	for (size_t n = 990; n <= countof(value); n += 11) {
		double low, high;
		for (size_t i = 0; i < n; i++)
			value[i] = (double)i;
		assert_true(stat_median_interval(value, n, 0.95, &low, &high));
		double middle = (double)(n - 1) / 2, half = 0.979982 * sqrt((double)n);
		assert_true(fabs(low - (middle - half)) < 1 && fabs(high - (middle + half)) < 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_those_of_scipy_median_cihs),
		cmocka_unit_test(the_fewest_values_follow_from_the_confidence),
		cmocka_unit_test(too_few_values_have_no_interval_and_nothing_is_written),
		cmocka_unit_test(the_whole_range_is_taken_when_the_confidence_just_needs_it),
		cmocka_unit_test(equal_values_have_an_interval_without_width),
		cmocka_unit_test(intervals_follow_scale_and_shift_and_turn_with_the_sign),
		cmocka_unit_test(more_confidence_is_never_narrower),
		cmocka_unit_test(thousands_of_values_do_not_underflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
