/* Do the benches of system calls, signals and processes do the work they say? Counted from outside, by a tracer. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/ptrace.h>

#include "base/mem.h"
#include "harness/registry.h"

enum { FEW = 3, MANY = 40, UNAVAILABLE = 100 };

static char scratch[] = "/tmp/assay-os-counts-XXXXXX";
static char program[PATH_MAX + 64]; /* where env->program would be, so that assay-hello is beside it */

/* The build directory above this test holds assay-hello. */
static int find_program(void)
{
	char at[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", at, sizeof at - 1);

	if (length < 0)
		return -1;
	at[length] = '\0';
	for (char *slash; (slash = strrchr(at, '/')); *slash = '\0') {
		snprintf(program, sizeof program, "%.*s/assay-hello", (int)(slash - at), at);
		if (access(program, X_OK) == 0)
			return 0;
	}
	return -1;
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? find_program() : -1;
}

static int end(void **state)
{
	auto_free char *file = mem_text("%s/file", scratch);

	(void)state;
	unlink(file);
	return rmdir(scratch);
}

struct driven {
	const struct bench *bench;
	void *bench_state;
	struct bench_env env;
	struct err err;
};

static unsigned variant_index(const struct bench *bench, const char *name)
{
	unsigned i = 0;

	while (bench->variants[i].name && strcmp(bench->variants[i].name, name) != 0)
		i++;
	assert_non_null(bench->variants[i].name);
	return i;
}

static int drive(struct driven *driven, const char *name, const char *variant, uint64_t count)
{
	const struct bench *bench = registry_find(name);

	assert_non_null(bench);
	memset(driven, 0, sizeof *driven);
	driven->bench = bench;
	driven->bench_state = mem_new(1, bench->state_size);
	driven->env = (struct bench_env){ .variant = variant_index(bench, variant), .peer_cpu = -1, .seed = 1,
					  .scratch = scratch, .program = program, .err = &driven->err };
	if (bench->params)
		*(uint64_t *)((char *)driven->bench_state + bench->params[0].offset) =
			count ? count : bench->params[0].initial;
	return bench->setup(driven->bench_state, &driven->env);
}

static int finish(struct driven *driven, uint64_t ops)
{
	int r = driven->bench->check(driven->bench_state, ops, &driven->env);

	if (driven->bench->teardown)
		driven->bench->teardown(driven->bench_state);
	free(driven->bench_state);
	return r;
}

/* The child's life in a traced run: everything but run is the same whatever n is. */
static void traced_life(const char *name, const char *variant, uint64_t n)
{
	struct driven driven;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(UNAVAILABLE);
	raise(SIGSTOP);
	int r = drive(&driven, name, variant, 0);
	if (r == -EOPNOTSUPP)
		_exit(UNAVAILABLE);
	if (r < 0)
		_exit(1);
	driven.bench->run(driven.bench_state, n);
	_exit(finish(&driven, n) == 0 ? 0 : 2);
}

/* System calls that do the same thing, for what libc makes of a function differs; ended by 0, or by being full. */
struct kind {
	uint64_t number[4];
};

static bool is_of(const struct kind *kind, uint64_t number)
{
	for (size_t i = 0; i < countof(kind->number) && kind->number[i]; i++)
		if (kind->number[i] == number)
			return true;
	return false;
}

struct traced {
	uint64_t calls;   /* of the kind that is looked for */
	int64_t result;   /* of the last of them */
	uint64_t signals; /* SIGUSR1 and SIGSEGV that were delivered */
	int status;       /* with which the child left */
	bool inside;      /* between entry and exit of such a call */
};

static void note_call(struct traced *traced, pid_t child, const struct kind *kind)
{
	struct ptrace_syscall_info info = { 0 };

	ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info);
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY && is_of(kind, info.entry.nr)) {
		traced->calls++;
		traced->inside = true;
	} else if (traced->inside) {
		traced->result = info.exit.rval;
		traced->inside = false;
	}
}

static struct traced trace(const char *name, const char *variant, uint64_t n, const struct kind *kind)
{
	struct traced traced = { .status = -1 };
	int status;
	pid_t child = fork();

	if (child == 0)
		traced_life(name, variant, n);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int stopped = WSTOPSIG(status), deliver = 0;
		if (stopped == SIGSTOP)
			ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
		else if (stopped == (SIGTRAP | 0x80))
			note_call(&traced, child, kind);
		else
			deliver = stopped;
		traced.signals += deliver == SIGUSR1 || deliver == SIGSEGV;
		ptrace(PTRACE_SYSCALL, child, NULL, (void *)(intptr_t)deliver);
	}
	traced.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return traced;
}

/* Each operation holds so many calls of that kind and so many signals. Set-up is in both lives, and cancels. */
static void expect_each(const char *name, const char *variant, struct kind kind, uint64_t calls, uint64_t signals)
{
	struct traced few = trace(name, variant, FEW, &kind), many = trace(name, variant, MANY, &kind);

	if (few.status == UNAVAILABLE)
		skip();
	assert_int_equal(few.status, 0);
	assert_int_equal(many.status, 0);
	assert_int_equal(many.calls - few.calls, calls * (MANY - FEW));
	assert_int_equal(many.signals - few.signals, signals * (MANY - FEW));
}

/* Architectures that came late lack the older calls. */
#ifndef SYS_open
#define SYS_open 0
#endif
#ifndef SYS_stat
#define SYS_stat 0
#endif
#ifndef SYS_fstat
#define SYS_fstat 0
#endif
#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_statx
#endif
#ifndef SYS_select
#define SYS_select 0
#endif

static const struct kind stats = { { SYS_newfstatat, SYS_statx, SYS_stat, SYS_fstat } };
static const struct kind fstats = { { SYS_newfstatat, SYS_statx, SYS_fstat } };
static const struct kind opens = { { SYS_openat, SYS_open } };
static const struct kind selects = { { SYS_pselect6, SYS_select } };
static const struct kind clones = { { SYS_clone, SYS_clone3 } };

static void test_an_operation_of_syscall_simple_is_one_call_or_a_pair(void **state)
{
	(void)state;
	expect_each("syscall.simple", "null", (struct kind){ { SYS_getppid } }, 1, 0);
	expect_each("syscall.simple", "write", (struct kind){ { SYS_write } }, 1, 0);
	expect_each("syscall.simple", "stat", stats, 1, 0);
	expect_each("syscall.simple", "fstat", fstats, 1, 0);
	expect_each("syscall.simple", "open", opens, 1, 0);
	expect_each("syscall.simple", "open", (struct kind){ { SYS_close } }, 1, 0);
}

static void test_an_operation_of_syscall_simple_read_reads_one_byte(void **state)
{
	struct driven driven;
	char before[256] = "", after[256] = "";
	int io = open("/proc/self/io", O_RDONLY);
	unsigned long long bytes[2], calls[2];

	(void)state;
	if (io < 0)
		skip(); /* a kernel without task accounting */
	assert_int_equal(drive(&driven, "syscall.simple", "read", 0), 0);
	assert_true(pread(io, before, sizeof before - 1, 0) > 0);
	driven.bench->run(driven.bench_state, MANY);
	assert_true(pread(io, after, sizeof after - 1, 0) > 0);
	assert_int_equal(finish(&driven, MANY), 0);
	close(io);
	assert_int_equal(sscanf(before, "rchar: %llu wchar: %*u syscr: %llu", &bytes[0], &calls[0]), 2);
	assert_int_equal(sscanf(after, "rchar: %llu wchar: %*u syscr: %llu", &bytes[1], &calls[1]), 2);
	assert_int_equal(calls[1] - calls[0], MANY + 1); /* and the pread of before */
	assert_int_equal(bytes[1] - bytes[0], MANY + strlen(before));
}

static void test_a_failing_call_fails_the_check_and_says_why(void **state)
{
	struct driven driven;
	auto_free char *file = mem_text("%s/file", scratch);

	(void)state;
	assert_int_equal(drive(&driven, "syscall.simple", "stat", 0), 0);
	assert_int_equal(unlink(file), 0);
	driven.bench->run(driven.bench_state, MANY);
	assert_int_equal(finish(&driven, MANY), -ENOENT);
	assert_non_null(strstr(driven.err.text, file));
	assert_non_null(strstr(driven.err.text, "40 of 40"));
	assert_non_null(strstr(driven.err.text, strerror(ENOENT)));
}

static void test_select_watches_as_many_descriptors_as_it_says(void **state)
{
	const char *const variant[] = { "file", "tcp" };

	(void)state;
	for (size_t i = 0; i < countof(variant); i++) {
		struct traced traced = trace("syscall.select", variant[i], FEW, &selects);
		if (traced.status == UNAVAILABLE)
			skip();
		assert_int_equal(traced.result, 100); /* what n is unless told otherwise */
		expect_each("syscall.select", variant[i], selects, 1, 0);
	}
}

static void test_select_watches_one_and_a_thousand(void **state)
{
	const uint64_t count[] = { 1, 1000 };

	(void)state;
	for (size_t i = 0; i < countof(count); i++) {
		struct driven driven;
		int r = drive(&driven, "syscall.select", "file", count[i]);
		if (r == 0)
			driven.bench->run(driven.bench_state, FEW);
		if (r == -EOPNOTSUPP && count[i] == 1000)
			print_message("%s\n", driven.err.text); /* a hard limit below it */
		else
			assert_int_equal(r, 0);
		int checked = finish(&driven, FEW);
		if (r == 0)
			assert_int_equal(checked, 0);
	}
}

static void test_a_select_on_a_closed_descriptor_fails_the_check(void **state)
{
	struct driven driven;
	int first = dup(STDERR_FILENO);

	(void)state;
	close(first);
	assert_int_equal(drive(&driven, "syscall.select", "file", 0), 0);
	close(first);
	driven.bench->run(driven.bench_state, FEW);
	assert_int_equal(finish(&driven, FEW), -EBADF);
	assert_non_null(strstr(driven.err.text, "3 of 3"));
}

static void test_descriptors_beyond_an_fd_set_are_said_to_be_unavailable(void **state)
{
	struct driven driven;
	int taken[100];

	(void)state;
	for (size_t i = 0; i < countof(taken); i++)
		taken[i] = dup(STDERR_FILENO);
	int r = drive(&driven, "syscall.select", "file", 1000);
	finish(&driven, 0);
	for (size_t i = 0; i < countof(taken); i++)
		close(taken[i]);
	assert_int_equal(r, -EOPNOTSUPP);
	assert_non_null(strstr(driven.err.text, "descriptor"));
}

static void test_an_operation_of_proc_signal_is_one_call_or_one_signal(void **state)
{
	(void)state;
	expect_each("proc.signal", "install", (struct kind){ { SYS_rt_sigaction } }, 1, 0);
	expect_each("proc.signal", "handle", (struct kind){ { SYS_kill } }, 1, 1);
	/* The page is protected and freed once a batch, however many faults it has. */
	expect_each("proc.signal", "protection", (struct kind){ { SYS_mprotect } }, 0, 1);
}

static void test_protection_faults_again_in_the_next_batch(void **state)
{
	struct driven driven;

	(void)state;
	assert_int_equal(drive(&driven, "proc.signal", "protection", 0), 0);
	driven.bench->run(driven.bench_state, 256);
	driven.bench->run(driven.bench_state, 512);
	assert_int_equal(finish(&driven, 768), 0);
}

static void test_a_handler_that_is_not_called_fails_the_check(void **state)
{
	struct driven driven;

	(void)state;
	assert_int_equal(drive(&driven, "proc.signal", "handle", 0), 0);
	signal(SIGUSR1, SIG_IGN);
	driven.bench->run(driven.bench_state, MANY);
	assert_int_equal(finish(&driven, MANY), -EIO);
	assert_string_equal(driven.err.text, "the handler was called 0 times instead of 40");
}

static void test_an_operation_of_proc_create_is_one_process(void **state)
{
	(void)state;
	expect_each("proc.create", "fork", clones, 1, 0);
	expect_each("proc.create", "exec", clones, 1, 0);
	expect_each("proc.create", "shell", clones, 1, 0);
	expect_each("proc.create", "shell", (struct kind){ { SYS_wait4 } }, 1, 0);
}

/* An assay-hello of our own, in a directory whose name a shell would take apart. */
static void with_script(const char *variant, const char *script, int expected, const char *words, long expected_bytes)
{
	auto_free char *folder = mem_text("%s/it's a \"folder\"", scratch), *hello = mem_text("%s/assay-hello", folder);
	auto_free char *told = mem_text("%s/told", scratch), *beside = mem_text("%s/assay", folder);
	struct driven driven;
	struct stat facts = { 0 };

	assert_int_equal(mkdir(folder, 0700), 0);
	FILE *file = fopen(hello, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s", script);
	fchmod(fileno(file), 0700);
	assert_int_equal(fclose(file), 0);
	char kept[sizeof program];
	memcpy(kept, program, sizeof kept);
	snprintf(program, sizeof program, "%s", beside);
	assert_int_equal(drive(&driven, "proc.create", variant, 0), 0);
	memcpy(program, kept, sizeof kept);
	driven.bench->run(driven.bench_state, MANY);
	int r = finish(&driven, MANY);
	stat(told, &facts);
	unlink(told);
	unlink(hello);
	rmdir(folder);
	assert_int_equal(r, expected);
	assert_int_equal(facts.st_size, expected_bytes);
	assert_non_null(strstr(driven.err.text, words));
}

static void test_the_program_is_carried_out_in_every_operation(void **state)
{
	(void)state;
	with_script("exec", "echo >>\"${0%/*}/../told\"\n", 0, "", MANY);
	with_script("shell", "echo >>\"${0%/*}/../told\"\n", 0, "", MANY);
}

static void test_a_program_that_leaves_with_another_status_fails_the_check(void **state)
{
	(void)state;
	with_script("exec", "exit 127\n", -EIO, "the started program left with status 127 (40 of 40", 0);
	with_script("shell", "exit 3\n", -EIO, "the started program left with status 3 (40 of 40", 0);
	with_script("exec", "kill -9 $$\n", -EIO, "was ended by signal 9", 0);
}

static void test_a_program_that_is_not_there_is_named(void **state)
{
	struct driven driven;
	char kept[sizeof program];

	(void)state;
	memcpy(kept, program, sizeof kept);
	snprintf(program, sizeof program, "/nonexistent/bin/assay");
	int r = drive(&driven, "proc.create", "exec", 0);
	memcpy(program, kept, sizeof kept);
	finish(&driven, 0);
	if (r == 0)
		skip(); /* assay is installed on this machine: that one is found */
	assert_int_equal(r, -ENOENT);
	assert_non_null(strstr(driven.err.text, "assay-hello"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_operation_of_syscall_simple_is_one_call_or_a_pair),
		cmocka_unit_test(test_an_operation_of_syscall_simple_read_reads_one_byte),
		cmocka_unit_test(test_a_failing_call_fails_the_check_and_says_why),
		cmocka_unit_test(test_select_watches_as_many_descriptors_as_it_says),
		cmocka_unit_test(test_select_watches_one_and_a_thousand),
		cmocka_unit_test(test_a_select_on_a_closed_descriptor_fails_the_check),
		cmocka_unit_test(test_descriptors_beyond_an_fd_set_are_said_to_be_unavailable),
		cmocka_unit_test(test_an_operation_of_proc_signal_is_one_call_or_one_signal),
		cmocka_unit_test(test_protection_faults_again_in_the_next_batch),
		cmocka_unit_test(test_a_handler_that_is_not_called_fails_the_check),
		cmocka_unit_test(test_an_operation_of_proc_create_is_one_process),
		cmocka_unit_test(test_the_program_is_carried_out_in_every_operation),
		cmocka_unit_test(test_a_program_that_leaves_with_another_status_fails_the_check),
		cmocka_unit_test(test_a_program_that_is_not_there_is_named),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
