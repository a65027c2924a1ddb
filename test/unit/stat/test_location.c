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
#include "base/random.h"
#include "stat/location.h"

static void assert_close(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-12 * fmax(1, fabs(wanted))))
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static double *sorted_copy(const double *values, size_t count)
{
	double *copy = mem_new(count, sizeof *copy);

	memcpy(copy, values, count * sizeof *copy);
	stat_sort(copy, count);
	return copy;
}

static void quantiles_median_and_mad_are_those_of_scipy(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(golden); i++) {
		const struct golden *g = &golden[i];
		auto_free double *sorted = sorted_copy(g->series, g->count);
		assert_close(stat_quantile(sorted, g->count, 0.05), g->q05);
		assert_close(stat_quantile(sorted, g->count, 0.25), g->q25);
		assert_close(stat_quantile(sorted, g->count, 0.9), g->q90);
		assert_close(stat_median(g->series, g->count), g->median);
		assert_close(stat_mad(g->series, g->count), g->mad);
	}
}

static void an_empty_array_has_no_location(void **state)
{
	(void)state;
	assert_true(isnan(stat_quantile(NULL, 0, 0.5)));
	assert_true(isnan(stat_median(NULL, 0)));
	assert_true(isnan(stat_mean(NULL, 0)));
	assert_true(isnan(stat_mad(NULL, 0)));
	assert_true(isnan(stat_half_sample_mode(NULL, 0)));
	assert_true(isnan(stat_share_above_fence(NULL, 0)));
	stat_sort(NULL, 0);
}

static void one_to_five_values_are_enough_for_a_location(void **state)
{
	static const double value[] = { 1, 2, 4, 8, 16 };
	static const double median[] = { 1, 1.5, 2, 3, 4 }, mean[] = { 1, 1.5, 7 / 3., 3.75, 6.2 };
	static const double mad[] = { 0, 0.5, 1, 1.5, 3 }, mode[] = { 1, 1.5, 1.5, 1.5, 1.5 };

	(void)state;
	for (size_t n = 1; n <= 5; n++) {
		assert_close(stat_median(value, n), median[n - 1]);
		assert_close(stat_mean(value, n), mean[n - 1]);
		assert_close(stat_mad(value, n), mad[n - 1]);
		assert_close(stat_half_sample_mode(value, n), mode[n - 1]);
		assert_close(stat_quantile(value, n, 0), 1);
		assert_close(stat_quantile(value, n, 1), value[n - 1]);
	}
}

static void a_quantile_outside_0_to_1_is_the_nearest_end(void **state)
{
	static const double value[] = { 3, 5, 7 };

	(void)state;
	assert_true(stat_quantile(value, 3, -1) == 3);
	assert_true(stat_quantile(value, 3, 2) == 7);
}

static void equal_values_are_every_location_themselves(void **state)
{
	double value[9];

	(void)state;
	for (size_t i = 0; i < countof(value); i++)
		value[i] = 0.1;
	assert_true(stat_median(value, 9) == 0.1);
	assert_true(stat_quantile(value, 9, 0.3) == 0.1);
	assert_true(stat_half_sample_mode(value, 9) == 0.1);
	assert_true(stat_mad(value, 9) == 0);
	assert_true(stat_share_above_fence(value, 9) == 0);
}

static void the_half_sample_mode_finds_the_dense_half(void **state)
{
	static const double late[] = { 1, 5, 9, 9.9, 10, 10.1, 14 };
	static const double even[] = { 0, 1, 2 }, more_than_half[] = { 0, 2, 3, 10, 10.5 };
	static const double grain[] = { 9, 10, 10, 10, 10, 10, 10, 11, 12, 20 };

	(void)state;
	/* The narrowest 4 are 9 … 10.1; of those the pairs around 10 are as good as equal: 9.95 or 10.05. */
	assert_true(fabs(stat_half_sample_mode(late, 7) - 10) <= 0.051);
	assert_true(stat_half_sample_mode(even, 3) == 1);
	assert_true(stat_half_sample_mode(more_than_half, 5) == 2.5); /* half of 5 is 3, or 10.25 would win */
	assert_true(stat_half_sample_mode(grain, 10) == 10);
}

static void ties_of_a_grainy_clock_do_not_pull_the_mode_down(void **state)
{
	double value[21];

	/* Evenly spread: every window is as narrow as any other, so only the middle is without bias. */
	(void)state;
	for (size_t i = 0; i < countof(value); i++)
		value[i] = (double)i;
	assert_true(fabs(stat_half_sample_mode(value, 21) - 10) <= 1.5);
}

static void the_fence_counts_what_is_far_above(void **state)
{
	static const double value[] = { 10, 11, 12, 13, 14, 15, 16, 17, 40, 50 };

	/* q25 = 12.25, q75 = 16.75: the fence is at 23.5. */
	(void)state;
	assert_close(stat_share_above_fence(value, 10), 0.2);
	assert_close(stat_share_above_fence(value, 8), 0);
}

static void locations_follow_scale_and_shift(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(golden); i++) {
		const struct golden *g = &golden[i];
		auto_free double *one = sorted_copy(g->series, g->count);
		auto_free double *two = sorted_copy(g->series, g->count);
		/* Powers of two and quarters keep differences exact, so that ties stay ties. */
		for (size_t j = 0; j < g->count; j++) {
			one[j] = round(one[j] * 64) / 64;
			two[j] = 4 * one[j] + 1024;
		}
		assert_close(stat_median(two, g->count), 4 * stat_median(one, g->count) + 1024);
		assert_close(stat_mean(two, g->count), 4 * stat_mean(one, g->count) + 1024);
		assert_close(stat_mad(two, g->count), 4 * stat_mad(one, g->count));
		assert_close(stat_half_sample_mode(two, g->count), 4 * stat_half_sample_mode(one, g->count) + 1024);
		assert_close(stat_quantile(two, g->count, 0.35), 4 * stat_quantile(one, g->count, 0.35) + 1024);
		assert_close(stat_share_above_fence(two, g->count), stat_share_above_fence(one, g->count));
	}
}

static void the_order_of_values_does_not_matter_and_arrays_stay_as_they_are(void **state)
{
	struct random random = { 7 };

	(void)state;
	for (size_t i = 0; i < countof(golden); i++) {
		const struct golden *g = &golden[i];
		auto_free double *mixed = sorted_copy(g->series, g->count);
		auto_free double *kept = mem_new(g->count, sizeof *kept);
		random_shuffle(&random, mixed, g->count, sizeof *mixed);
		memcpy(kept, mixed, g->count * sizeof *kept);
		assert_true(stat_median(mixed, g->count) == stat_median(g->series, g->count));
		assert_true(stat_mad(mixed, g->count) == stat_mad(g->series, g->count));
		assert_close(stat_mean(mixed, g->count), stat_mean(g->series, g->count));
		assert_memory_equal(mixed, kept, g->count * sizeof *kept);
	}
}

/* One second of an operation of 1 unit, cut into batches, on a machine that is interrupted 1,161 times a second for
 * 162 µs on average; 0.3 % jitter (doc/method.md: the estimator's choice). Returns batches filled. */
static size_t interrupted_second(struct random *random, double batch_us, double *batch)
{
	double now = 0, next = -log(1 - random_unit(random)) * 1e6 / 1161;
	size_t count = 0;

	while (now < 1e6) {
		double work = batch_us * (1 + 0.003 * random_normal(random)), took = work;
		while (next < now + took) {
			took += -log(1 - random_unit(random)) * 162;
			next += -log(1 - random_unit(random)) * 1e6 / 1161;
		}
		now += took;
		batch[count++] = took / batch_us;
	}
	stat_sort(batch, count);
	return count;
}

/* Mean bias in percent over 40 simulated seconds. */
static void biases(double batch_us, double *ret_median, double *ret_mode)
{
	static double batch[60000];
	struct random random = { 99 };
	double median = 0, mode = 0;

	for (int second = 0; second < 40; second++) {
		size_t count = interrupted_second(&random, batch_us, batch);
		median += stat_quantile(batch, count, 0.5) - 1;
		mode += stat_half_sample_mode(batch, count) - 1;
	}
	*ret_median = 100 * median / 40;
	*ret_mode = 100 * mode / 40;
}

static void short_batches_give_a_median_without_bias(void **state)
{
	double median, mode;

	(void)state;
	biases(20, &median, &mode);
	assert_true(fabs(median) < 0.1);
	assert_true(fabs(mode) < 0.1);
	biases(50, &median, &mode);
	assert_true(fabs(median) < 0.1);
	assert_true(fabs(mode) < 0.1);
}

static void the_half_sample_mode_holds_where_the_median_is_lost(void **state)
{
	double median, mode;

	(void)state;
	biases(500, &median, &mode);
	assert_true(median > 0.2 && median < 2);
	assert_true(fabs(mode) < 0.1);
	biases(2000, &median, &mode);
	assert_true(median > 8);
	assert_true(fabs(mode) < 0.2);
	/* And where every batch is hit, nothing helps: the reason for short ones. */
	biases(50000, &median, &mode);
	assert_true(mode > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_median_and_mad_are_those_of_scipy),
		cmocka_unit_test(an_empty_array_has_no_location),
		cmocka_unit_test(one_to_five_values_are_enough_for_a_location),
		cmocka_unit_test(a_quantile_outside_0_to_1_is_the_nearest_end),
		cmocka_unit_test(equal_values_are_every_location_themselves),
		cmocka_unit_test(the_half_sample_mode_finds_the_dense_half),
		cmocka_unit_test(ties_of_a_grainy_clock_do_not_pull_the_mode_down),
		cmocka_unit_test(the_fence_counts_what_is_far_above),
		cmocka_unit_test(locations_follow_scale_and_shift),
		cmocka_unit_test(the_order_of_values_does_not_matter_and_arrays_stay_as_they_are),
		cmocka_unit_test(short_batches_give_a_median_without_bias),
		cmocka_unit_test(the_half_sample_mode_holds_where_the_median_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
