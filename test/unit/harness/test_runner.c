/* Whole runs on a machine that follows a script: rounds, order, budget, failures, resuming. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "harness/runner.h"
#include "script.h"

#define SECOND UINT64_C(1000000000)

enum { MACHINES = 5 };

struct bed {
	struct plan plan;
	struct spawn spawn;
	struct runner runner;
	struct run run;
	struct sink sink;
	uint64_t announced_ns;
	unsigned workers, rounds, ended; /* events */
	unsigned triple_after;           /* operations take three times as long after this many rounds */
	int signal;
};

static void on_event(void *arg, const struct event *event)
{
	struct bed *bed = arg;

	if (event->kind == EVENT_PLANNED)
		bed->announced_ns = event->total_ns;
	bed->workers += event->kind == EVENT_WORKER;
	bed->rounds += event->kind == EVENT_ROUND;
	bed->ended += event->kind == EVENT_ENDED;
	if (event->kind == EVENT_ROUND && bed->rounds == bed->triple_after)
		script.op_ns *= 3;
	for (size_t i = 0; event->kind == EVENT_WORKER && i < event->entries; i++) {
		assert_int_equal(event->entry[i].process->round, event->round);
		if (event->entry[i].process->outcome == VERDICT_OK)
			assert_non_null(event->entry[i].process->batch); /* sinks see them, kept or not */
	}
}

static void add(struct bed *bed, const char *selector)
{
	static const struct plan_facts facts = { .memory_bytes = 1 << 28, .two_cpus = true };
	struct err err = { { 0 } };

	if (plan_add(&bed->plan, selector, &facts, &err) < 0)
		fail_msg("%s", err.text);
}

static void begin(struct bed *bed, unsigned machines)
{
	script_begin();
	script.jitter = 0.002;
	script.between = 0.005;
	script.setup_ns = 10e6;
	*bed = (struct bed){ .spawn = { .in_line = true, .scripted = &script.clock }, .run = { .seed = 7 } };
	for (unsigned i = 0; i < machines; i++) {
		auto_free char *id = mem_text("script.op/machine=%u", i);
		add(bed, id);
	}
	bed->sink = (struct sink){ on_event, bed };
	bed->runner = (struct runner){ .plan = &bed->plan,
				       .spawn = &bed->spawn,
				       .sink = &bed->sink,
				       .sinks = 1,
				       .budget_ns = 20 * SECOND,
				       .fill_budget = true,
				       .clock = &script.clock };
}

static void run(struct bed *bed)
{
	struct err err = { { 0 } };

	bed->workers = bed->rounds = bed->ended = 0;
	if (runner_run(&bed->runner, &bed->run, &bed->signal, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(bed->ended, 1);
}

static void end(struct bed *bed)
{
	plan_done(&bed->plan);
	run_done(&bed->run);
}

static struct point *point(struct bed *bed, const char *id)
{
	struct point *found = run_find_point(&bed->run, id);

	assert_non_null(found);
	return found;
}

/* Each round once, in order. */
static void assert_rounds(const struct point *point, unsigned rounds)
{
	assert_int_equal(point->processes, rounds);
	for (unsigned i = 0; i < rounds; i++)
		assert_int_equal(point->process[i].round, i);
}

static void every_point_gets_the_same_number_of_rounds(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, MACHINES);
	add(&bed, "script.curve");
	bed.runner.rounds = 7;
	run(&bed);
	assert_int_equal(bed.run.points, MACHINES + 5);
	for (size_t i = 0; i < bed.run.points; i++) {
		assert_rounds(&bed.run.point[i], 7);
		assert_int_equal(bed.run.point[i].rounds, 7);
		assert_int_equal(bed.run.point[i].verdict, VERDICT_OK);
	}
	assert_true(bed.run.complete);
	assert_null(bed.run.reason);
	assert_int_equal(bed.run.rounds, 7);
	assert_int_equal(bed.rounds, 7);
	assert_int_equal(bed.workers, 7 * (MACHINES + 1)); /* a curve is one process */
	end(&bed);
}

static void the_known_costs_come_out(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, 1);
	add(&bed, "script.curve");
	run(&bed);
	assert_true(fabs(point(&bed, "script.op/machine=0")->value - 10) < 0.05);
	for (unsigned size = 1; size <= 16; size *= 2) {
		auto_free char *id = mem_text("script.curve/size=%u", size);
		assert_true(fabs(point(&bed, id)->value / size - 10) < 0.1);
	}
	end(&bed);
}

static void the_order_changes_by_round_and_comes_again_with_its_seed(void **state)
{
	enum { ROUNDS = 8, VISITS = ROUNDS * 12 };
	static unsigned order[3][VISITS];
	static double value[3][12];
	unsigned alike = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct bed bed;
		begin(&bed, 12);
		bed.run.seed = i < 2 ? 42 : 43;
		bed.runner.rounds = ROUNDS;
		run(&bed);
		assert_int_equal(script.visits, VISITS);
		memcpy(order[i], script.order, sizeof order[i]);
		for (unsigned j = 0; j < 12; j++)
			value[i][j] = bed.run.point[j].value;
		end(&bed);
	}
	assert_memory_equal(order[0], order[1], sizeof order[0]);
	assert_memory_equal(value[0], value[1], sizeof value[0]);
	assert_memory_not_equal(order[0], order[2], sizeof order[0]);
	assert_memory_not_equal(value[0], value[2], sizeof value[0]);
	for (unsigned i = 1; i < ROUNDS; i++) {
		alike += !memcmp(order[0], order[0] + 12 * i, 12 * sizeof order[0][0]);
		/* Each round has all of them. */
		unsigned seen = 0;
		for (unsigned j = 0; j < 12; j++)
			seen |= 1u << order[0][12 * i + j];
		assert_int_equal(seen, (1 << 12) - 1);
	}
	assert_int_equal(alike, 0);
}

static void processes_of_a_point_and_points_of_a_round_have_seeds_of_their_own(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, 3);
	bed.runner.rounds = 6;
	run(&bed);
	assert_int_equal(script.visits, 3 * 6);
	for (unsigned i = 0; i < 3 * 6; i++) {
		for (unsigned j = 0; j < i; j++)
			assert_true(script.seed[i] != script.seed[j]);
	}
	end(&bed);
}

static void a_run_takes_the_time_that_was_announced(void **state)
{
	static const uint64_t budgets[] = { 2, 5, 20, 60, 300 };
	static const unsigned machines[] = { 1, 5, 30 };

	(void)state;
	for (size_t i = 0; i < countof(budgets) * countof(machines); i++) {
		struct bed bed;
		uint64_t budget_ns = budgets[i % countof(budgets)] * SECOND;
		begin(&bed, machines[i / countof(budgets)]);
		bed.runner.budget_ns = budget_ns;
		double began_ns = script.now_ns;
		run(&bed);
		double spent_ns = script.now_ns - began_ns;
		assert_int_equal(bed.announced_ns, runner_announce_ns(&bed.runner));
		assert_true(bed.announced_ns <= budget_ns);
		/* Half a round more or less is rounding. */
		double slack_ns = 0.1 * (double)bed.announced_ns + spent_ns / bed.run.rounds / 2;
		if (fabs(spent_ns - (double)bed.announced_ns) > slack_ns)
			fail_msg("%g s of %g s announced, %u rounds", spent_ns / 1e9, (double)bed.announced_ns / 1e9,
				 bed.run.rounds);
		/* With 50 ms for a process there is an interval. */
		assert_in_range(bed.run.rounds, budget_ns >= 6 * 50 * 1000000 * bed.plan.jobs ? 6 : 1, ROUNDS_MOST);
		end(&bed);
	}
}

static void a_slow_machine_keeps_the_budget_by_fewer_rounds(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, 10);
	script.setup_ns = 300e6; /* ten times what a worker is thought to cost */
	bed.runner.budget_ns = 30 * SECOND;
	double began_ns = script.now_ns;
	run(&bed);
	assert_in_range(script.now_ns - began_ns, 26 * SECOND, 33 * SECOND);
	assert_true(bed.run.rounds < 12);
	end(&bed);
}

static void without_a_budget_to_fill_it_ends_when_all_are_precise(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, MACHINES);
	bed.runner.fill_budget = false;
	run(&bed);
	assert_int_equal(bed.run.rounds, 9);
	end(&bed);
	begin(&bed, MACHINES);
	bed.runner.fill_budget = false;
	bed.runner.precision_pct = 0.01; /* of 0.5 % between processes: out of reach */
	run(&bed);
	assert_true(bed.run.rounds > 9);
	assert_int_equal(bed.run.point[0].verdict, VERDICT_NOISY);
	end(&bed);
}

static void a_job_that_fails_twice_without_a_value_is_left_alone(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, MACHINES);
	script.fail_setup[2] = 100;
	script.fail_check[3] = 100;
	bed.runner.rounds = 7;
	run(&bed);
	for (unsigned i = 0; i < MACHINES; i++)
		assert_rounds(&bed.run.point[i], i == 2 || i == 3 ? 2 : 7);
	assert_int_equal(bed.run.point[2].verdict, VERDICT_FAILED);
	assert_string_equal(bed.run.point[2].reason, "the set-up failed, as scripted");
	assert_int_equal(bed.run.point[3].verdict, VERDICT_FAILED);
	assert_string_equal(bed.run.point[3].reason, "the check failed, as scripted");
	assert_true(isnan(bed.run.point[3].value));
	assert_true(bed.run.complete);
	end(&bed);
}

static void a_job_that_cannot_be_had_is_asked_once(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, MACHINES);
	script.unavailable[1] = true;
	bed.runner.rounds = 7;
	run(&bed);
	assert_int_equal(script.visits, 7 * (MACHINES - 1) + 1);
	assert_rounds(&bed.run.point[1], 1);
	assert_int_equal(bed.run.point[1].verdict, VERDICT_SKIPPED);
	assert_string_equal(bed.run.point[1].reason, "unavailable: as scripted");
	end(&bed);
}

static void a_job_that_fails_now_and_then_is_visited_in_every_round(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, MACHINES);
	script.fail_setup[0] = 1;
	bed.runner.rounds = 8;
	run(&bed);
	assert_rounds(&bed.run.point[0], 8);
	assert_int_equal(bed.run.point[0].rounds, 7);
	assert_int_equal(bed.run.point[0].verdict, VERDICT_UNTRUSTED);
	assert_string_equal(bed.run.point[0].reason, "1 of 8 processes failed: the set-up failed, as scripted");
	end(&bed);
}

static void check_curve(int code, enum verdict verdict)
{
	struct bed bed;

	begin(&bed, 1);
	add(&bed, "script.curve");
	script.fail_size = 8;
	script.fail_code = code;
	bed.runner.rounds = 7;
	run(&bed);
	for (unsigned size = 1; size <= 16; size *= 2) {
		auto_free char *id = mem_text("script.curve/size=%u", size);
		const struct point *at = point(&bed, id);
		assert_rounds(at, 7);
		assert_int_equal(at->verdict, size < 8 ? VERDICT_OK : verdict);
		if (size >= 8)
			assert_string_equal(at->reason, "no room for 8, as scripted");
	}
	end(&bed);
}

static void a_curve_that_fails_at_a_size_keeps_the_sizes_before(void **state)
{
	(void)state;
	check_curve(-ENOMEM, VERDICT_FAILED);
	check_curve(-EOPNOTSUPP, VERDICT_SKIPPED);
}

static void a_curve_without_any_value_is_left_alone_like_any_job(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, 1);
	add(&bed, "script.curve");
	script.fail_size = 1;
	script.fail_code = -ENOMEM;
	bed.runner.rounds = 7;
	run(&bed);
	assert_rounds(point(&bed, "script.curve/size=1"), 2);
	assert_rounds(point(&bed, "script.curve/size=16"), 2);
	end(&bed);
}

static void n_is_found_once_and_kept(void **state)
{
	static const uint64_t grains[] = { 20, 1000 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct bed bed;
		begin(&bed, 1);
		add(&bed, "script.curve");
		script.between = 0.05; /* calibrating anew would find another n */
		script.clock.grain_ns = grains[i % 2];
		script.op_ns = i < 2 ? 10 : 3000;
		bed.runner.rounds = 7;
		run(&bed);
		for (size_t j = 0; j < bed.run.points; j++) {
			const struct process *process = bed.run.point[j].process;
			/* A calibration may be disturbed, or its clock too grainy for the length aimed at: then it is
			 * done once more. */
			for (unsigned k = 2; k < 7; k++) {
				assert_int_equal(process[k].n, process[1].n);
				assert_int_equal(process[k].paired, process[1].paired);
			}
		}
		end(&bed);
	}
}

static void n_is_found_anew_when_batches_have_become_much_longer(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, 1);
	bed.runner.rounds = 8;
	bed.triple_after = 3;
	run(&bed);
	const struct process *process = bed.run.point[0].process;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t expected = i < 3 ? 2500 : 833;
		assert_in_range(process[i].n, expected * 95 / 100, expected * 105 / 100);
		assert_int_equal(process[i].n, process[i < 3 ? 0 : 3].n);
	}
	end(&bed);
}

static void a_signal_keeps_what_was_measured_and_resuming_adds_what_is_missing(void **state)
{
	struct bed bed;
	double kept[MACHINES][2];

	(void)state;
	begin(&bed, MACHINES);
	bed.runner.rounds = 6;
	script.interrupt_at = 2 * MACHINES + 3; /* in the third round, in the third job */
	spawn_begin_session();
	run(&bed);
	spawn_end_session();
	assert_int_equal(bed.signal, SIGTERM);
	assert_false(bed.run.complete);
	assert_string_equal(bed.run.reason, "ended by Terminated");
	assert_int_equal(bed.workers, 2 * MACHINES + 3);
	for (unsigned i = 0; i < MACHINES; i++) {
		assert_in_range(bed.run.point[i].processes, 2, 3);
		assert_true(isfinite(bed.run.point[i].value));
		for (unsigned j = 0; j < 2; j++)
			kept[i][j] = bed.run.point[i].process[j].location;
	}

	script.interrupt_at = 0;
	script.visits = 0;
	run(&bed);
	assert_int_equal(script.visits, 3 * MACHINES + 2);
	assert_true(bed.run.complete);
	assert_null(bed.run.reason);
	assert_int_equal(bed.signal, 0);
	for (unsigned i = 0; i < MACHINES; i++) {
		assert_rounds(&bed.run.point[i], 6);
		assert_int_equal(bed.run.point[i].verdict, VERDICT_OK);
		for (unsigned j = 0; j < 2; j++)
			assert_true(bed.run.point[i].process[j].location == kept[i][j]);
		assert_int_equal(bed.run.point[i].process[5].n, bed.run.point[i].process[0].n);
	}
	end(&bed);
}

/* The same as if it had not been interrupted: seeds belong to rounds and jobs, not to sessions. */
static void a_resumed_run_has_the_values_of_one_that_was_not_interrupted(void **state)
{
	struct bed whole, halves;

	(void)state;
	begin(&whole, MACHINES);
	whole.runner.rounds = 6;
	run(&whole);
	begin(&halves, MACHINES);
	halves.runner.rounds = 6;
	script.interrupt_at = 12;
	spawn_begin_session();
	run(&halves);
	spawn_end_session();
	run(&halves);
	for (unsigned i = 0; i < MACHINES; i++) {
		for (unsigned j = 0; j < 6; j++) {
			double a = whole.run.point[i].process[j].location, b = halves.run.point[i].process[j].location;
			assert_true(fabs(a / b - 1) < 1e-3); /* the clock's grain falls elsewhere */
		}
	}
	end(&whole);
	end(&halves);
}

static void a_resumed_run_keeps_to_the_rest_of_its_budget(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, MACHINES);
	script.interrupt_at = 6 * MACHINES + 2; /* about half of 12 rounds */
	double began_ns = script.now_ns;
	spawn_begin_session();
	run(&bed);
	spawn_end_session();
	script.interrupt_at = 0;
	run(&bed);
	assert_in_range(script.now_ns - began_ns, 17 * SECOND, 23 * SECOND); /* of 20 */
	for (unsigned i = 1; i < MACHINES; i++)
		assert_rounds(&bed.run.point[i], (unsigned)bed.run.point[0].processes);
	end(&bed);
}

static void a_complete_run_has_nothing_to_resume(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, MACHINES);
	script.unavailable[1] = true;
	script.fail_setup[2] = 2;
	bed.runner.rounds = 6;
	run(&bed);
	script.visits = 0;
	run(&bed);
	assert_int_equal(script.visits, 0);
	assert_true(bed.run.complete);
	assert_int_equal(bed.run.point[1].verdict, VERDICT_SKIPPED);
	assert_int_equal(bed.run.point[2].verdict, VERDICT_FAILED);
	end(&bed);
}

static void batches_are_kept_only_when_asked_for(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bed bed;
		begin(&bed, 1);
		bed.runner.rounds = 2;
		bed.runner.keep_batches = i;
		run(&bed);
		const struct process *process = &bed.run.point[0].process[0];
		assert_true((process->batch != NULL) == (i == 1));
		assert_true(process->batches > 100);
		end(&bed);
	}
}

static void crossing_without_a_second_cpu_is_skipped_with_words(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, 1);
	add(&bed, "ipc.pipe/place=cross");
	bed.runner.rounds = 2;
	run(&bed);
	assert_int_equal(bed.run.points, 2);
	assert_int_equal(bed.run.point[1].verdict, VERDICT_SKIPPED);
	assert_string_equal(bed.run.point[1].reason, "unavailable: place=cross needs a second CPU");
	assert_rounds(&bed.run.point[1], 1);
	end(&bed);
}

static void a_bench_that_needs_files_is_skipped_where_there_is_no_room_for_them(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, 1);
	add(&bed, "fs.read_bw");
	bed.runner.rounds = 2;
	run(&bed);
	for (size_t i = 1; i < bed.run.points; i++) {
		assert_int_equal(bed.run.point[i].verdict, VERDICT_SKIPPED);
		assert_string_equal(bed.run.point[i].reason,
				    "unavailable: no writable directory for files (set TMPDIR)");
	}
	end(&bed);
}

static void nothing_to_measure_is_an_error(void **state)
{
	struct bed bed;
	struct err err = { { 0 } };

	(void)state;
	begin(&bed, 0);
	assert_int_equal(runner_run(&bed.runner, &bed.run, &bed.signal, &err), -EINVAL);
	assert_string_equal(err.text, "there is nothing to measure");
	end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_point_gets_the_same_number_of_rounds),
		cmocka_unit_test(the_known_costs_come_out),
		cmocka_unit_test(the_order_changes_by_round_and_comes_again_with_its_seed),
		cmocka_unit_test(processes_of_a_point_and_points_of_a_round_have_seeds_of_their_own),
		cmocka_unit_test(a_run_takes_the_time_that_was_announced),
		cmocka_unit_test(a_slow_machine_keeps_the_budget_by_fewer_rounds),
		cmocka_unit_test(without_a_budget_to_fill_it_ends_when_all_are_precise),
		cmocka_unit_test(a_job_that_fails_twice_without_a_value_is_left_alone),
		cmocka_unit_test(a_job_that_cannot_be_had_is_asked_once),
		cmocka_unit_test(a_job_that_fails_now_and_then_is_visited_in_every_round),
		cmocka_unit_test(a_curve_that_fails_at_a_size_keeps_the_sizes_before),
		cmocka_unit_test(a_curve_without_any_value_is_left_alone_like_any_job),
		cmocka_unit_test(n_is_found_once_and_kept),
		cmocka_unit_test(n_is_found_anew_when_batches_have_become_much_longer),
		cmocka_unit_test(a_signal_keeps_what_was_measured_and_resuming_adds_what_is_missing),
		cmocka_unit_test(a_resumed_run_has_the_values_of_one_that_was_not_interrupted),
		cmocka_unit_test(a_resumed_run_keeps_to_the_rest_of_its_budget),
		cmocka_unit_test(a_complete_run_has_nothing_to_resume),
		cmocka_unit_test(batches_are_kept_only_when_asked_for),
		cmocka_unit_test(crossing_without_a_second_cpu_is_skipped_with_words),
		cmocka_unit_test(a_bench_that_needs_files_is_skipped_where_there_is_no_room_for_them),
		cmocka_unit_test(nothing_to_measure_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
