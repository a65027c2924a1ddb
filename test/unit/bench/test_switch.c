/* Does the token of proc.switch make each hop, and get to everybody? Reads are counted by the kernel, for each process. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/root.h"
#include "drive.h"

enum { MOST = 96 };

static size_t children(pid_t *child)
{
	auto_free char *list = NULL;
	size_t count = 0;

	if (root_readf(&list, "/proc/self/task/%d/children", (int)getpid()) < 0)
		return 0;
	for (char *at = list, *end; count < MOST; at = end) {
		child[count] = (pid_t)strtol(at, &end, 10);
		if (end == at)
			break;
		count++;
	}
	return count;
}

/* Calls of read that have come back, UINT64_MAX where the kernel does not count them. */
static uint64_t reads(pid_t process)
{
	auto_free char *io = NULL;
	uint64_t calls;

	if (root_readf(&io, "/proc/%d/io", (int)process) < 0)
		return UINT64_MAX;
	const char *at = strstr(io, "syscr: ");
	return at && sscanf(at, "syscr: %" SCNu64, &calls) == 1 ? calls : UINT64_MAX;
}

/* expected: reads of each process in a batch of n; [0] is this one. */
static void expect_reads(uint64_t procs, uint64_t n, const uint64_t *expected)
{
	struct drive drive;
	pid_t child[MOST];
	uint64_t before[MOST], value[] = { procs, 4096 };

	assert_int_equal(drive_begin(&drive, "proc.switch", 0, NULL, value, 2), 0);
	size_t count = children(child);
	if (count == 0 || reads(child[0]) == UINT64_MAX) {
		drive_end(&drive);
		skip();
	}
	assert_int_equal(count, procs - 1);
	for (size_t i = 0; i < count; i++)
		before[i] = reads(child[i]);
	drive_run(&drive, n);
	drive_run(&drive, n);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(reads(child[i]) - before[i], 2 * expected[i + 1]);
	assert_int_equal(drive_check(&drive, 2 * n), 0);
	assert_int_equal(drive_check(&drive, 2 * n + 1), -EIO);
	drive_end(&drive);
	assert_int_equal(children(child), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nor one that nobody waited for */
}

static void test_every_process_gets_the_token_equally_often(void **state)
{
	const uint64_t procs[] = { 2, 8, 16, 24, 32, 96 };

	(void)state;
	for (size_t i = 0; i < countof(procs); i++) {
		uint64_t expected[MOST];
		for (size_t j = 0; j < procs[i]; j++)
			expected[j] = 96 / procs[i];
		expect_reads(procs[i], 96, expected);
	}
}

static void test_a_batch_that_is_no_multiple_of_the_ring_has_as_many_hops_as_asked_for(void **state)
{
	const uint64_t of_five[] = { 20, 20, 19, 19, 18 }; /* 18 laps of 5, one of 4, one of 2 */
	uint64_t of_sixty_four[64];

	(void)state;
	for (size_t i = 0; i < countof(of_sixty_four); i++)
		of_sixty_four[i] = i < 32 ? 2 : 1;
	expect_reads(5, 96, of_five);
	expect_reads(64, 96, of_sixty_four);
}

/* Wherever it sits: next to this process, in the middle, last; and whether or not the token lies in its pipe by then. */
static void test_a_process_that_is_killed_is_named_and_not_waited_for(void **state)
{
	uint64_t value[] = { 5, 0 };

	(void)state;
	for (unsigned place = 0; place < 4 * 5; place++) {
		struct drive drive;
		pid_t child[MOST];
		auto_free char *words = mem_text("process %u of 5", place % 4 + 2);
		assert_int_equal(drive_begin(&drive, "proc.switch", 0, NULL, value, 2), 0);
		drive_run(&drive, 96);
		if (children(child) == 0) {
			drive_end(&drive);
			skip();
		}
		assert_int_equal(kill(child[place % 4], SIGKILL), 0);
		drive_run(&drive, 96 * 10000); /* the end comes a while after the signal is sent */
		drive_run(&drive, 96);
		assert_int_equal(drive_check(&drive, drive.ops), -EPIPE);
		assert_non_null(strstr(drive.err.text, words));
		assert_non_null(strstr(drive.err.text, "killed by signal 9"));
		drive_end(&drive);
		assert_int_equal(children(child), 0);
	}
}

static void test_the_base_moves_a_token_and_sums_in_one_process(void **state)
{
	struct drive drive;
	uint64_t value[] = { 3, 4096 };

	(void)state;
	assert_int_equal(drive_begin(&drive, "proc.switch_base", 0, NULL, value, 2), 0);
	uint64_t before = reads(getpid());
	drive_run(&drive, 100);
	uint64_t after = reads(getpid());
	if (before != UINT64_MAX)
		assert_in_range(after - before, 100, 110); /* and those of looking */
	assert_int_equal(drive_check(&drive, 100), 0);
	assert_int_equal(drive_check(&drive, 101), -EIO);
	drive_end(&drive);
}

static void test_a_size_that_cannot_be_summed_whole_is_refused(void **state)
{
	const char *const name[] = { "proc.switch", "proc.switch_base" };
	uint64_t value[] = { 2, 100 };

	(void)state;
	for (size_t i = 0; i < countof(name); i++) {
		struct drive drive;
		assert_int_equal(drive_begin(&drive, name[i], 0, NULL, value, 2), -EINVAL);
		assert_non_null(strstr(drive.err.text, "100 bytes"));
		drive_end(&drive);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_process_gets_the_token_equally_often),
		cmocka_unit_test(test_a_batch_that_is_no_multiple_of_the_ring_has_as_many_hops_as_asked_for),
		cmocka_unit_test(test_a_process_that_is_killed_is_named_and_not_waited_for),
		cmocka_unit_test(test_the_base_moves_a_token_and_sums_in_one_process),
		cmocka_unit_test(test_a_size_that_cannot_be_summed_whole_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
