/* Would the benches of files, mappings and switches notice work that was not done, or done elsewhere? The work is
 * broken behind their back (a wrong word, a short file, pages that are there already), and check must say so. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/root.h"
#include "drive.h"

enum { BLOCK = 64 << 10, STRIDE = 16 << 10 };

static char scratch[] = "/tmp/assay-fs-counts-XXXXXX";

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

/* The descriptor of the file that set-up makes: the lowest that was free before. */
static int drive_file(struct drive *drive, const char *name, unsigned variant, const uint64_t *size)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	assert_int_equal(drive_begin(drive, name, variant, scratch, size, size ? 1 : 0), 0);
	return fd;
}

static void expect_failed(struct drive *drive, int code, const char *words)
{
	assert_int_equal(drive_check(drive, drive->ops), code);
	if (!strstr(drive->err.text, words))
		fail_msg("%s: \"%s\" does not say \"%s\"", drive->bench->name, drive->err.text, words);
	drive_end(drive);
}

static const uint64_t two_blocks = 2 * BLOCK;
/* The first and last word of both blocks, and each of the eight that a turn of the sum adds. */
static const uint64_t words[] = { 0, 1, 2, 3, 4, 5, 6, 7, BLOCK / 8 - 1, BLOCK / 8, 2 * BLOCK / 8 - 1 };

static void test_read_bw_notices_a_wrong_word_wherever_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(words); i++) {
		struct drive drive;
		uint64_t wrong = words[i] + 1;
		int fd = drive_file(&drive, "fs.read_bw", 0, &two_blocks);
		assert_int_equal(pwrite(fd, &wrong, sizeof wrong, (off_t)words[i] * 8), sizeof wrong);
		drive_run(&drive, 2);
		expect_failed(&drive, -EIO, "do not add up");
		close(fd);
	}
}

static void test_read_bw_fails_when_the_file_got_shorter(void **state)
{
	struct drive drive;
	int fd = drive_file(&drive, "fs.read_bw", 0, &two_blocks);

	(void)state;
	assert_int_equal(ftruncate(fd, BLOCK + 4096), 0);
	drive_run(&drive, 2);
	expect_failed(&drive, -EIO, scratch);
	close(fd);
}

/* The mapping of a file of ours, made writable. */
static uint64_t *find_mapping(void)
{
	auto_free char *maps = NULL;
	char *line, *rest = NULL;

	assert_int_equal(root_read("/proc/self/maps", &maps), 0);
	for (line = strtok_r(maps, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		uintptr_t from, to;
		if (!strstr(line, scratch) || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2)
			continue;
		assert_int_equal(mprotect((void *)from, to - from, PROT_READ | PROT_WRITE), 0);
		return (uint64_t *)from;
	}
	fail_msg("no file below %s is mapped", scratch);
	return NULL;
}

static void test_mmap_bw_notices_a_wrong_word_wherever_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(words); i++) {
		struct drive drive;
		drive_file(&drive, "fs.mmap_bw", 0, &two_blocks);
		uint64_t *map = find_mapping();
		map[words[i]]++;
		drive_run(&drive, 2);
		expect_failed(&drive, -EIO, "do not add up");
		munmap(map, two_blocks); /* or the next one would be taken for it */
	}
}

static void test_a_file_that_takes_only_a_part_fails_the_check(void **state)
{
	struct drive drive;
	struct rlimit limit;
	uint64_t size = 10240;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	drive_file(&drive, "fs.file", 0, &size);
	assert_int_equal(drive_prepare(&drive, 3), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 8192, limit.rlim_max }), 0);
	drive_run(&drive, 3); /* the first write takes 8192 bytes, the next none */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	expect_failed(&drive, -EFBIG, scratch);
	auto_free char *left = NULL;
	assert_int_equal(root_list(scratch, &left), 1);
	auto_free char *path = mem_text("%s/%s", scratch, left);
	assert_int_equal(unlink(path), 0);
}

static void test_map_writes_every_16_kib_of_the_first_tenth_and_nothing_else(void **state)
{
	struct drive drive;
	const uint64_t size = 4 << 20;
	uint64_t word, differ = 0;
	int fd = drive_file(&drive, "vm.map", 0, &size);

	(void)state;
	drive_run(&drive, 3);
	for (uint64_t i = 0; i < size / 8; i++) {
		assert_int_equal(pread(fd, &word, sizeof word, (off_t)i * 8), sizeof word);
		if (word != i) {
			assert_int_equal(i * 8 % STRIDE, 0);
			differ++;
		}
	}
	assert_int_equal(differ, (size / 10 + STRIDE - 1) / STRIDE);
	assert_int_equal(drive_check(&drive, 3), 0);
	/* A byte that the last mapping did not leave there: it was not written, or elsewhere. */
	assert_int_equal(pwrite(fd, "", 1, STRIDE), 1);
	expect_failed(&drive, -EIO, "1 bytes written through the mapping are not in the file");
	close(fd);
}

static void test_page_faults_that_populating_took_away_fail_the_check(void **state)
{
	(void)state;
	for (unsigned variant = 0; variant < 2; variant++) {
		struct drive drive;
		drive_file(&drive, "vm.page_fault", variant, NULL);
		/* Not by the function, which is empty under the address sanitizer. */
		int r = syscall(SYS_mlockall, MCL_FUTURE) < 0 ? -errno : drive_prepare(&drive, 200);
		if (r < 0) { /* little memory may be locked */
			syscall(SYS_munlockall);
			drive_end(&drive);
			skip();
		}
		drive_run(&drive, 200);
		syscall(SYS_munlockall);
		expect_failed(&drive, -EIO, "for 200 pages: expected one each");
	}
}

static void test_page_fault_notices_a_page_that_is_not_the_files(void **state)
{
	struct drive drive;
	uint64_t wrong = 1;
	int fd = drive_file(&drive, "vm.page_fault", 0, NULL);

	(void)state;
	for (off_t i = 0; i < 512; i++)
		assert_int_equal(pwrite(fd, &wrong, sizeof wrong, i * BLOCK), sizeof wrong);
	assert_int_equal(drive_prepare(&drive, 1), 0);
	drive_run(&drive, 1);
	expect_failed(&drive, -EIO, "did not hold what was written");
	close(fd);
}

/* Of this process and of its children that were waited for. */
static uint64_t context_switches(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return (uint64_t)(self.ru_nvcsw + self.ru_nivcsw + children.ru_nvcsw + children.ru_nivcsw);
}

/* Of a whole ring, from its set-up to its end, with n hops. */
static uint64_t switches_of(uint64_t procs, uint64_t n)
{
	struct drive drive;
	const uint64_t value[] = { procs, 0 };
	uint64_t before = context_switches();

	assert_int_equal(drive_begin(&drive, "proc.switch", 0, NULL, value, 2), 0);
	drive_run(&drive, n);
	assert_int_equal(drive_check(&drive, n), 0);
	drive_end(&drive);
	return context_switches() - before;
}

/* On one CPU no process can take the token before another has left the CPU, whatever the scheduler does. Rings that
 * start and end switch too: not by as much as half of the hops, which is what a token that skips members would miss. */
static void test_a_hop_is_a_context_switch(void **state)
{
	enum { HOPS = 96 * 30 };
	cpu_set_t all, one;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	uint64_t two = switches_of(2, HOPS), eight = switches_of(8, HOPS);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
	assert_true(two >= HOPS);
	assert_true(eight >= HOPS);
}

static volatile pid_t victim;

static void kill_victim(int number)
{
	(void)number;
	kill(victim, SIGKILL);
}

static pid_t child_number(unsigned number)
{
	auto_free char *list = NULL;
	char *at;

	if (root_readf(&list, "/proc/self/task/%d/children", (int)getpid()) < 0)
		return 0; /* a kernel without CONFIG_PROC_CHILDREN */
	at = list;
	for (; number; number--)
		strtol(at, &at, 10);
	return (pid_t)strtol(at, NULL, 10);
}

/* Stopped, so that the token is in its pipe, written without an error and never to be read, when it is killed. A timer
 * of this process's own does it: one more child would look like the end of a member. */
static void test_a_member_killed_with_the_token_in_its_pipe_is_told(void **state)
{
	enum { PROCS = 4 };
	const struct sigaction on_timer = { .sa_handler = kill_victim, .sa_flags = SA_RESTART };
	const struct itimerval soon = { .it_value = { .tv_usec = 50 * 1000 } };
	const uint64_t value[] = { PROCS, 0 };

	(void)state;
	sigaction(SIGALRM, &on_timer, NULL);
	for (unsigned i = 0; i < PROCS - 1; i++) {
		struct drive drive;
		auto_free char *who = mem_text("process %u of %d", i + 2, PROCS);
		assert_int_equal(drive_begin(&drive, "proc.switch", 0, NULL, value, 2), 0);
		victim = child_number(i);
		if (victim <= 0) {
			drive_end(&drive);
			skip();
		}
		assert_int_equal(kill(victim, SIGSTOP), 0);
		assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
		drive_run(&drive, 96);
		assert_int_equal(drive_check(&drive, 96), -EPIPE);
		if (!strstr(drive.err.text, who))
			fail_msg("\"%s\" does not name %s", drive.err.text, who);
		assert_non_null(strstr(drive.err.text, "killed by signal 9"));
		drive_end(&drive);
	}
	signal(SIGALRM, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_bw_notices_a_wrong_word_wherever_it_is),
		cmocka_unit_test(test_read_bw_fails_when_the_file_got_shorter),
		cmocka_unit_test(test_mmap_bw_notices_a_wrong_word_wherever_it_is),
		cmocka_unit_test(test_a_file_that_takes_only_a_part_fails_the_check),
		cmocka_unit_test(test_map_writes_every_16_kib_of_the_first_tenth_and_nothing_else),
		cmocka_unit_test(test_page_faults_that_populating_took_away_fail_the_check),
		cmocka_unit_test(test_page_fault_notices_a_page_that_is_not_the_files),
		cmocka_unit_test(test_a_hop_is_a_context_switch),
		cmocka_unit_test(test_a_member_killed_with_the_token_in_its_pipe_is_told),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
