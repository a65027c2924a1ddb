/* syscall.select: select on n descriptors that are all ready, with a zero time-out.
 *
 * One operation: a copy of the descriptor set (select overwrites it) and one select that watches exactly n descriptors
 * for writing; all are ready, so it never waits, and must return n.
 * Counted: the copy, the system call, the kernel's walk over the bits and its poll of every descriptor.
 * Not counted: making the descriptors. nfds is the highest descriptor + 1, as select(2) asks.
 * Distortions: the n descriptors are duplicates of one file or of one end of one loopback TCP connection, so the poll
 * finds the same object in cache n times; n different connections cost more. The few bits below the first descriptor
 * are walked too.
 * Ancestor: lmbench's lat_select, also with duplicates and the write set; it passes n as nfds, and so watches fewer
 * descriptors than it says.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/bench.h"

enum { WATCH_FILE, WATCH_TCP };
enum { MOST = 1000 }; /* below FD_SETSIZE, which glibc fixes at 1024 */

struct watched {
	uint64_t count;
	fd_set set;
	int nfds;
	int fd[MOST];
	uint64_t opened; /* of fd[], for teardown */
	int peer;        /* other end of the connection */
	bool has_peer;
	uint64_t failed; /* selects that did not return count */
	int last_result;
	int last_errno;
};

static int open_file(struct watched *watched, const struct bench_env *env)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/file", env->scratch);
	watched->fd[0] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (watched->fd[0] < 0)
		return err_sys(env->err, -errno, "cannot make %s", path);
	watched->opened = 1;
	return 0;
}

/* Both ends of a connection through lo, no process at the other. 0 or -errno. */
static int connect_self(struct watched *watched, int listener)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof address;

	if (bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 1) < 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &length) < 0)
		return -errno;
	watched->fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (watched->fd[0] < 0)
		return -errno;
	watched->opened = 1;
	if (connect(watched->fd[0], (struct sockaddr *)&address, length) < 0)
		return -errno;
	watched->peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	watched->has_peer = watched->peer >= 0;
	return watched->has_peer ? 0 : -errno;
}

static int open_tcp(struct watched *watched, const struct bench_env *env)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0)
		return err_set(env->err, -EOPNOTSUPP, "unavailable: no IPv4 sockets here: %s", strerror(errno));
	int r = connect_self(watched, listener);
	close(listener);
	/* What bind and connect say of 127.0.0.1 while lo is down. */
	if (r == -ENETUNREACH || r == -EADDRNOTAVAIL || r == -ENETDOWN)
		return err_set(env->err, -EOPNOTSUPP,
			       "unavailable: the loopback interface is down ('ip link set lo up' brings it up)");
	return r < 0 ? err_sys(env->err, r, "cannot connect to 127.0.0.1") : 0;
}

static int duplicate(struct watched *watched, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit); /* if not, dup says so below */
	}
	while (watched->opened < watched->count) {
		int fd = fcntl(watched->fd[0], F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return err_set(err, -EOPNOTSUPP,
				       "unavailable: only %llu of %llu descriptors: %s ('ulimit -Hn' shows the limit)",
				       (unsigned long long)watched->opened, (unsigned long long)watched->count,
				       strerror(errno));
		watched->fd[watched->opened++] = fd;
	}
	return 0;
}

static int setup(void *state, struct bench_env *env)
{
	struct watched *watched = state;
	int r = env->variant == WATCH_TCP ? open_tcp(watched, env) : open_file(watched, env);

	if (r == 0)
		r = duplicate(watched, env->err);
	if (r < 0)
		return r;
	for (uint64_t i = 0; i < watched->count; i++) {
		if (watched->fd[i] >= FD_SETSIZE)
			return err_set(env->err, -EOPNOTSUPP,
				       "unavailable: descriptor %d does not fit into select's %d; too many were open already",
				       watched->fd[i], FD_SETSIZE);
		FD_SET(watched->fd[i], &watched->set);
		if (watched->fd[i] >= watched->nfds)
			watched->nfds = watched->fd[i] + 1;
	}
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct watched *watched = state;

	for (; n; n--) {
		fd_set set = watched->set;
		struct timeval no_wait = { 0, 0 };
		int ready = select(watched->nfds, NULL, &set, NULL, &no_wait);
		if (__builtin_expect(ready != (int)watched->count, 0)) {
			watched->failed++;
			watched->last_result = ready;
			watched->last_errno = errno;
		}
	}
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct watched *watched = state;

	if (watched->failed == 0)
		return 0;
	if (watched->last_result < 0)
		return err_sys(env->err, -watched->last_errno, "select failed in %llu of %llu calls",
			       (unsigned long long)watched->failed, (unsigned long long)ops);
	return err_set(env->err, -EIO, "select found %d of %llu descriptors ready (so in %llu of %llu calls)",
		       watched->last_result, (unsigned long long)watched->count, (unsigned long long)watched->failed,
		       (unsigned long long)ops);
}

static void teardown(void *state)
{
	struct watched *watched = state;

	while (watched->opened > 0)
		close(watched->fd[--watched->opened]);
	if (watched->has_peer)
		close(watched->peer);
	watched->has_peer = false;
}

static const struct param params[] = {
	{ "n", "descriptors that are watched", PARAM_COUNT, offsetof(struct watched, count), 1, MOST, 100, NULL },
	{ 0 },
};

static const struct variant variants[] = {
	[WATCH_FILE] = { "file", "a select on descriptors of a file", NEED_SCRATCH },
	[WATCH_TCP] = { "tcp", "a select on descriptors of a TCP connection", NEED_LOOPBACK },
	{ 0 },
};

static const struct bench syscall_select = {
	.name = "syscall.select",
	.title = "a select on n descriptors, all ready",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.params = params,
	.variants = variants,
	.state_size = sizeof(struct watched),
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(syscall_select);
