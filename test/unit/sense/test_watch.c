#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/root.h"
#include "sense/watch.h"

static char tree[] = "/tmp/assay-watch-XXXXXX";

static void put(const char *path, const char *text)
{
	auto_free char *full = mem_text("%s%s", tree, path);

	for (char *slash = strchr(full + strlen(tree) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int plant(void **state)
{
	(void)state;
	strcpy(tree + strlen(tree) - 6, "XXXXXX");
	if (!mkdtemp(tree))
		return -1;
	root_set(tree);
	return 0;
}

static int clear(void **state)
{
	auto_free char *command = mem_text("rm -rf %s", tree);

	(void)state;
	root_set(NULL);
	return system(command);
}

/* A clock that moves when told to, or through a list of steps. */
struct script {
	uint64_t now;
	const uint64_t *step;
	size_t steps, at;
};

static uint64_t scripted(void *clock)
{
	struct script *script = clock;

	if (script->at < script->steps)
		script->now += script->step[script->at++];
	return script->now;
}

struct seen {
	struct condition *condition;
	size_t count;
};

static void seen_done(struct seen *seen)
{
	for (size_t i = 0; i < seen->count; i++)
		condition_done(&seen->condition[i]);
	free(seen->condition);
}

static const struct condition *find(const struct seen *seen, const char *id)
{
	for (size_t i = 0; i < seen->count; i++) {
		if (!strcmp(seen->condition[i].id, id))
			return &seen->condition[i];
	}
	return NULL;
}

static void assert_seen(const struct seen *seen, const char *id, double value, enum verdict verdict)
{
	const struct condition *condition = find(seen, id);

	if (!condition)
		fail_msg("%s is missing", id);
	else if (fabs(condition->value - value) > 1e-9 || condition->verdict != verdict)
		fail_msg("%s is %g, %s", id, condition->value, verdict_name(condition->verdict));
	assert_true((condition->text != NULL) == (verdict != VERDICT_OK));
}

#define auto_seen __attribute__((cleanup(seen_done)))

static void waiting_for_the_cpu_makes_noise_with_a_reason(void **state)
{
	struct script clock = { .now = 5000 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/thread-self/schedstat", "1000000 200000000 10\n");
	watch_begin_by(&watch, 0, scripted, &clock);
	put("/proc/thread-self/schedstat", "2000000 320000000 20\n");
	clock.now += 1000000000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "runqueue.wait", 0.12, VERDICT_NOISY);
	assert_string_equal(find(&seen, "runqueue.wait")->text,
			    "the CPU was taken away 12 % of the time (run-queue wait); close other programs");
	assert_string_equal(find(&seen, "runqueue.wait")->unit, "ratio");
	assert_true(find(&seen, "runqueue.wait")->threshold == 0.05);
}

static void a_little_waiting_is_only_told(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/self/schedstat", "1000000 0 10\n"); /* a kernel before 3.17 has no thread-self */
	watch_begin_by(&watch, 0, scripted, &clock);
	put("/proc/self/schedstat", "2000000 49000000 20\n");
	clock.now += 1000000000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "runqueue.wait", 0.049, VERDICT_OK);
}

static void whoever_gives_up_the_cpu_is_not_judged_for_waiting(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/thread-self/schedstat", "1000 0 1\n");
	watch_begin_by(&watch, 0, scripted, &clock);
	put("/proc/thread-self/schedstat", "2000 500 9\n");
	clock.now += 1000;
	watch_end(&watch, true, &seen.condition, &seen.count);
	assert_seen(&seen, "runqueue.wait", 0.5, VERDICT_OK);
	assert_true(isnan(find(&seen, "runqueue.wait")->threshold));
	assert_non_null(find(&seen, "switches.involuntary"));
}

static void a_machine_that_tells_nothing_has_no_zeros(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	watch_begin_by(&watch, 0, scripted, &clock);
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	/* Only what getrusage(2) tells of this very process. */
	assert_int_equal(seen.count, 3);
	assert_true(find(&seen, "switches.involuntary") && find(&seen, "faults.minor") && find(&seen, "faults.major"));
}

static void a_kernel_without_statistics_is_not_taken_for_quiet(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/thread-self/schedstat", "0 0 0\n");
	watch_begin_by(&watch, 0, scripted, &clock);
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_null(find(&seen, "runqueue.wait"));
}

static void hostile_files_are_passed_over(void **state)
{
	static const char *const wrong[] = { "", "\n", "x", "-1 -2 -3", "1 2", "cpu0", "cpu0 ", "cpu0 1 2 3",
					     "cpu0 a b c", "::", ":::::", "0:", "1:cpu", "1:cpu:", "0::",
					     "0::x", "nr_throttled" };

	(void)state;
	for (size_t i = 0; i < countof(wrong); i++) {
		struct script clock = { 0 };
		struct seen auto_seen seen = { 0 };
		struct watch watch;
		put("/proc/thread-self/schedstat", wrong[i]);
		put("/proc/stat", wrong[i]);
		put("/proc/self/cgroup", wrong[i]);
		put("/sys/fs/cgroup/cpu/cpu.stat", wrong[i]);
		watch_begin_by(&watch, 0, scripted, &clock);
		clock.now += 1000;
		watch_end(&watch, false, &seen.condition, &seen.count);
		assert_int_equal(seen.count, 3);
	}
}

static void stolen_time_of_the_watched_cpu_is_seen(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/stat", "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 5 5 5 5 5 5 5 5 5 5\n"
			  "cpu10 100 0 50 800 0 0 0 50 0 0\nintr 1\n");
	watch_begin_by(&watch, 10, scripted, &clock);
	put("/proc/stat", "cpu  9 9 9 9 9 9 9 99 9 9\ncpu1 5 5 5 5 5 5 5 55 5 5\n"
			  "cpu10 180 0 55 805 0 0 0 60 70 0\nintr 1\n");
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "steal", 0.1, VERDICT_NOISY);
	assert_non_null(strstr(find(&seen, "steal")->text, "10 % of the time (steal)"));
}

static void two_stolen_ticks_may_be_rounding(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
	watch_begin_by(&watch, -1, scripted, &clock);
	put("/proc/stat", "cpu  18 0 0 0 0 0 0 2 0 0\n");
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "steal", 0.1, VERDICT_OK);
}

static void a_quota_that_ran_out_is_not_to_be_trusted(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/self/cgroup", "0::/user.slice/job\n");
	put("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
	put("/sys/fs/cgroup/user.slice/job/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_usec 9\n");
	watch_begin_by(&watch, 0, scripted, &clock);
	put("/sys/fs/cgroup/user.slice/job/cpu.stat", "nr_periods 20\nnr_throttled 7\nthrottled_usec 9\n");
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "cgroup.throttled", 3, VERDICT_UNTRUSTED);
	assert_non_null(strstr(find(&seen, "cgroup.throttled")->text, "ran out 3 times"));
}

static void a_quota_above_and_in_version_one_counts_too(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/self/cgroup", "5:cpuset:/\n4:cpuacct,cpu:/docker/abc\n0::/\n");
	put("/proc/self/mountinfo",
	    "31 23 0:27 / /sys/fs/cgroup/cpuacct,cpu rw - cgroup cgroup rw,cpuacct,cpu\n");
	put("/sys/fs/cgroup/cpuacct,cpu/docker/abc/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	put("/sys/fs/cgroup/cpuacct,cpu/docker/cpu.stat", "nr_periods 0\nnr_throttled 1\nthrottled_time 0\n");
	watch_begin_by(&watch, 0, scripted, &clock);
	put("/sys/fs/cgroup/cpuacct,cpu/docker/cpu.stat", "nr_periods 0\nnr_throttled 2\nthrottled_time 0\n");
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "cgroup.throttled", 1, VERDICT_UNTRUSTED);
}

static void inside_a_container_the_mounted_root_is_the_group(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/self/cgroup", "0::/kubepods/pod1/c2\n");
	put("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
	put("/sys/fs/cgroup/cpu.stat", "nr_periods 3\nnr_throttled 2\n");
	watch_begin_by(&watch, 0, scripted, &clock);
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "cgroup.throttled", 0, VERDICT_OK);
}

static void the_root_group_is_counted_once(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
	put("/sys/fs/cgroup/cpu.stat", "nr_throttled 2\n");
	watch_begin_by(&watch, 0, scripted, &clock);
	put("/sys/fs/cgroup/cpu.stat", "nr_throttled 3\n");
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "cgroup.throttled", 1, VERDICT_UNTRUSTED);
}

static void a_core_slowed_for_heat_is_not_to_be_trusted(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	put("/sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "41\n");
	watch_begin_by(&watch, 3, scripted, &clock);
	put("/sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "42\n");
	clock.now += 1000;
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "thermal.throttled", 1, VERDICT_UNTRUSTED);
}

static void a_clock_that_moved_by_more_than_two_percent_makes_noise(void **state)
{
	static const struct {
		double before, after, drift;
		enum verdict verdict;
	} row[] = { { 3e9, 3.03e9, 0.01, VERDICT_OK }, { 3e9, 2.7e9, 0.1, VERDICT_NOISY },
		    { 2e9, 3e9, 0.5, VERDICT_NOISY }, { 3e9, 3e9, 0, VERDICT_OK } };

	(void)state;
	for (size_t i = 0; i < countof(row); i++) {
		struct script clock = { 0 };
		struct seen auto_seen seen = { 0 };
		struct watch watch;
		watch_begin_by(&watch, 0, scripted, &clock);
		watch_clock(&watch, row[i].before, row[i].after);
		watch_end(&watch, false, &seen.condition, &seen.count);
		assert_seen(&seen, "clock.drift", row[i].drift, row[i].verdict);
	}
}

static void an_unknown_clock_does_not_drift(void **state)
{
	struct script clock = { 0 };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	watch_begin_by(&watch, 0, scripted, &clock);
	watch_clock(&watch, NAN, 3e9);
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_null(find(&seen, "clock.drift"));
}

static void gaps_of_more_than_a_microsecond_are_time_lost(void **state)
{
	/* The first step belongs to begin, the second to the first reading of the gap detector. */
	static const uint64_t step[] = { 0, 0, 40, 960, 1000, 1001, 40, 5000, 1959 };
	struct script clock = { .step = step, .steps = countof(step) };
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	watch_begin_by(&watch, 0, scripted, &clock);
	watch_gaps(&watch, 10000);
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_seen(&seen, "gaps.share", (1001 + 5000 + 1959) / 10000., VERDICT_OK);
	assert_seen(&seen, "gaps.longest", 5000, VERDICT_OK);
}

static void the_real_machine_can_be_watched(void **state)
{
	struct seen auto_seen seen = { 0 };
	struct watch watch;

	(void)state;
	root_set(NULL);
	watch_begin(&watch, 0);
	watch_gaps(&watch, 2000000);
	watch_end(&watch, false, &seen.condition, &seen.count);
	assert_non_null(find(&seen, "gaps.share"));
	for (size_t i = 0; i < seen.count; i++) {
		assert_true(seen.condition[i].value >= 0);
		assert_true(strcmp(seen.condition[i].unit, "ratio") || seen.condition[i].value <= 1.01);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(waiting_for_the_cpu_makes_noise_with_a_reason, plant, clear),
		cmocka_unit_test_setup_teardown(a_little_waiting_is_only_told, plant, clear),
		cmocka_unit_test_setup_teardown(whoever_gives_up_the_cpu_is_not_judged_for_waiting, plant, clear),
		cmocka_unit_test_setup_teardown(a_machine_that_tells_nothing_has_no_zeros, plant, clear),
		cmocka_unit_test_setup_teardown(a_kernel_without_statistics_is_not_taken_for_quiet, plant, clear),
		cmocka_unit_test_setup_teardown(hostile_files_are_passed_over, plant, clear),
		cmocka_unit_test_setup_teardown(stolen_time_of_the_watched_cpu_is_seen, plant, clear),
		cmocka_unit_test_setup_teardown(two_stolen_ticks_may_be_rounding, plant, clear),
		cmocka_unit_test_setup_teardown(a_quota_that_ran_out_is_not_to_be_trusted, plant, clear),
		cmocka_unit_test_setup_teardown(a_quota_above_and_in_version_one_counts_too, plant, clear),
		cmocka_unit_test_setup_teardown(inside_a_container_the_mounted_root_is_the_group, plant, clear),
		cmocka_unit_test_setup_teardown(the_root_group_is_counted_once, plant, clear),
		cmocka_unit_test_setup_teardown(a_core_slowed_for_heat_is_not_to_be_trusted, plant, clear),
		cmocka_unit_test_setup_teardown(a_clock_that_moved_by_more_than_two_percent_makes_noise, plant, clear),
		cmocka_unit_test_setup_teardown(an_unknown_clock_does_not_drift, plant, clear),
		cmocka_unit_test_setup_teardown(gaps_of_more_than_a_microsecond_are_time_lost, plant, clear),
		cmocka_unit_test_setup_teardown(the_real_machine_can_be_watched, plant, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
