/* Do the benches of files and mappings do the work they say? Counted in the directory, and by the kernel. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/root.h"
#include "drive.h"

enum { BLOCK = 64 << 10 };

static char scratch[] = "/tmp/assay-files-XXXXXX";

static int begin(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return rmdir(scratch);
}

/* Files in the directory, which all must have this size; with remove they are removed. */
static uint64_t files_of(off_t size, bool remove)
{
	DIR *dir = opendir(scratch);
	uint64_t count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		struct stat facts;
		if (entry->d_name[0] == '.')
			continue;
		assert_int_equal(fstatat(dirfd(dir), entry->d_name, &facts, 0), 0);
		assert_int_equal(facts.st_size, size);
		count++;
		if (remove)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	closedir(dir);
	return count;
}

static void test_create_makes_as_many_files_of_that_size_as_asked_for(void **state)
{
	const uint64_t size[] = { 0, 10240, 300000 };

	(void)state;
	for (size_t i = 0; i < countof(size); i++) {
		struct drive drive;
		assert_int_equal(drive_begin(&drive, "fs.file", 0, scratch, &size[i], 1), 0);
		for (uint64_t n = 1; n <= 40; n += 13) {
			assert_int_equal(drive_prepare(&drive, n), 0);
			uint64_t before = files_of((off_t)size[i], false);
			drive_run(&drive, n);
			assert_int_equal(files_of((off_t)size[i], false) - before, n);
		}
		assert_int_equal(drive_check(&drive, drive.ops), 0);
		assert_int_equal(drive_check(&drive, drive.ops + 1), -EIO);
		drive_end(&drive);
		files_of((off_t)size[i], true);
	}
}

static void test_delete_removes_what_was_made_outside_the_clock(void **state)
{
	struct drive drive;
	uint64_t size = 10240;

	(void)state;
	assert_int_equal(drive_begin(&drive, "fs.file", 1, scratch, &size, 1), 0);
	for (uint64_t n = 1; n <= 40; n += 13) {
		assert_int_equal(drive_prepare(&drive, n), 0);
		assert_int_equal(files_of((off_t)size, false), n);
		drive_run(&drive, n);
		assert_int_equal(files_of((off_t)size, false), 0);
	}
	assert_int_equal(drive_check(&drive, drive.ops), 0);
	drive_end(&drive);
}

static void test_a_file_that_is_gone_already_fails_the_check(void **state)
{
	struct drive drive;

	(void)state;
	assert_int_equal(drive_begin(&drive, "fs.file", 1, scratch, NULL, 0), 0);
	assert_int_equal(drive_prepare(&drive, 5), 0);
	assert_int_equal(files_of(0, true), 5);
	drive_run(&drive, 5);
	assert_int_equal(drive_check(&drive, 5), -ENOENT);
	assert_non_null(strstr(drive.err.text, "removing a file"));
	drive_end(&drive);
}

/* Bytes and calls of read(2) and its kin in this process; false where the kernel does not count them. */
static bool read_so_far(uint64_t *ret_bytes, uint64_t *ret_calls)
{
	auto_free char *io = NULL;

	return root_read("/proc/self/io", &io) == 0 &&
	       sscanf(io, "rchar: %" SCNu64 " wchar: %*u syscr: %" SCNu64, ret_bytes, ret_calls) == 2;
}

static void test_read_bw_reads_a_block_an_operation(void **state)
{
	struct drive drive;
	uint64_t size = 7 * BLOCK, bytes[2], calls[2];

	(void)state;
	assert_int_equal(drive_begin(&drive, "fs.read_bw", 0, scratch, &size, 1), 0);
	bool counted = read_so_far(&bytes[0], &calls[0]);
	drive_run(&drive, 45); /* six times round, and three blocks */
	if (counted && read_so_far(&bytes[1], &calls[1])) {
		assert_in_range(calls[1] - calls[0], 45, 55); /* and those of looking */
		assert_in_range(bytes[1] - bytes[0], 45 * BLOCK, 45 * BLOCK + 16384);
	}
	assert_int_equal(drive_check(&drive, 45), 0);
	assert_int_equal(drive_check(&drive, 46), -EIO);
	assert_int_equal(drive.bench->bytes(drive.state), BLOCK);
	drive_end(&drive);
}

static uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt;
}

static void test_mmap_bw_sums_the_file_without_faults(void **state)
{
	struct drive drive;
	uint64_t size = 64 * BLOCK;

	(void)state;
	assert_int_equal(drive_begin(&drive, "fs.mmap_bw", 0, scratch, &size, 1), 0);
	uint64_t before = minor_faults();
	drive_run(&drive, 64);
	assert_in_range(minor_faults() - before, 0, 8); /* not one a block */
	drive_run(&drive, 3);
	assert_int_equal(drive_check(&drive, 67), 0);
	assert_int_equal(drive_check(&drive, 68), -EIO);
	drive_end(&drive);
}

static void test_sizes_that_would_be_rounded_are_refused(void **state)
{
	const char *const name[] = { "fs.read_bw", "fs.mmap_bw", "vm.map" };
	const uint64_t size[] = { 100000, 100000, 100001 };

	(void)state;
	for (size_t i = 0; i < countof(name); i++) {
		struct drive drive;
		assert_int_equal(drive_begin(&drive, name[i], 0, scratch, &size[i], 1), -EINVAL);
		assert_non_null(strstr(drive.err.text, "multiple"));
		drive_end(&drive);
	}
}

static void test_every_mapping_is_written_through(void **state)
{
	struct drive drive;

	(void)state;
	assert_int_equal(drive_begin(&drive, "vm.map", 0, scratch, NULL, 0), 0);
	uint64_t before = minor_faults();
	drive_run(&drive, 300); /* more than a byte can tell apart */
	assert_true(minor_faults() - before >= 300);
	assert_int_equal(drive_check(&drive, 300), 0);
	assert_int_equal(drive_check(&drive, 301), -EIO);
	drive_end(&drive);
}

static void test_a_page_fault_is_one_fault(void **state)
{
	(void)state;
	for (unsigned variant = 0; variant < 2; variant++) {
		struct drive drive;
		assert_int_equal(drive_begin(&drive, "vm.page_fault", variant, scratch, NULL, 0), 0);
		for (uint64_t n = 1; n <= drive.bench->max_ops; n = n == 1 ? 100 : n + 190) {
			assert_int_equal(drive_prepare(&drive, n), 0);
			uint64_t before = minor_faults();
			drive_run(&drive, n);
			assert_in_range(minor_faults() - before, n, n + 1);
		}
		assert_int_equal(drive_check(&drive, drive.ops), 0);
		drive_end(&drive);
	}
}

static void test_pages_that_were_there_already_fail_the_check(void **state)
{
	struct drive drive;

	(void)state;
	assert_int_equal(drive_begin(&drive, "vm.page_fault", 1, scratch, NULL, 0), 0);
	assert_int_equal(drive_prepare(&drive, 200), 0);
	drive_run(&drive, 200);
	drive_run(&drive, 200); /* nothing was unmapped between: no fault */
	assert_int_equal(drive_check(&drive, 400), -EIO);
	assert_non_null(strstr(drive.err.text, "for 400 pages"));
	drive_end(&drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create_makes_as_many_files_of_that_size_as_asked_for),
		cmocka_unit_test(test_delete_removes_what_was_made_outside_the_clock),
		cmocka_unit_test(test_a_file_that_is_gone_already_fails_the_check),
		cmocka_unit_test(test_read_bw_reads_a_block_an_operation),
		cmocka_unit_test(test_mmap_bw_sums_the_file_without_faults),
		cmocka_unit_test(test_sizes_that_would_be_rounded_are_refused),
		cmocka_unit_test(test_every_mapping_is_written_through),
		cmocka_unit_test(test_a_page_fault_is_one_fault),
		cmocka_unit_test(test_pages_that_were_there_already_fail_the_check),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
