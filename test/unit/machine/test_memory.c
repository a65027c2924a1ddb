#include "machine/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "recorded.h"

static void without_limits_what_is_available_is_usable(void **state)
{
	struct memory memory;

	(void)state;
	recorded_begin("two-socket");
	memory_read(&memory);
	assert_int_equal(memory.total_bytes, UINT64_C(263856100) << 10);
	assert_true(memory.limit_bytes == UINT64_MAX);
	assert_int_equal(memory.usable_bytes, UINT64_C(251658240) << 10);
	assert_int_equal(memory.page_bytes, 4096);
	assert_string_equal(memory.thp_mode, "always");
	assert_int_equal(memory.thp_bytes, 2 << 20);
	assert_int_equal(memory.hugepages, 16);
	assert_int_equal(memory.hugepages_free, 12);
	memory_done(&memory);
	recorded_end();
}

static void a_v2_limit_caps_what_is_usable(void **state)
{
	(void)state;
	recorded_begin("container-v2");
	assert_int_equal(memory_usable_bytes(), 512 << 20);
	recorded_end();
}

static void a_v1_limit_of_a_parent_counts_and_the_huge_one_means_none(void **state)
{
	(void)state;
	recorded_begin("container-v1");
	assert_int_equal(memory_usable_bytes(), 256 << 20);
	recorded_end();
}

static void an_old_kernel_without_memavailable_counts_free_buffers_and_cache(void **state)
{
	(void)state;
	recorded_begin("big-little");
	assert_int_equal(memory_usable_bytes(), UINT64_C(2000000) << 10);
	assert_int_equal(memory_page_bytes(), 4096); /* from smaps: Arm kernels choose */
	recorded_end();
}

static void what_a_recorded_tree_does_not_hold_stays_unknown(void **state)
{
	struct memory memory;

	(void)state;
	recorded_begin("no-proc");
	memory_read(&memory);
	assert_int_equal(memory.total_bytes, 0);
	assert_int_equal(memory.usable_bytes, 0);
	assert_int_equal(memory.page_bytes, 0);
	assert_int_equal(memory.hugepages, -1);
	assert_null(memory.thp_mode);
	memory_done(&memory);
	recorded_end();
}

static void an_address_space_limit_of_this_process_counts(void **state)
{
	struct rlimit old, low;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* the sanitizer's own shadow takes more than any limit */
#endif
	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	low = old;
	low.rlim_cur = 600 << 20;
	uint64_t before = memory_usable_bytes();
	assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
	uint64_t limited = memory_usable_bytes();
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
	assert_true(before > 0);
	assert_true(limited <= 600 << 20);
	assert_int_equal(memory_page_bytes(), sysconf(_SC_PAGESIZE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_limits_what_is_available_is_usable),
		cmocka_unit_test(a_v2_limit_caps_what_is_usable),
		cmocka_unit_test(a_v1_limit_of_a_parent_counts_and_the_huge_one_means_none),
		cmocka_unit_test(an_old_kernel_without_memavailable_counts_free_buffers_and_cache),
		cmocka_unit_test(what_a_recorded_tree_does_not_hold_stays_unknown),
		cmocka_unit_test(an_address_space_limit_of_this_process_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
