#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpulist.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"

static void assert_same(const char *text, const char *again)
{
	struct cpulist auto_cpulist list = { 0 };

	assert_int_equal(cpulist_parse(&list, text, NULL), 0);
	auto_free char *out = cpulist_format(&list);
	assert_string_equal(out, again);
}

static void ranges_gaps_and_any_order_become_the_kernel_form(void **state)
{
	(void)state;
	assert_same("", "");
	assert_same("\n", "");
	assert_same("0", "0");
	assert_same("0-3,8,10-11\n", "0-3,8,10-11");
	assert_same("8,0-3,10,11", "0-3,8,10-11");
	assert_same("3,3,2-4,1-1", "1-4");
	assert_same("0,2,4", "0,2,4");
	assert_same("65535", "65535");
}

static void what_is_no_list_is_refused_and_leaves_it_empty(void **state)
{
	static const char *const wrong[] = { "a", ",", "1,", ",1", "1,,2", "-1", "1-", "3-1", "1-2-3", "0x3", " 1",
					     "1 ", "1, 2", "0-3\n5", "0-3\n\n", "65536", "0-65536", "0-4000000000",
					     "99999999999999999999", "1-99999999999999999999", "1.5", "\xff" };

	(void)state;
	for (size_t i = 0; i < countof(wrong); i++) {
		struct cpulist auto_cpulist list = { 0 };
		struct err err = { "" };
		assert_int_equal(cpulist_parse(&list, wrong[i], &err), -EINVAL);
		assert_int_equal(list.count, 0);
		assert_non_null(strstr(err.text, "is not a list of CPUs"));
	}
}

static void four_thousand_cpus_fit(void **state)
{
	struct cpulist auto_cpulist list = { 0 };
	struct text auto_text odd = { 0 };

	(void)state;
	assert_int_equal(cpulist_parse(&list, "0-4095", NULL), 0);
	assert_int_equal(list.count, 4096);
	assert_true(cpulist_has(&list, 4095) && !cpulist_has(&list, 4096) && !cpulist_has(&list, -1));
	for (int cpu = 4095; cpu > 0; cpu -= 2)
		text_add(&odd, cpu < 4095 ? ",%d" : "%d", cpu);
	struct cpulist auto_cpulist second = { 0 };
	assert_int_equal(cpulist_parse(&second, text_get(&odd), NULL), 0);
	assert_int_equal(second.count, 2048);
	for (size_t i = 0; i < second.count; i++)
		assert_int_equal(second.cpu[i], 2 * i + 1);
}

static void a_range_repeated_a_hundred_times_costs_no_minutes(void **state)
{
	struct cpulist auto_cpulist list = { 0 };
	struct text auto_text text = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		text_add(&text, i ? ",0-65535" : "0-65535");
	assert_int_equal(cpulist_parse(&list, text_get(&text), NULL), 0);
	assert_int_equal(list.count, 65536);
}

static void adding_in_any_order_keeps_the_list_ascending_without_doubles(void **state)
{
	struct cpulist auto_cpulist list = { 0 };
	struct random random = { 31 };
	bool there[500] = { false };
	size_t count = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		int cpu = (int)random_below(&random, countof(there));
		count += !there[cpu];
		there[cpu] = true;
		cpulist_add(&list, cpu);
	}
	assert_int_equal(list.count, count);
	for (size_t i = 1; i < list.count; i++)
		assert_true(list.cpu[i - 1] < list.cpu[i]);
	for (int cpu = 0; cpu < 500; cpu++)
		assert_int_equal(cpulist_has(&list, cpu), there[cpu]);
}

static void affinity_can_be_narrowed_to_one_cpu_and_restored(void **state)
{
	struct cpulist auto_cpulist all = { 0 }, one = { 0 }, seen = { 0 }, none = { 0 };

	(void)state;
	assert_int_equal(cpulist_allowed(&all), 0);
	assert_true(all.count > 0);
	cpulist_add(&one, all.cpu[all.count - 1]);
	assert_int_equal(cpulist_apply(&one), 0);
	assert_int_equal(cpulist_allowed(&seen), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(sched_getcpu(), one.cpu[0]);
	assert_int_equal(cpulist_apply(&all), 0);
	assert_int_equal(cpulist_apply(&none), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_gaps_and_any_order_become_the_kernel_form),
		cmocka_unit_test(what_is_no_list_is_refused_and_leaves_it_empty),
		cmocka_unit_test(four_thousand_cpus_fit),
		cmocka_unit_test(a_range_repeated_a_hundred_times_costs_no_minutes),
		cmocka_unit_test(adding_in_any_order_keeps_the_list_ascending_without_doubles),
		cmocka_unit_test(affinity_can_be_narrowed_to_one_cpu_and_restored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
