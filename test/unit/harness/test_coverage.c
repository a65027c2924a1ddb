/* Does the interval of a whole run hold the truth as often as it says? Five hundred machines, each measured by the whole
 * runner: processes differ in level, batches are correlated and interrupted, and processes start cold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "harness/runner.h"
#include "script.h"

enum { MACHINES = 500 };

static const struct spawn in_line = { .in_line = true, .scripted = &script.clock };
static const double truth = 10;

static void busy_machine(double between)
{
	script_begin();
	script.op_ns = truth;
	script.between = between;
	script.jitter = 0.005;
	script.jitter_memory = 0.5;
	script.interrupts_hz = 1161;
	script.interrupt_ns = 50000;
	script.batch_ns = 300;
	script.warm_extra = 0.5;
	script.warm_ns = 1e6;
}

/* A run over all machines, which are alike; caller ends it. */
static void measure(struct run *run, uint64_t seed, unsigned rounds)
{
	static const struct plan_facts facts = { 0 };
	struct plan plan = { 0 };
	struct err err = { { 0 } };
	int signal_number;

	for (unsigned i = 0; i < MACHINES; i++) {
		auto_free char *id = mem_text("script.op/machine=%u", i);
		assert_int_equal(plan_add(&plan, id, &facts, &err), 0);
	}
	struct runner runner = { .plan = &plan, .spawn = &in_line, .budget_ns = 1, .rounds = rounds, .clock = &script.clock };
	*run = (struct run){ .seed = seed };
	assert_int_equal(runner_run(&runner, run, &signal_number, &err), 0);
	assert_true(run->complete);
	plan_done(&plan);
}

static double covered_pct(double between, unsigned rounds, uint64_t seed)
{
	struct run run;
	unsigned hits = 0;

	busy_machine(between);
	measure(&run, seed, rounds);
	for (unsigned i = 0; i < MACHINES; i++)
		hits += run.point[i].low <= truth && truth <= run.point[i].high;
	run_done(&run);
	return 100.0 * hits / MACHINES;
}

static void assert_covered(double between, unsigned rounds, uint64_t seed)
{
	double pct = covered_pct(between, rounds, seed);

	if (!(fabs(pct - 95) <= 2.5))
		fail_msg("%.1f %% of the intervals of %u rounds hold the truth, processes differing by %g %%", pct, rounds,
			 100 * between);
}

static void intervals_of_whole_runs_hold_the_truth_as_often_as_they_say(void **state)
{
	(void)state;
	assert_covered(0.01, 6, 1);
	assert_covered(0.01, 12, 3);
	assert_covered(0.02, 12, 4);
}

/* Two runs of the same machines: a difference that is none must not be claimed. Intervals of 95 % that do not even touch
 * are rarer than 1 in 100. */
static void two_runs_of_the_same_machines_rarely_differ(void **state)
{
	struct run before, after;
	unsigned apart = 0;
	double ratio = 0;

	(void)state;
	busy_machine(0.01);
	measure(&before, 11, 6);
	measure(&after, 12, 6);
	for (unsigned i = 0; i < MACHINES; i++) {
		const struct point *a = &before.point[i], *b = &after.point[i];
		apart += a->high < b->low || b->high < a->low;
		ratio += log(b->value / a->value) / MACHINES;
	}
	assert_in_range(apart, 0, MACHINES / 50);
	assert_true(fabs(ratio) < 0.001);
	run_done(&before);
	run_done(&after);
}

/* And one that is there must be seen: 4 % between machines whose processes differ by 1 %. */
static void a_real_difference_is_seen_nearly_always(void **state)
{
	struct run before, after;
	unsigned apart = 0;

	(void)state;
	busy_machine(0.01);
	measure(&before, 21, 6);
	script.op_ns *= 1.04;
	measure(&after, 22, 6);
	for (unsigned i = 0; i < MACHINES; i++)
		apart += before.point[i].high < after.point[i].low;
	assert_in_range(apart, MACHINES * 8 / 10, MACHINES);
	run_done(&before);
	run_done(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_of_whole_runs_hold_the_truth_as_often_as_they_say),
		cmocka_unit_test(two_runs_of_the_same_machines_rarely_differ),
		cmocka_unit_test(a_real_difference_is_seen_nearly_always),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
