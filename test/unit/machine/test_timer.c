#include "machine/timer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void time_never_goes_backwards(void **state)
{
	uint64_t last = timer_now_ns();

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uint64_t now = timer_now_ns();
		assert_true(now >= last);
		last = now;
	}
}

static void a_sleep_is_never_seen_shorter_than_it_was(void **state)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	uint64_t start = timer_now_ns();

	(void)state;
	assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL), 0);
	/* The two clocks may differ by the slew that NTP puts on one of them: 500 ppm. */
	assert_true((double)(timer_now_ns() - start) >= 20e6 * (1 - 500e-6));
}

static void the_self_test_names_a_clock_and_its_costs(void **state)
{
	struct timer_facts facts;

	(void)state;
	timer_self_test(&facts);
	assert_true(!strcmp(facts.name, "CLOCK_MONOTONIC_RAW") || !strcmp(facts.name, "CLOCK_MONOTONIC"));
	assert_true(facts.cost_ns > 0);
	assert_true(facts.syscall_cost_ns > 0);
	assert_true(isnan(facts.grain_ns) || facts.grain_ns >= 1);
	assert_true(!facts.vdso || facts.cost_ns < facts.syscall_cost_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_never_goes_backwards),
		cmocka_unit_test(a_sleep_is_never_seen_shorter_than_it_was),
		cmocka_unit_test(the_self_test_names_a_clock_and_its_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
