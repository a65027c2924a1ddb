/* Figures derived from points of one run, round by round. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "harness/derive.h"
#include "harness/estimate.h"

static void put(struct run *run, const char *id, unsigned round, double value)
{
	struct point *point = run_find_point(run, id);

	if (!point) {
		point = run_add_point(run, id);
		point->unit = mem_copy("ns");
	}
	struct process process = { .round = round, .steady = true, .location = value, .clock_hz = 2e9 };
	if (isnan(value)) {
		process.outcome = VERDICT_FAILED;
		process.reason = mem_copy("as asked");
	}
	point_add_process(point, &process);
}

static struct point *get(struct run *run, const char *id)
{
	struct point *point = run_find_point(run, id);

	if (!point)
		fail_msg("%s is not there", id);
	return point;
}

static void a_derived_point_is_planned_when_all_its_sources_are(void **state)
{
	struct run run = { 0 };

	(void)state;
	put(&run, "syscall.simple:read", 0, 100);
	derive_plan(&run);
	assert_null(run_find_point(&run, "syscall.null_io"));
	put(&run, "syscall.simple:write", 0, 80);
	derive_plan(&run);
	const struct point *point = get(&run, "syscall.null_io");
	assert_true(point->derived);
	assert_string_equal(point->unit, "ns");
	assert_int_equal(point->better, BETTER_LESS);
	assert_int_equal(point->sources, 2);
	assert_int_equal(point->processes, 0);
	size_t points = run.points;
	derive_plan(&run); /* again, as when a run is resumed */
	assert_int_equal(run.points, points);
	run_done(&run);
}

/* The median of sums is not the sum of medians: rounds go through the formula one by one. */
static void values_are_computed_round_by_round(void **state)
{
	static const double reads[] = { 100, 200, 300 }, writes[] = { 80, 10, 20 };
	struct run run = { 0 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		put(&run, "syscall.simple:read", i, reads[i]);
		put(&run, "syscall.simple:write", i, writes[i]);
	}
	derive_plan(&run);
	for (unsigned i = 0; i < 3; i++)
		derive_round(&run, i);
	struct point *point = get(&run, "syscall.null_io");
	assert_int_equal(point->processes, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(point->process[i].round, i);
		assert_true(point->process[i].location == (reads[i] + writes[i]) / 2);
		assert_true(point->process[i].clock_hz == 2e9);
	}
	estimate_point(point);
	assert_true(point->value == 105);
	derive_round(&run, 1); /* a round that has its value is left alone */
	assert_int_equal(point->processes, 3);
	run_done(&run);
}

static void a_round_without_a_source_is_refused_with_words(void **state)
{
	struct run run = { 0 };

	(void)state;
	put(&run, "syscall.simple:read", 0, 100);
	put(&run, "syscall.simple:write", 0, NAN);
	derive_plan(&run);
	derive_round(&run, 0);
	derive_round(&run, 1);
	struct point *point = get(&run, "syscall.null_io");
	assert_int_equal(point->process[0].outcome, VERDICT_SKIPPED);
	assert_string_equal(point->process[0].reason, "syscall.simple:write has no value: as asked");
	assert_string_equal(point->process[1].reason, "syscall.simple:read has no value");
	estimate_point(point);
	assert_int_equal(point->verdict, VERDICT_SKIPPED);
	assert_true(isnan(point->value));
	run_done(&run);
}

static void a_context_switch_is_the_hop_less_what_is_no_switch(void **state)
{
	struct run run = { 0 };

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		put(&run, "proc.switch/procs=8,size=16k", i, 2000 + i);
		put(&run, "proc.switch_base/procs=8,size=16k", i, 1500);
		put(&run, "proc.switch/procs=2,size=0", i, 900);
		put(&run, "proc.switch_base/procs=2,size=0", i, 1000);
	}
	derive_plan(&run);
	for (unsigned i = 0; i < 6; i++)
		derive_round(&run, i);
	estimate_run(&run);
	const struct point *eight = get(&run, "proc.context_switch/procs=8,size=16k");
	assert_true(eight->value == 502.5);
	assert_true(eight->low >= 500 && eight->high <= 505);
	/* Below zero means lost in the noise, and is no reason to hide it. */
	assert_true(get(&run, "proc.context_switch/procs=2,size=0")->value == -100);
	assert_null(run_find_point(&run, "proc.context_switch/procs=2,size=64k"));
	run_done(&run);
}

static void curves_are_gathered_in_order_and_by_their_job(void **state)
{
	static const unsigned sizes[] = { 64, 1, 16, 4 };
	struct run run = { 0 };
	auto_free struct derive_curve *curve = mem_new(1, sizeof *curve);
	struct err err = { { 0 } };
	struct derive_input in = { .run = &run };

	(void)state;
	for (size_t i = 0; i < countof(sizes); i++) {
		auto_free char *mine = mem_text("t.c:v/size=%uk,page=huge", sizes[i]);
		auto_free char *other = mem_text("t.c:v/size=%uk,page=4k", sizes[i]);
		put(&run, mine, 0, sizes[i] * 10);
		put(&run, other, 0, 1);
	}
	assert_int_equal(derive_curve(&in, "t.c:v/page=huge", "size", curve, &err), 0);
	assert_int_equal(curve->count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(curve->y[i] * 1024 == curve->x[i] * 10 && (!i || curve->x[i] > curve->x[i - 1]));
	assert_int_equal(derive_curve(&in, "t.c:w/page=huge", "size", curve, &err), -ENOENT);
	assert_string_equal(err.text, "t.c:w/page=huge is not part of this run");
	put(&run, "t.c:v/size=128k,page=huge", 0, NAN);
	assert_int_equal(derive_curve(&in, "t.c:v/page=huge", "size", curve, &err), -ENODATA);
	assert_string_equal(err.text, "t.c:v/size=128k,page=huge has no value: as asked");
	run_done(&run);
}

/* A machine with 32 KiB, 512 KiB and 16 MiB of cache. */
static double latency_ns(uint64_t bytes)
{
	return bytes <= 32 << 10 ? 1.5 : bytes <= 512 << 10 ? 5 : bytes <= 16 << 20 ? 20 : 90;
}

static void put_hierarchy(struct run *run, uint64_t largest)
{
	for (uint64_t size = 512; size <= largest; size *= 2) {
		auto_free char *id = mem_text("mem.latency:random/size=%llu%s,page=huge,spacing=64",
					      (unsigned long long)(size < 1024 ? size : size < 1 << 20 ? size >> 10 : size >> 20),
					      size < 1024 ? "" : size < 1 << 20 ? "k" : "m");
		put(run, id, 0, latency_ns(size));
	}
	derive_plan(run);
	derive_round(run, 0);
}

static void levels_of_the_caches_are_read_from_the_curve(void **state)
{
	static const struct {
		const char *id;
		double value;
	} rows[] = { { "mem.level:l1", 1.5 },	     { "mem.level:l2", 5 },	  { "mem.level:l3", 20 },
		     { "mem.level:main", 90 },	     { "mem.cache:l1", 32 << 10 }, { "mem.cache:l2", 512 << 10 },
		     { "mem.cache:l3", 16 << 20 } };
	struct run run = { 0 };

	(void)state;
	put_hierarchy(&run, UINT64_C(256) << 20);
	for (size_t i = 0; i < countof(rows); i++) {
		const struct process *process = &get(&run, rows[i].id)->process[0];
		assert_int_equal(process->outcome, VERDICT_OK);
		assert_true(process->location == rows[i].value);
	}
	run_done(&run);
}

static void what_a_curve_does_not_show_is_not_made_up(void **state)
{
	struct run run = { 0 };

	(void)state;
	put_hierarchy(&run, UINT64_C(8) << 20); /* ends inside the third cache */
	const struct process *main_memory = &get(&run, "mem.level:main")->process[0];
	assert_int_equal(main_memory->outcome, VERDICT_SKIPPED);
	assert_string_equal(main_memory->reason, "the largest size, 8m, may be inside a cache: choose 32m or more");
	const struct process *third = &get(&run, "mem.cache:l3")->process[0];
	assert_int_equal(third->outcome, VERDICT_SKIPPED);
	assert_non_null(strstr(third->reason, "no third level visible"));
	assert_true(isnan(third->location));
	run_done(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_derived_point_is_planned_when_all_its_sources_are),
		cmocka_unit_test(values_are_computed_round_by_round),
		cmocka_unit_test(a_round_without_a_source_is_refused_with_words),
		cmocka_unit_test(a_context_switch_is_the_hop_less_what_is_no_switch),
		cmocka_unit_test(curves_are_gathered_in_order_and_by_their_job),
		cmocka_unit_test(levels_of_the_caches_are_read_from_the_curve),
		cmocka_unit_test(what_a_curve_does_not_show_is_not_made_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
