/* The sampler against a machine whose truth is known. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "script.h"
#include "stat/location.h"

#define MS 1000000

enum { MOST = 4000 };

static const struct bench plain = { .name = "test.plain", .run = script_run };
static double value[MOST];

static struct sampler sampler_for(const struct bench *bench)
{
	return (struct sampler){ .bench = bench,
				 .clock = &script.clock,
				 .batch_ns = 50000,
				 .warm_ns = 10 * MS,
				 .warm_limit_ns = 60 * MS,
				 .measure_ns = 20 * MS,
				 .most_batches = MOST };
}

static double take(struct sampler *sampler)
{
	assert_int_equal(sampler_take(sampler, value, NULL), 0);
	assert_true(sampler->batches > 0);
	return stat_median(value, sampler->batches);
}

static void assert_near(double got, double expected, double tolerance_pct)
{
	if (!(fabs(got - expected) <= fabs(expected) * tolerance_pct / 100))
		fail_msg("%g is not within %g %% of %g", got, tolerance_pct, expected);
}

/* Batches whose lengths are known. */
static uint64_t logged(void)
{
	return script.batches < SCRIPT_LOG ? script.batches : SCRIPT_LOG;
}

static void the_cost_is_found_to_a_thousandth_whatever_a_batch_costs(void **state)
{
	static const double costs[] = { 0.3, 1, 7.7, 60, 900 };

	(void)state;
	for (size_t i = 0; i < countof(costs); i++) {
		/* Up to 10 µs: more than that is no fixed cost beside a batch of 50 µs, but most of it. */
		for (double ratio = 1e-2; ratio <= 1.1e4; ratio *= 10) {
			if (costs[i] / ratio > 10000)
				continue;
			script_begin();
			script.jitter = 0.001;
			script.op_ns = costs[i];
			script.batch_ns = costs[i] / ratio;
			struct sampler sampler = sampler_for(&plain);
			assert_near(take(&sampler), costs[i], 0.1);
			assert_true(sampler.paired && sampler.steady);
			/* The fixed share is that of the batch and of the clock, as the batches saw it. */
			double fixed = script.batch_ns + 40;
			assert_true(fabs(sampler.fixed_share - fixed / (fixed + costs[i] * (double)sampler.n)) < 0.003);
		}
	}
}

static void operations_above_a_microsecond_are_timed_alone(void **state)
{
	static const double costs[] = { 1100, 3000, 20000, 150000 };

	(void)state;
	for (size_t i = 0; i < countof(costs); i++) {
		script_begin();
		script.jitter = 0.001;
		script.op_ns = costs[i];
		struct sampler sampler = sampler_for(&plain);
		/* The reading of the clock is in it: 40 ns of 50 µs. */
		assert_near(take(&sampler), costs[i], 0.15);
		assert_false(sampler.paired);
		assert_true(isnan(sampler.fixed_share));
	}
}

static void twice_the_operations_give_the_same_cost(void **state)
{
	(void)state;
	for (double cost = 0.5; cost < 1000; cost *= 5) {
		script_begin();
		script.jitter = 0.001;
		script.op_ns = cost;
		script.batch_ns = 2000;
		struct sampler once = sampler_for(&plain);
		double by_n = take(&once);
		script_process(2);
		struct sampler twice = sampler_for(&plain);
		twice.n = 2 * once.n;
		twice.paired = once.paired;
		assert_near(take(&twice), by_n, 0.1);
		assert_int_equal(twice.n, 2 * once.n);
	}
}

/* Length of the shorter batches that were measured. */
static double short_batch_ns(const struct sampler *sampler)
{
	return (double)sampler->n * script.op_ns + script.batch_ns;
}

static void batches_are_long_beside_grain_and_cost_of_the_clock(void **state)
{
	static const struct {
		uint64_t cost_ns, grain_ns;
		double least_ns;
	} clocks[] = { { 40, 20, 20000 }, { 370, 1, 74000 }, { 40, 100, 100000 }, { 100, 1000, 1000000 } };

	(void)state;
	for (size_t i = 0; i < 2 * countof(clocks); i++) {
		script_begin();
		script.op_ns = i % 2 ? 1500 : 15;
		script.jitter = 0.001;
		script.clock.cost_ns = clocks[i / 2].cost_ns;
		script.clock.grain_ns = clocks[i / 2].grain_ns;
		struct sampler sampler = sampler_for(&plain);
		/* One operation fewer or more is rounding. */
		double cost = take(&sampler);
		assert_near(cost, script.op_ns, i % 2 ? 0.6 : 0.3);
		assert_true(short_batch_ns(&sampler) >= 0.97 * clocks[i / 2].least_ns - script.op_ns);
		assert_true(short_batch_ns(&sampler) <= 1.1 * fmax(clocks[i / 2].least_ns, 50000) + script.op_ns);
	}
}

static void batches_aim_at_the_length_asked_for(void **state)
{
	(void)state;
	script_begin();
	script.op_ns = 3;
	struct sampler sampler = sampler_for(&plain);
	take(&sampler);
	assert_near((double)sampler.n * 2 * 3, 50000, 2); /* the longer half of a pair */
	sampler = sampler_for(&plain);
	sampler.batch_ns = 200000;
	take(&sampler);
	assert_near((double)sampler.n * 2 * 3, 200000, 2);
}

static void every_batch_is_whole_granules(void **state)
{
	struct bench bench = plain;

	(void)state;
	static const unsigned granules[] = { 1, 2, 7, 64, 1000, 100000 };
	for (size_t i = 0; i < countof(granules); i++) {
		script_begin();
		bench.granule = granules[i];
		struct sampler sampler = sampler_for(&bench);
		take(&sampler);
		for (uint64_t j = 0; j < logged(); j++)
			assert_int_equal(script.n[j] % granules[i], 0);
	}
}

static void no_batch_has_more_operations_than_the_bench_allows(void **state)
{
	struct bench bench = plain;

	(void)state;
	static const uint64_t limits[] = { 2, 64, 1000, 1001 };
	for (size_t i = 0; i < 2 * countof(limits); i++) {
		script_begin();
		bench.max_ops = limits[i / 2];
		bench.granule = i % 2 ? 2 : 1;
		struct sampler sampler = sampler_for(&bench);
		take(&sampler);
		for (uint64_t j = 0; j < logged(); j++)
			assert_in_range(script.n[j], 1, limits[i / 2]);
	}
}

static void at_least_as_many_operations_are_timed_as_the_bench_asks_for(void **state)
{
	struct bench bench = plain;

	(void)state;
	script_begin();
	bench.min_ops = 20 * 1000 * 1000;
	struct sampler sampler = sampler_for(&bench);
	uint64_t begin = sampler.clock->now_ns(sampler.clock->arg);
	take(&sampler);
	assert_in_range(3 * sampler.n * sampler.batches, bench.min_ops, bench.min_ops + 3 * sampler.n);
	assert_true(script.now_ns - (double)begin > 200.0 * MS);
}

static void all_operations_are_counted_for_the_check(void **state)
{
	uint64_t ops = 0;

	(void)state;
	script_begin();
	struct sampler sampler = sampler_for(&plain);
	take(&sampler);
	for (uint64_t i = 0; i < script.batches; i++)
		ops += script.n[i];
	assert_int_equal(sampler.ops, ops);
}

static void prepare_is_called_before_every_batch_outside_the_clock(void **state)
{
	struct bench bench = plain;

	(void)state;
	bench.prepare = script_prepare;
	static const double costs[] = { 10, 5000, 300000 };
	for (size_t i = 0; i < countof(costs); i++) {
		script_begin();
		script.op_ns = costs[i];
		script.prepare_ns = 777777;
		struct sampler sampler = sampler_for(&bench);
		assert_near(take(&sampler), costs[i], 0.2);
		assert_true(script.prepared_right);
		assert_int_equal(script.prepared, script.batches);
	}
}

static void an_error_of_prepare_ends_the_point(void **state)
{
	struct bench bench = plain;

	(void)state;
	bench.prepare = script_prepare;
	script_begin();
	script.fail_prepare = -ENOSPC;
	struct sampler sampler = sampler_for(&bench);
	assert_int_equal(sampler_take(&sampler, value, NULL), -ENOSPC);
	assert_int_equal(script.batches, 0);
	assert_int_equal(sampler.batches, 0);
	sampler.n = 100; /* also when nothing is left to calibrate */
	assert_int_equal(sampler_take(&sampler, value, NULL), -ENOSPC);
	assert_int_equal(script.batches, 0);
}

static void slow_operations_are_a_sample_each(void **state)
{
	(void)state;
	for (double cost = 210000; cost < 2e9; cost *= 9) {
		script_begin();
		script.op_ns = cost;
		struct sampler sampler = sampler_for(&plain);
		assert_near(take(&sampler), cost, 0.1);
		for (uint64_t i = 0; i < script.batches; i++)
			assert_int_equal(script.n[i], 1);
		assert_true(sampler.batches >= 5);
	}
}

/* A calibration, a warm-up and five samples: one must be able to plan for it. */
static void an_operation_of_a_second_is_run_no_more_than_ten_times(void **state)
{
	(void)state;
	script_begin();
	script.op_ns = 1e9;
	struct sampler sampler = sampler_for(&plain);
	take(&sampler);
	assert_in_range(sampler.ops, 6, 10);
}

static void the_first_slow_call_does_not_spoil_the_calibration(void **state)
{
	(void)state;
	script_begin();
	script.warm_extra = 1000; /* faults, cold caches: the first calls take 10 µs instead of 10 ns */
	script.warm_ns = 12000;
	struct sampler sampler = sampler_for(&plain);
	assert_near(take(&sampler), 10, 0.1);
	assert_true(sampler.paired);
	assert_true(sampler.n > 2500 / 4 && sampler.n < 2500 * 2);
}

static void not_even_one_that_takes_a_millisecond(void **state)
{
	(void)state;
	script_begin();
	script.warm_extra = 1e5;
	script.warm_ns = 3e4;
	struct sampler sampler = sampler_for(&plain);
	assert_near(take(&sampler), 10, 0.1);
	assert_true(sampler.paired && sampler.n > 2500 / 4 && sampler.n < 2500 * 2);
}

static void n_that_was_handed_in_is_kept_while_batches_are_half_to_twice_as_long_as_they_should_be(void **state)
{
	static const uint64_t kept[] = { 1300, 2500, 4900 };

	(void)state;
	for (size_t i = 0; i < 2 * countof(kept); i++) {
		script_begin();
		script.op_ns = i % 2 ? 1001 : 10; /* pairs stay pairs, also a little above a microsecond */
		struct sampler sampler = sampler_for(&plain);
		sampler.n = i % 2 ? kept[i / 2] / 100 : kept[i / 2];
		sampler.paired = true;
		uint64_t n = sampler.n;
		take(&sampler);
		assert_int_equal(sampler.n, n);
		assert_true(sampler.paired);
		for (uint64_t j = 0; j < script.batches; j++)
			assert_true(script.n[j] == n || script.n[j] == 2 * n);
	}
}

static void n_that_no_longer_fits_is_found_anew(void **state)
{
	static const uint64_t stale[] = { 1, 100, 6000, 100000 };

	(void)state;
	for (size_t i = 0; i < 2 * countof(stale); i++) {
		script_begin();
		struct sampler sampler = sampler_for(&plain);
		sampler.n = stale[i / 2];
		sampler.paired = i % 2;
		assert_near(take(&sampler), 10, 0.1);
		assert_in_range(sampler.n, 2400, 2600);
		assert_true(sampler.paired);
	}
}

static void warming_up_ends_when_times_have_settled(void **state)
{
	(void)state;
	for (double extra = 0.1; extra < 3; extra *= 3) {
		script_begin();
		script.jitter = 0.002;
		script.warm_extra = extra;
		script.warm_ns = 4.0 * MS;
		struct sampler sampler = sampler_for(&plain);
		/* Windows that differ by less than 1 % count as settled. */
		assert_near(take(&sampler), 10, 1);
		assert_true(sampler.steady);
	}
}

static void warming_up_gives_up_at_its_limit_and_says_so(void **state)
{
	(void)state;
	script_begin();
	script.ramp = 5; /* five times as long in a second: never steady */
	struct sampler sampler = sampler_for(&plain);
	take(&sampler);
	assert_false(sampler.steady);
	double whole = script.now_ns - script.began_ns;
	assert_true(whole > 80.0 * MS && whole < 83.0 * MS); /* 60 to give up, 20 to measure, calibration */
}

/* A quiet machine must not be called unsteady, nor one with the usual jitter and interruptions. */
static void noise_without_a_trend_is_steady(void **state)
{
	unsigned steady = 0;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		script_begin();
		script.jitter = 0.004;
		script.jitter_memory = 0.3;
		script.interrupts_hz = 1000;
		script.interrupt_ns = 50000;
		script_process(i);
		struct sampler sampler = sampler_for(&plain);
		take(&sampler);
		steady += sampler.steady;
	}
	assert_in_range(steady, 195, 200);
}

/* Halves of a pair are taken in turn first and last: what grows evenly cancels over two pairs. */
static void an_even_drift_cancels_over_two_pairs(void **state)
{
	(void)state;
	script_begin();
	script.clock.cost_ns = script.clock.grain_ns = 1;
	script.ramp = 2;
	struct sampler sampler = sampler_for(&plain);
	sampler.n = 25000;
	sampler.batch_ns = 500000;
	sampler.paired = true;
	sampler.warm_ns = sampler.warm_limit_ns = 0;
	take(&sampler);
	uint64_t warm = 2; /* batches of the one pair of the warm-up */
	double swing = 0, bias = 0;
	for (size_t i = 0; i + 1 < sampler.batches; i += 2) {
		/* What an operation cost on average over these four batches. */
		double ns = 0;
		for (size_t j = 0; j < 4; j++)
			ns += script.length_ns[warm + 2 * i + j];
		double truth = ns / (6.0 * 25000), two = (value[i] + value[i + 1]) / 2;
		bias = fmax(bias, fabs(two / truth - 1));
		swing = fmax(swing, fabs(value[i] / truth - 1));
		assert_int_equal(script.n[warm + 2 * i], 25000);
		assert_int_equal(script.n[warm + 2 * i + 2], 50000);
	}
	assert_true(bias < 6e-5);
	assert_true(swing > 2e-4); /* one pair alone feels it */
}

static void measuring_lasts_as_long_as_was_asked(void **state)
{
	(void)state;
	for (uint64_t ms = 5; ms <= 160; ms *= 2) {
		script_begin();
		struct sampler sampler = sampler_for(&plain);
		sampler.measure_ns = ms * MS;
		sampler.n = 2500;
		sampler.paired = true;
		take(&sampler);
		double expected_ns = 11.0 * MS + (double)ms * MS;
		assert_true(script.now_ns - script.began_ns >= 10.0 * MS + (double)ms * MS);
		assert_true(script.now_ns - script.began_ns <= expected_ns);
		assert_near((double)sampler.batches, (double)ms * MS / 75000, 5);
	}
}

static void no_more_batches_are_taken_than_there_is_room_for(void **state)
{
	uint64_t progress = 0;

	(void)state;
	script_begin();
	struct sampler sampler = sampler_for(&plain);
	sampler.most_batches = 17;
	value[17] = -1;
	assert_int_equal(sampler_take(&sampler, value, &progress), 0);
	assert_int_equal(sampler.batches, 17);
	assert_int_equal(progress, 17);
	assert_true(value[17] == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_is_found_to_a_thousandth_whatever_a_batch_costs),
		cmocka_unit_test(operations_above_a_microsecond_are_timed_alone),
		cmocka_unit_test(twice_the_operations_give_the_same_cost),
		cmocka_unit_test(batches_are_long_beside_grain_and_cost_of_the_clock),
		cmocka_unit_test(batches_aim_at_the_length_asked_for),
		cmocka_unit_test(every_batch_is_whole_granules),
		cmocka_unit_test(no_batch_has_more_operations_than_the_bench_allows),
		cmocka_unit_test(at_least_as_many_operations_are_timed_as_the_bench_asks_for),
		cmocka_unit_test(all_operations_are_counted_for_the_check),
		cmocka_unit_test(prepare_is_called_before_every_batch_outside_the_clock),
		cmocka_unit_test(an_error_of_prepare_ends_the_point),
		cmocka_unit_test(slow_operations_are_a_sample_each),
		cmocka_unit_test(an_operation_of_a_second_is_run_no_more_than_ten_times),
		cmocka_unit_test(the_first_slow_call_does_not_spoil_the_calibration),
		cmocka_unit_test(not_even_one_that_takes_a_millisecond),
		cmocka_unit_test(n_that_was_handed_in_is_kept_while_batches_are_half_to_twice_as_long_as_they_should_be),
		cmocka_unit_test(n_that_no_longer_fits_is_found_anew),
		cmocka_unit_test(warming_up_ends_when_times_have_settled),
		cmocka_unit_test(warming_up_gives_up_at_its_limit_and_says_so),
		cmocka_unit_test(noise_without_a_trend_is_steady),
		cmocka_unit_test(an_even_drift_cancels_over_two_pairs),
		cmocka_unit_test(measuring_lasts_as_long_as_was_asked),
		cmocka_unit_test(no_more_batches_are_taken_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
