#include "machine/cgroup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "recorded.h"

static void a_v2_quota_is_read_at_the_root_of_the_namespace(void **state)
{
	(void)state;
	recorded_begin("container-v2");
	assert_true(fabs(cgroup_cpu_quota() - 1.5) < 1e-9);
	recorded_end();
}

static void of_nested_v1_quotas_the_tightest_counts(void **state)
{
	(void)state;
	recorded_begin("container-v1");
	assert_true(fabs(cgroup_cpu_quota() - 0.5) < 1e-9);
	recorded_end();
}

static void a_group_without_quota_is_unlimited(void **state)
{
	(void)state;
	recorded_begin("two-socket");
	assert_true(isinf(cgroup_cpu_quota()));
	recorded_end();
}

static void without_any_hierarchy_the_quota_is_unknown(void **state)
{
	(void)state;
	recorded_begin("guest");
	assert_true(isnan(cgroup_cpu_quota()));
	assert_null(cgroup_directories(NULL));
	recorded_end();
}

static void directories_go_from_the_own_group_to_the_mount_and_lose_what_is_not_mounted(void **state)
{
	(void)state;
	recorded_begin("container-v1");
	auto_free char *list = cgroup_directories("memory");
	assert_non_null(list);
	const char *second = list + strlen(list) + 1;
	assert_string_equal(list, "/sys/fs/cgroup/memory/c1");
	assert_string_equal(second, "/sys/fs/cgroup/memory");
	assert_string_equal(second + strlen(second) + 1, "");
	auto_free char *cpu = cgroup_directories("cpu"); /* mounted together with cpuacct */
	assert_string_equal(cpu, "/sys/fs/cgroup/cpu,cpuacct/c1");
	assert_null(cgroup_directories("cpuset"));
	recorded_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_v2_quota_is_read_at_the_root_of_the_namespace),
		cmocka_unit_test(of_nested_v1_quotas_the_tightest_counts),
		cmocka_unit_test(a_group_without_quota_is_unlimited),
		cmocka_unit_test(without_any_hierarchy_the_quota_is_unknown),
		cmocka_unit_test(directories_go_from_the_own_group_to_the_mount_and_lose_what_is_not_mounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
