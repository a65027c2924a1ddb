/* syscall.simple: one cheap system call, for the way into the kernel and back.
 *
 * One operation: getppid (null), read of 1 byte from /dev/zero, write of 1 byte to /dev/null, stat or fstat of a small
 * file, open and close of that file.
 * Counted: the libc function around the call, entry and exit with the kernel's mitigations, the work itself.
 * Not counted: making the file. Everything is cached: the path is found in the dentry cache each time.
 * Distortions: null goes through syscall(2), so that no libc can answer from memory; a seccomp filter or a tracer on
 * this process adds to every variant. stat and open depend on the depth of the scratch directory and on its file system.
 * fstat is what libc makes of it: glibc 2.33 to 2.38 call newfstatat with an empty path, which is slower.
 * Ancestor: lmbench's lat_syscall, which timed a missing file as gladly as one that was there; here a failing call
 * fails the point.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/bench.h"

struct simple {
	void (*loop)(struct simple *simple, uint64_t n);
	const char *call; /* for the sentence about failures */
	char path[PATH_MAX];
	int fd;
	bool is_open;
	uint64_t failed;
	int first_errno;
};

static inline void note(struct simple *simple, bool good)
{
	if (__builtin_expect(!good, 0) && simple->failed++ == 0)
		simple->first_errno = errno;
}

static void loop_null(struct simple *simple, uint64_t n)
{
	for (; n; n--)
		note(simple, syscall(SYS_getppid) >= 0);
}

static void loop_read(struct simple *simple, uint64_t n)
{
	char byte;

	for (; n; n--)
		note(simple, read(simple->fd, &byte, 1) == 1);
}

static void loop_write(struct simple *simple, uint64_t n)
{
	char byte = 0;

	for (; n; n--)
		note(simple, write(simple->fd, &byte, 1) == 1);
}

static void loop_stat(struct simple *simple, uint64_t n)
{
	struct stat facts;

	for (; n; n--)
		note(simple, stat(simple->path, &facts) == 0);
}

static void loop_fstat(struct simple *simple, uint64_t n)
{
	struct stat facts;

	for (; n; n--)
		note(simple, fstat(simple->fd, &facts) == 0);
}

static void loop_open(struct simple *simple, uint64_t n)
{
	for (; n; n--) {
		int fd = open(simple->path, O_RDONLY | O_CLOEXEC);
		note(simple, fd >= 0 && close(fd) == 0);
	}
}

enum { CALL_NULL, CALL_READ, CALL_WRITE, CALL_STAT, CALL_FSTAT, CALL_OPEN };

/* file NULL: the file in the scratch directory, "": none. */
static const struct {
	const char *call, *file;
	void (*loop)(struct simple *simple, uint64_t n);
} calls[] = {
	[CALL_NULL] = { "getppid", "", loop_null },
	[CALL_READ] = { "read", "/dev/zero", loop_read },
	[CALL_WRITE] = { "write", "/dev/null", loop_write },
	[CALL_STAT] = { "stat", NULL, loop_stat },
	[CALL_FSTAT] = { "fstat", NULL, loop_fstat },
	[CALL_OPEN] = { "open or close", NULL, loop_open },
};

static int open_device(struct simple *simple, struct err *err)
{
	struct stat facts;

	simple->fd = open(simple->path, (strcmp(simple->path, "/dev/null") ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
	if (simple->fd < 0)
		return err_set(err, -EOPNOTSUPP, "unavailable: cannot open %s: %s", simple->path, strerror(errno));
	simple->is_open = true;
	/* Containers have been seen with a plain file of that name: it would be read to its end, or fill a disk. */
	if (fstat(simple->fd, &facts) < 0 || !S_ISCHR(facts.st_mode))
		return err_set(err, -EOPNOTSUPP, "unavailable: %s is not a device here", simple->path);
	return 0;
}

static int setup(void *state, struct bench_env *env)
{
	struct simple *simple = state;
	const char *file = calls[env->variant].file;

	errno = 0; /* a call that comes up short sets none: an older one must not explain it */
	simple->loop = calls[env->variant].loop;
	simple->call = calls[env->variant].call;
	if (file) {
		snprintf(simple->path, sizeof simple->path, "%s", file);
		return *file ? open_device(simple, env->err) : 0;
	}
	if (snprintf(simple->path, sizeof simple->path, "%s/file", env->scratch) >= (int)sizeof simple->path)
		return err_set(env->err, -ENAMETOOLONG, "the name of the scratch directory is too long");
	simple->fd = open(simple->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (simple->fd < 0)
		return err_sys(env->err, -errno, "cannot make %s", simple->path);
	simple->is_open = true;
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct simple *simple = state;

	simple->loop(simple, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct simple *simple = state;

	if (simple->failed == 0)
		return 0;
	return err_sys(env->err, simple->first_errno ? -simple->first_errno : -EIO, "%s%s%s failed in %llu of %llu calls",
		       simple->call, *simple->path ? " of " : "", simple->path, (unsigned long long)simple->failed,
		       (unsigned long long)ops);
}

static void teardown(void *state)
{
	struct simple *simple = state;

	if (simple->is_open)
		close(simple->fd);
	simple->is_open = false;
}

static const struct variant variants[] = {
	[CALL_NULL] = { "null", "a getppid", 0 },
	[CALL_READ] = { "read", "a read of one byte from /dev/zero", 0 },
	[CALL_WRITE] = { "write", "a write of one byte to /dev/null", 0 },
	[CALL_STAT] = { "stat", "a stat of a file", NEED_SCRATCH },
	[CALL_FSTAT] = { "fstat", "an fstat of an open file", NEED_SCRATCH },
	[CALL_OPEN] = { "open", "an open and a close of a file", NEED_SCRATCH },
	{ 0 },
};

static const struct bench syscall_simple = {
	.name = "syscall.simple",
	.title = "a simple system call",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.variants = variants,
	.state_size = sizeof(struct simple),
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(syscall_simple);
