/* From batches to a claim: the location under disturbances, and every rule of the verdict with its words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "harness/estimate.h"
#include "script.h"
#include "stat/location.h"

static const struct conversion in_ns = { .unit = "ns" };

/* One second of batches on a machine that is interrupted 1,161 times a second for 162 µs on average, with 0.3 % of
 * jitter: a shared guest under load. */
static size_t busy_second(double batch_ns, uint64_t seed, double **ret_ns)
{
	size_t count = (size_t)(1e9 / batch_ns);

	script_begin();
	script.op_ns = batch_ns;
	script.jitter = 0.003;
	script.interrupts_hz = 1161;
	script.interrupt_ns = 162000;
	script_process(seed);
	*ret_ns = mem_new(count, sizeof **ret_ns);
	for (size_t i = 0; i < count; i++) {
		script_run(NULL, 1);
		(*ret_ns)[i] = script.length_ns[i % SCRIPT_LOG];
	}
	return count;
}

struct bias {
	double least, location, mean, noise;
	unsigned half_sample, near; /* of the seconds; near: within 0.5 % of the truth */
};

enum { SECONDS = 20 };

/* In percent, mean over some seconds. */
static struct bias bias_of_batches(double batch_ns)
{
	struct bias bias = { 0 };

	for (unsigned i = 0; i < SECONDS; i++) {
		double *ns;
		struct process process = { 0 };
		size_t count = busy_second(batch_ns, i + 1, &ns);
		process_summarise(&process, ns, count, &in_ns);
		bias.least += 100 * (process.min / batch_ns - 1) / SECONDS;
		bias.location += 100 * (process.location / batch_ns - 1) / SECONDS;
		bias.mean += 100 * (process.mean / batch_ns - 1) / SECONDS;
		bias.noise += process.noise / SECONDS;
		bias.half_sample += process.half_sample;
		bias.near += fabs(process.location / batch_ns - 1) < 0.005;
		process_done(&process);
		free(ns);
	}
	return bias;
}

static void short_batches_with_a_median_are_not_moved_by_interruptions(void **state)
{
	static const double lengths[] = { 20000, 50000, 100000 };

	(void)state;
	for (size_t i = 0; i < countof(lengths); i++) {
		struct bias bias = bias_of_batches(lengths[i]);
		assert_true(fabs(bias.location) < 0.1);
		assert_true(bias.least < -0.7);
		assert_true(bias.mean > 15);
		assert_int_equal(bias.half_sample, 0);
	}
}

static void where_a_third_is_disturbed_the_half_sample_mode_takes_over(void **state)
{
	static const double lengths[] = { 500000, 2000000 };

	(void)state;
	for (size_t i = 0; i < countof(lengths); i++) {
		struct bias bias = bias_of_batches(lengths[i]);
		/* Nine of ten batches of 2 ms are disturbed: now and then even the mode is lost among them. */
		assert_in_range(bias.half_sample, i ? SECONDS - 2 : SECONDS, SECONDS);
		assert_in_range(bias.near, i ? SECONDS - 2 : SECONDS, SECONDS);
	}
}

static void noise_is_the_share_of_time_that_interruptions_took(void **state)
{
	(void)state;
	double stolen = 1161 * 162e-6;
	double share = stolen / (1 + stolen);
	assert_true(fabs(bias_of_batches(50000).noise - share) < 0.01);
	assert_true(fabs(bias_of_batches(500000).noise - share) < 0.01);
}

/* Jitter alone must not make the mode take over: it scatters more than the median. */
static void quiet_processes_keep_their_median(void **state)
{
	enum { PROCESSES = 2000 };
	unsigned half_sample = 0;

	(void)state;
	for (unsigned i = 0; i < PROCESSES; i++) {
		size_t count = 30 + 40 * (i % 12);
		double ns[30 + 40 * 12];
		struct process process = { 0 };
		script_begin();
		script.jitter = 0.01;
		script.jitter_memory = 0.5;
		script_process(i);
		for (size_t j = 0; j < count; j++) {
			script_run(NULL, 1);
			ns[j] = script.length_ns[j];
		}
		process_summarise(&process, ns, count, &in_ns);
		if (!process.half_sample)
			assert_true(process.location == stat_median(ns, count));
		half_sample += process.half_sample;
		process_done(&process);
	}
	assert_in_range(half_sample, 0, PROCESSES / 50);
}

static void a_handful_of_samples_keeps_its_median(void **state)
{
	static const double ns[] = { 1000, 1000, 1001, 1500, 1700, 1900, 2300 };
	struct process process = { 0 };

	(void)state;
	process_summarise(&process, ns, countof(ns), &in_ns);
	assert_false(process.half_sample);
	assert_true(process.location == 1500);
	process_done(&process);
}

static void rates_are_turned_round_with_their_quantiles(void **state)
{
	static const double ns[] = { 4, 1, 2 };
	static const struct conversion hz = { .unit = "Hz" }, rate = { .unit = "B/s", .bytes = 8 };
	struct process process = { 0 };

	(void)state;
	process_summarise(&process, ns, countof(ns), &hz);
	assert_true(process.location == 0.5e9);
	assert_true(process.min == 0.25e9 && process.max == 1e9);
	assert_true(process.batch[0] == 0.25e9 && process.batch[1] == 1e9 && process.batches == 3);
	for (unsigned i = 1; i < QUANTILES; i++)
		assert_true(process.quantile[i] >= process.quantile[i - 1]);
	process_done(&process);
	process = (struct process){ 0 };
	process_summarise(&process, ns, countof(ns), &rate);
	assert_true(process.location == 4e9);
	process_done(&process);
	assert_true(isnan(convert_ns(&hz, 0)));
	assert_true(isnan(convert_ns(&rate, -1)));
	assert_true(convert_ns(&in_ns, -1) == -1);
}

/* --- verdicts: a point of eight processes about 100 ns, changed by each test --- */

enum { PROCESSES = 8 };

static struct point *make_point(unsigned processes)
{
	struct point *point = mem_new(1, sizeof *point);

	*point = (struct point){ .id = mem_copy("test.point"), .unit = mem_copy("ns"), .target_pct = 2 };
	for (unsigned i = 0; i < processes; i++) {
		struct process process = { .round = i,
					   .steady = true,
					   .location = 100 + 0.1 * i,
					   .clock_hz = 3e9,
					   .batches = 10 };
		point_add_process(point, &process);
	}
	return point;
}

static void free_point(struct point *point)
{
	point_done(point);
	free(point);
}

static void assert_verdict(struct point *point, enum verdict verdict, const char *reason)
{
	estimate_point(point);
	if (point->verdict != verdict)
		fail_msg("the verdict is %s (%s)", verdict_name(point->verdict), point->reason ? point->reason : "-");
	if (reason)
		assert_string_equal(point->reason, reason);
	else
		assert_null(point->reason);
}

static void quiet_processes_are_ok_without_a_reason(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	assert_verdict(point, VERDICT_OK, NULL);
	assert_true(fabs(point->value - 100.35) < 1e-9);
	assert_true(fabs(point->cycles - 301.05) < 1e-9);
	assert_true(point->low < point->value && point->value < point->high);
	assert_true(point->low >= 100 && point->high <= 100.7);
	assert_int_equal(point->rounds, PROCESSES);
	assert_int_equal(point->samples, 10 * PROCESSES);
	free_point(point);
}

static void estimating_again_changes_nothing(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	point->process[0].outcome = VERDICT_FAILED;
	point->process[0].reason = mem_copy("no room");
	estimate_point(point);
	double value = point->value, low = point->low;
	assert_verdict(point, VERDICT_UNTRUSTED, "1 of 8 processes failed: no room");
	assert_true(point->value == value && point->low == low);
	free_point(point);
}

static void fewer_than_six_processes_have_no_interval(void **state)
{
	static const char *const reasons[] = { "1 process: too few for an interval", "2 processes: too few for an interval",
					       "3 processes: too few for an interval", "4 processes: too few for an interval",
					       "5 processes: too few for an interval" };

	(void)state;
	for (unsigned i = 1; i <= 5; i++) {
		struct point *point = make_point(i);
		assert_verdict(point, VERDICT_NOISY, reasons[i - 1]);
		assert_true(isfinite(point->value));
		assert_true(isnan(point->low) && isnan(point->high) && isnan(point_half_width_pct(point)));
		free_point(point);
	}
	struct point *point = make_point(6);
	assert_verdict(point, VERDICT_OK, NULL);
	assert_true(isfinite(point->low) && isfinite(point->high));
	free_point(point);
}

static void a_chain_of_less_than_its_fewest_cycles_is_refused_with_the_arithmetic(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	for (unsigned i = 0; i < PROCESSES; i++)
		point->process[i].location = 0.2;
	point->min_cycles = 0.9;
	assert_verdict(point, VERDICT_UNTRUSTED, "0.200 ns × 3.00 GHz = 0.600 cycles, under the 0.90 that are possible");
	for (unsigned i = 0; i < PROCESSES; i++)
		point->process[i].location = 0.31;
	assert_verdict(point, VERDICT_OK, NULL);
	/* Without a clock beside it nothing is known of cycles. */
	for (unsigned i = 0; i < PROCESSES; i++) {
		point->process[i].location = 0.2;
		point->process[i].clock_hz = NAN;
	}
	assert_verdict(point, VERDICT_OK, NULL);
	assert_true(isnan(point->cycles));
	free_point(point);
}

static void no_time_and_less_than_none_cannot_be(void **state)
{
	static const double values[] = { 0, -3 };
	static const char *const reasons[] = { "0 ns cannot be: an operation takes time",
					       "-3.00 ns cannot be: an operation takes time" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct point *point = make_point(PROCESSES);
		for (unsigned j = 0; j < PROCESSES; j++)
			point->process[j].location = values[i];
		assert_verdict(point, VERDICT_UNTRUSTED, reasons[i]);
		free_point(point);
	}
}

/* hop less pipe: lost in the noise, but not wrong. */
static void a_difference_of_points_may_be_below_zero(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	point->derived = true;
	for (unsigned i = 0; i < PROCESSES; i++)
		point->process[i].location = -3 + 0.001 * i;
	assert_verdict(point, VERDICT_OK, NULL);
	free_point(point);
}

static void set_noise(struct point *point, double noise)
{
	for (size_t i = 0; i < point->processes; i++)
		point->process[i].noise = noise;
}

static void five_percent_of_noise_is_noisy_and_twenty_untrusted(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	set_noise(point, 0.049);
	assert_verdict(point, VERDICT_OK, NULL);
	set_noise(point, 0.05);
	assert_verdict(point, VERDICT_NOISY, "disturbances took 5 % of the time");
	set_noise(point, 0.199);
	assert_verdict(point, VERDICT_NOISY, "disturbances took 20 % of the time");
	set_noise(point, 0.2);
	assert_verdict(point, VERDICT_UNTRUSTED, "disturbances took 20 % of the time");
	/* Half of the processes quiet: the median of the shares decides. */
	for (unsigned i = 0; i < 5; i++)
		point->process[i].noise = 0.01;
	assert_verdict(point, VERDICT_OK, NULL);
	free_point(point);
}

static void a_missed_precision_is_noisy_with_both_widths(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	for (unsigned i = 0; i < PROCESSES; i++)
		point->process[i].location = 100 + 2.0 * i;
	estimate_point(point);
	assert_int_equal(point->verdict, VERDICT_NOISY);
	assert_non_null(strstr(point->reason, "wider than the ±2.0 % aimed at"));
	point->target_pct = 10;
	assert_verdict(point, VERDICT_OK, NULL);
	free_point(point);
}

static void most_processes_unsteady_is_noisy(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		point->process[i].steady = false;
	assert_verdict(point, VERDICT_OK, NULL);
	point->process[4].steady = false;
	assert_verdict(point, VERDICT_NOISY, "still changing after the warm-up in 5 of 8 processes");
	free_point(point);
}

static void fail_process(struct process *process, enum verdict outcome, const char *reason)
{
	process->outcome = outcome;
	process->location = NAN;
	process->reason = mem_copy(reason);
}

static void a_few_failures_cast_doubt_on_the_rest(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	fail_process(&point->process[2], VERDICT_FAILED, "no route to 127.0.0.1");
	fail_process(&point->process[5], VERDICT_FAILED, "another");
	assert_verdict(point, VERDICT_UNTRUSTED, "2 of 8 processes failed: no route to 127.0.0.1");
	assert_int_equal(point->rounds, 6);
	assert_true(isfinite(point->value) && isfinite(point->low));
	free_point(point);
}

static void failures_and_skips_alone_keep_their_reason(void **state)
{
	struct point *point = make_point(2);

	(void)state;
	fail_process(&point->process[0], VERDICT_SKIPPED, "unavailable: no such call");
	fail_process(&point->process[1], VERDICT_SKIPPED, "unavailable: later");
	assert_verdict(point, VERDICT_SKIPPED, "unavailable: no such call");
	point->process[1].outcome = VERDICT_FAILED;
	assert_verdict(point, VERDICT_FAILED, "unavailable: later");
	assert_true(isnan(point->value) && isnan(point->low));
	assert_int_equal(point->rounds, 0);
	free_point(point);
}

static void a_point_without_processes_says_so(void **state)
{
	struct point *point = make_point(0);

	(void)state;
	assert_verdict(point, VERDICT_SKIPPED, "not measured before the run ended");
	assert_true(isnan(point->value));
	free_point(point);
}

/* A rate over no time is no number; a process without one must not pass for measured. */
static void processes_without_a_number_are_no_value(void **state)
{
	struct point *point = make_point(2);

	(void)state;
	point->process[0].location = point->process[1].location = NAN;
	assert_verdict(point, VERDICT_FAILED, "no batch took a positive time");
	free_point(point);
}

static void a_condition_counts_when_it_held_in_most_processes(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct process *process = &point->process[i];
		if (i == 4)
			assert_verdict(point, VERDICT_OK, NULL);
		condition_add(&process->condition, &process->conditions, "thermal.throttled", "count", 1, 0,
			      VERDICT_UNTRUSTED, "the core was throttled");
	}
	assert_verdict(point, VERDICT_UNTRUSTED, "the core was throttled");
	free_point(point);
}

static void the_worst_verdict_has_the_word(void **state)
{
	struct point *point = make_point(PROCESSES);

	(void)state;
	set_noise(point, 0.06);
	fail_process(&point->process[0], VERDICT_FAILED, "worse");
	point->process[0].noise = NAN;
	assert_verdict(point, VERDICT_UNTRUSTED, "1 of 8 processes failed: worse");
	free_point(point);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_batches_with_a_median_are_not_moved_by_interruptions),
		cmocka_unit_test(where_a_third_is_disturbed_the_half_sample_mode_takes_over),
		cmocka_unit_test(noise_is_the_share_of_time_that_interruptions_took),
		cmocka_unit_test(quiet_processes_keep_their_median),
		cmocka_unit_test(a_handful_of_samples_keeps_its_median),
		cmocka_unit_test(rates_are_turned_round_with_their_quantiles),
		cmocka_unit_test(quiet_processes_are_ok_without_a_reason),
		cmocka_unit_test(estimating_again_changes_nothing),
		cmocka_unit_test(fewer_than_six_processes_have_no_interval),
		cmocka_unit_test(a_chain_of_less_than_its_fewest_cycles_is_refused_with_the_arithmetic),
		cmocka_unit_test(no_time_and_less_than_none_cannot_be),
		cmocka_unit_test(a_difference_of_points_may_be_below_zero),
		cmocka_unit_test(five_percent_of_noise_is_noisy_and_twenty_untrusted),
		cmocka_unit_test(a_missed_precision_is_noisy_with_both_widths),
		cmocka_unit_test(most_processes_unsteady_is_noisy),
		cmocka_unit_test(a_few_failures_cast_doubt_on_the_rest),
		cmocka_unit_test(failures_and_skips_alone_keep_their_reason),
		cmocka_unit_test(a_point_without_processes_says_so),
		cmocka_unit_test(processes_without_a_number_are_no_value),
		cmocka_unit_test(a_condition_counts_when_it_held_in_most_processes),
		cmocka_unit_test(the_worst_verdict_has_the_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
