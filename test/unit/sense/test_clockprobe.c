#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "sense/clockprobe.h"

/* Time as a script: each reading is `step` later than the one before; with `slow`, only every slow-th is, and the
 * others come ten times as late. */
struct script {
	uint64_t now, step;
	unsigned readings, slow;
};

static uint64_t scripted(void *clock)
{
	struct script *script = clock;

	script->readings++;
	script->now += script->slow && script->readings % script->slow ? 10 * script->step : script->step;
	return script->now;
}

/* The shortest calibration is 16 loops of 64 additions: 1,024 additions. */
static double hz_of(double ns)
{
	return 1024 / ns * 1e9;
}

static void additions_over_time_are_the_clock(void **state)
{
	struct script script = { .step = 64000 };
	double hz = clockprobe_hz(scripted, &script, 10 * 64000);

	(void)state;
	if (isnan(hz))
		skip(); /* this architecture's chain says nothing about cycles */
	assert_true(fabs(hz - hz_of(64000)) < 1);
}

static void disturbed_batches_do_not_move_it(void **state)
{
	/* Three of four readings come late, so one batch in four is clean. */
	struct script script = { .step = 64000, .slow = 4 };
	double hz = clockprobe_hz(scripted, &script, 1000 * 64000);

	(void)state;
	if (isnan(hz))
		skip();
	assert_true(fabs(hz - hz_of(64000)) < 1);
}

static void batches_grow_until_the_clock_can_tell(void **state)
{
	/* 100 ns between readings whatever is between them: no batch ever lasts long enough. */
	struct script script = { .step = 100 };

	(void)state;
	assert_true(isnan(clockprobe_hz(scripted, &script, 1000000)));
	assert_in_range(script.readings, 20, 60);
}

static void a_clock_that_stands_or_runs_backwards_tells_nothing(void **state)
{
	struct script still = { .step = 0 }, back = { .now = UINT64_MAX / 2, .step = (uint64_t)-1000 };

	(void)state;
	assert_true(isnan(clockprobe_hz(scripted, &still, 1000000)));
	assert_true(isnan(clockprobe_hz(scripted, &back, 1000000)));
	assert_true(isnan(clockprobe_ratio_mul(scripted, &still, 1000000)));
}

static uint64_t monotonic_ns(void *clock)
{
	struct timespec now;

	(void)clock;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Only an order of magnitude, and only that the chains are what they claim: a multiplication is the slower one. */
static void a_real_core_is_between_a_megahertz_and_a_terahertz(void **state)
{
	double hz = clockprobe_hz(monotonic_ns, NULL, 2000000);

	(void)state;
	if (isnan(hz))
		skip();
	assert_true(hz > 1e6 && hz < 1e12);
	assert_true(clockprobe_ratio_mul(monotonic_ns, NULL, 4000000) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(additions_over_time_are_the_clock),
		cmocka_unit_test(disturbed_batches_do_not_move_it),
		cmocka_unit_test(batches_grow_until_the_clock_can_tell),
		cmocka_unit_test(a_clock_that_stands_or_runs_backwards_tells_nothing),
		cmocka_unit_test(a_real_core_is_between_a_megahertz_and_a_terahertz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
