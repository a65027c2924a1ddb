#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "report/number.h"

static void assert_shown(double value, double low, double high, const char *v, const char *l, const char *h)
{
	char out[NUMBER_TEXT];
	int place = number_place(value, low, high, false);

	assert_string_equal(number_format(out, value, place, NUMBER_NEAREST), v);
	assert_string_equal(number_format(out, low, place, NUMBER_DOWN), l);
	assert_string_equal(number_format(out, high, place, NUMBER_UP), h);
}

static void digits_follow_the_interval(void **state)
{
	(void)state;
	assert_shown(231.4, 228.6, 234.2, "231", "228", "235");
	assert_shown(0.2314, 0.2286, 0.2342, "0.231", "0.228", "0.235");
	assert_shown(298000, 256000, 340000, "300000", "250000", "340000");
	assert_shown(786.3, 776.1, 1049.2, "790", "770", "1050");
	assert_shown(10550, 10423, 10677, "10600", "10400", "10700");
	assert_shown(1.335, 1.3349, 1.3351, "1.3350", "1.3349", "1.3351");
	assert_shown(9.996, 9.9, 10.1, "10.0", "9.9", "10.1");
}

static void a_lopsided_interval_counts_by_its_longer_side(void **state)
{
	(void)state;
	assert_shown(100.0, 99.99, 130.0, "100", "99", "130");
	assert_shown(5000, 4999, 5300, "5000", "4900", "5300");
}

/* Wide intervals must not turn 1143 into 1000: value, bounds and the percentage beside them would disagree. */
static void two_digits_are_shown_however_wide_the_interval(void **state)
{
	(void)state;
	assert_shown(1143, 1095, 2843, "1140", "1090", "2850");
	assert_shown(8143, 2095, 12843, "8100", "2000", "12900");
	assert_shown(0.0123, 0.001, 0.09, "0.012", "0.001", "0.090");
}

static void exact_values_keep_their_whole_digits(void **state)
{
	char out[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_format(out, 786.3, number_place(786.3, 776, 1049, true), NUMBER_NEAREST), "786");
	assert_string_equal(number_format(out, 8192, number_place(8192, 7000, 9300, true), NUMBER_NEAREST), "8192");
	assert_string_equal(number_format(out, 1.25, number_place(1.25, NAN, NAN, true), NUMBER_NEAREST), "1.25");
}

static void bounds_on_a_step_stay_there(void **state)
{
	(void)state;
	assert_shown(0.35, 0.3, 0.4, "0.35", "0.30", "0.40");
	assert_shown(0.3, 0.3, 0.3, "0.300000", "0.300000", "0.300000");
}

static void a_difference_may_be_negative_and_never_shows_minus_zero(void **state)
{
	(void)state;
	assert_shown(0.1, -0.3, 0.5, "0.10", "-0.30", "0.50");
	assert_shown(-0.04, -0.5, 0.5, "-0.04", "-0.50", "0.50");
	assert_shown(-0.004, -0.5, 0.5, "0.00", "-0.50", "0.50");
	assert_shown(0, 0, 0, "0.00000", "0.00000", "0.00000");
}

static void without_an_interval_three_digits_are_shown(void **state)
{
	char out[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_format(out, 2345, number_place(2345, NAN, NAN, false), NUMBER_NEAREST), "2350");
	assert_string_equal(number_format(out, 0.0123456, number_place(0.0123456, NAN, NAN, false), NUMBER_NEAREST),
			    "0.0123");
	assert_string_equal(number_format(out, 1536, number_place(1536, NAN, NAN, true), NUMBER_NEAREST), "1536");
	assert_string_equal(number_format(out, 64, number_place(64, 64, 64, true), NUMBER_NEAREST), "64");
}

static void nan_and_infinity_are_no_text(void **state)
{
	char out[NUMBER_TEXT];
	const double odd[] = { NAN, INFINITY, -INFINITY, 1e300 };

	(void)state;
	for (size_t i = 0; i < countof(odd); i++)
		assert_string_equal(number_format(out, odd[i], 0, NUMBER_NEAREST), "");
	assert_string_equal(number_percent(out, NAN, 1, 2), "");
	assert_string_equal(number_percent(out, 0, -1, 1), "");
	assert_string_equal(number_percent(out, 1, NAN, 2), "");
	assert_string_equal(number_percent(out, 1, 2, 1), "");
	assert_int_equal(number_place(NAN, NAN, NAN, false), -2);
}

static void percent_has_two_digits(void **state)
{
	char out[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_percent(out, 100, 98.8, 101.2), "1.2");
	assert_string_equal(number_percent(out, 100, 86, 114), "14");
	assert_string_equal(number_percent(out, 1, 0.9997, 1.0003), "0.03");
	assert_string_equal(number_percent(out, 64, 64, 64), "0");
	assert_string_equal(number_percent(out, -100, -101, -99), "1.0");
}

/* Whatever the numbers: the interval shown holds the interval computed, and its last digit is never finer than a
 * twentieth of its width, unless the value would have fewer than three digits. */
static void shown_intervals_hold_the_computed_ones(void **state)
{
	struct random random = { .state = 20240229 };

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		double value = exp(40 * random_unit(&random) - 20), half = value * exp(-9 * random_unit(&random));
		double low = value - half * random_unit(&random), high = value + half * random_unit(&random);
		char shown_low[NUMBER_TEXT], shown_high[NUMBER_TEXT], shown[NUMBER_TEXT];
		int place = number_place(value, low, high, false);
		number_format(shown, value, place, NUMBER_NEAREST);
		number_format(shown_low, low, place, NUMBER_DOWN);
		number_format(shown_high, high, place, NUMBER_UP);
		double slack = 1e-8 * value;
		assert_true(atof(shown_low) <= low + slack && atof(shown_high) >= high - slack);
		assert_true(atof(shown_low) <= atof(shown) && atof(shown) <= atof(shown_high));
		assert_true(pow(10, place) > (high - low) / 20 || pow(10, place) * 1000 > value);
		assert_true(strspn(shown, "0123456789.") == strlen(shown));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_follow_the_interval),
		cmocka_unit_test(a_lopsided_interval_counts_by_its_longer_side),
		cmocka_unit_test(two_digits_are_shown_however_wide_the_interval),
		cmocka_unit_test(exact_values_keep_their_whole_digits),
		cmocka_unit_test(bounds_on_a_step_stay_there),
		cmocka_unit_test(a_difference_may_be_negative_and_never_shows_minus_zero),
		cmocka_unit_test(without_an_interval_three_digits_are_shown),
		cmocka_unit_test(nan_and_infinity_are_no_text),
		cmocka_unit_test(percent_has_two_digits),
		cmocka_unit_test(shown_intervals_hold_the_computed_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
