#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../golden-vectors/stat.h"
#include "base/mem.h"
#include "base/random.h"
#include "stat/trend.h"

static void p_values_are_those_behind_scipy_kendalltau(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(golden); i++) {
		double p = stat_mann_kendall(golden[i].series, golden[i].count);
		if (!(fabs(p - golden[i].mann_kendall) <= 1e-9 * golden[i].mann_kendall))
			fail_msg("row %zu, n = %zu: got %.17g, wanted %.17g", i, golden[i].count, p,
				 golden[i].mann_kendall);
	}
}

static void fewer_than_four_values_have_no_trend(void **state)
{
	static const double series[] = { 1, 2, 3 };

	(void)state;
	for (size_t n = 0; n <= 3; n++)
		assert_true(stat_mann_kendall(series, n) == 1);
}

static void a_flat_line_has_no_trend(void **state)
{
	static const double series[] = { 5, 5, 5, 5, 5, 5 };

	(void)state;
	assert_true(stat_mann_kendall(series, 6) == 1);
}

static void a_climb_is_as_significant_as_a_fall_at_any_scale(void **state)
{
	double up[30], down[30], bent[30];

	(void)state;
	for (size_t i = 0; i < countof(up); i++) {
		up[i] = (double)i;
		down[i] = 7 - 1e-6 * (double)i;
		bent[i] = exp((double)i);
	}
	double p = stat_mann_kendall(up, 30);
	assert_true(p > 0 && p < 1e-9);
	assert_true(stat_mann_kendall(down, 30) == p);
	assert_true(stat_mann_kendall(bent, 30) == p);
}

static void noise_is_called_a_trend_one_time_in_twenty(void **state)
{
	struct random random = { 5 };
	unsigned alarms = 0;

	(void)state;
	for (unsigned run = 0; run < 4000; run++) {
		double series[30];
		for (size_t i = 0; i < countof(series); i++)
			series[i] = random_normal(&random);
		alarms += stat_mann_kendall(series, 30) < 0.05;
	}
	assert_in_range(alarms, 4000 * 35 / 1000, 4000 * 62 / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_values_are_those_behind_scipy_kendalltau),
		cmocka_unit_test(fewer_than_four_values_have_no_trend),
		cmocka_unit_test(a_flat_line_has_no_trend),
		cmocka_unit_test(a_climb_is_as_significant_as_a_fall_at_any_scale),
		cmocka_unit_test(noise_is_called_a_trend_one_time_in_twenty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
