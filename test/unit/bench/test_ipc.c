/* What every bench with a peer owes: the work is really done, a dead peer is told, and nothing is left behind. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/root.h"
#include "harness/bench.h"
#include "harness/registry.h"

struct started {
	const struct bench *bench;
	char *state;
	struct err err;
	struct bench_env env;
};

static const char *const names[] = { "ipc.pipe", "ipc.pipe_bw", "ipc.unix", "ipc.unix_bw", "net.connect",
				     "net.rpc",  "net.tcp",     "net.tcp_bw", "net.udp" };

static void start(struct started *s, const char *name, unsigned variant, uint64_t size)
{
	*s = (struct started){ .bench = registry_find(name) };
	assert_non_null(s->bench);
	s->state = mem_new(1, s->bench->state_size);
	for (const struct param *param = s->bench->params; param && param->name; param++) {
		uint64_t value = size && strcmp(param->name, "size") == 0 ? size : param->initial;
		memcpy(s->state + param->offset, &value, sizeof value);
	}
	s->env = (struct bench_env){ .variant = variant, .peer_cpu = -1, .seed = 12345, .err = &s->err };
	int r = s->bench->setup(s->state, &s->env);
	if (r == -EOPNOTSUPP) {
		s->bench->teardown(s->state);
		free(s->state);
		print_message("%s: %s\n", name, s->err.text);
		skip();
	}
	if (r < 0)
		fail_msg("%s: %s", name, s->err.text);
}

static void stop(struct started *s)
{
	s->bench->teardown(s->state);
	s->bench->teardown(s->state); /* once more must do no harm */
	free(s->state);
}

static uint64_t granule(const struct started *s)
{
	return s->bench->granule ? s->bench->granule : 1;
}

static void work_and_check(const char *name, unsigned variant, uint64_t size)
{
	struct started s;
	uint64_t ops = 0;

	start(&s, name, variant, size);
	for (uint64_t n = granule(&s); n <= 4 * granule(&s); n += granule(&s)) {
		s.bench->run(s.state, n);
		ops += n;
	}
	if (s.bench->check(s.state, ops, &s.env) < 0)
		fail_msg("%s: %s", name, s.err.text);
	/* A check that would not notice an operation missing could not be believed above. */
	assert_true(s.bench->check(s.state, ops + 1, &s.env) < 0);
	assert_non_null(strstr(s.err.text, "instead of"));
	stop(&s);
}

static void all_work_is_done(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(names); i++)
		if (strcmp(names[i], "net.rpc") != 0)
			work_and_check(names[i], 0, 0);
}

/* Messages that no buffer takes at once, and that are no multiple of anything. */
static void odd_and_large_messages_arrive_whole(void **state)
{
	(void)state;
	work_and_check("ipc.pipe", 0, 1 << 20);
	work_and_check("ipc.unix", 0, 999983);
	work_and_check("net.tcp", 0, 999983);
	work_and_check("net.udp", 0, 65507);
	for (uint64_t size = 1; size <= 9; size += 2)
		work_and_check("ipc.pipe_bw", 0, size);
	work_and_check("ipc.pipe_bw", 0, 100003);
	work_and_check("ipc.unix_bw", 0, 300007);
	work_and_check("net.tcp_bw", 0, 300007);
}

static void calls_over_both_transports_are_answered(void **state)
{
	(void)state;
	work_and_check("net.rpc", 0, 0);
	work_and_check("net.rpc", 1, 0);
}

/* Children of this process, the only thread of it. */
static pid_t only_child(void)
{
	auto_free char *text = NULL;

	if (root_readf(&text, "/proc/self/task/%d/children", (int)getpid()) < 0)
		skip(); /* a kernel without CONFIG_PROC_CHILDREN */
	return (pid_t)strtol(text, NULL, 10);
}

/* What the kernel has counted of the peer's read(2) and write(2). The last call may still be on its way back when its
 * bytes have arrived here, and is counted on the way: so wait for it. */
static uint64_t peer_count(pid_t peer, const char *key, uint64_t expected)
{
	auto_free char *path = mem_text("/proc/%d/io", (int)peer);
	uint64_t value = 0;

	for (int ms = 0; ms < 10000; ms++) {
		if (root_field(path, key, &value) < 0)
			skip(); /* a kernel without CONFIG_TASK_IO_ACCOUNTING, or not for us to read */
		if (value >= expected)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return value;
}

static void the_peer_moved(const char *name, uint64_t size, bool reads)
{
	struct started s;

	start(&s, name, 0, size);
	pid_t peer = only_child();
	s.bench->run(s.state, 1); /* then its start is over, and none of its own reads and writes are left */
	uint64_t bytes = s.bench->bytes ? s.bench->bytes(s.state) : size;
	uint64_t wrote = peer_count(peer, "wchar", bytes), read = reads ? peer_count(peer, "rchar", bytes) : 0;
	s.bench->run(s.state, 7);
	assert_int_equal(peer_count(peer, "wchar", wrote + 7 * bytes), wrote + 7 * bytes);
	if (reads)
		assert_int_equal(peer_count(peer, "rchar", read + 7 * bytes), read + 7 * bytes);
	stop(&s);
}

/* The kernel's figures, not the bench's own. */
static void the_other_process_moved_the_bytes(void **state)
{
	(void)state;
	the_peer_moved("ipc.pipe", 12345, true);
	the_peer_moved("ipc.unix", 12345, true);
	the_peer_moved("net.tcp", 12345, true);
	the_peer_moved("ipc.pipe_bw", 12345, false); /* what it reads are requests */
	the_peer_moved("ipc.unix_bw", 12345, false);
	the_peer_moved("net.tcp_bw", 12345, false);
}

static void bandwidth_counts_whole_blocks(void **state)
{
	struct started s;

	(void)state;
	for (uint64_t size = 1; size < 10 << 20; size = size * 5 + 1) {
		start(&s, "ipc.pipe_bw", 0, size);
		assert_true(s.bench->bytes(s.state) >= size);
		assert_int_equal(s.bench->bytes(s.state) % size, 0);
		stop(&s);
	}
}

static void a_killed_peer_is_told(const char *name, unsigned variant)
{
	struct started s;
	siginfo_t info;

	start(&s, name, variant, 0);
	s.bench->run(s.state, granule(&s));
	pid_t peer = only_child();
	assert_true(peer > 0);
	assert_int_equal(kill(peer, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)peer, &info, WEXITED | WNOWAIT), 0);
	s.bench->run(s.state, 4 * granule(&s));
	assert_true(s.bench->check(s.state, 5 * granule(&s), &s.env) < 0);
	if (!strstr(s.err.text, "the other process ended: killed by signal 9"))
		fail_msg("%s: %s", name, s.err.text);
	if (strncmp(name, "net.", 4) == 0)
		assert_non_null(strstr(s.err.text, "127.0.0.1:"));
	stop(&s);
}

static void killed_peers_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(names); i++)
		if (strcmp(names[i], "net.rpc") != 0)
			a_killed_peer_is_told(names[i], 0);
}

static void killed_servers_of_calls_are_told(void **state)
{
	(void)state;
	a_killed_peer_is_told("net.rpc", 0);
	a_killed_peer_is_told("net.rpc", 1);
}

/* A peer that is stopped for much longer than the 100 ms after which a datagram is sent again; all copies are answered
 * in the end, and the late answers must not be taken for those of the next numbers. */
static void lost_datagrams_are_counted_and_told(void **state)
{
	struct started s;

	(void)state;
	start(&s, "net.udp", 0, 0);
	pid_t peer = only_child();
	assert_int_equal(kill(peer, SIGSTOP), 0);
	pid_t waker = fork();
	if (waker == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 700 * 1000 * 1000 }, NULL);
		_exit(kill(peer, SIGCONT) < 0);
	}
	s.bench->run(s.state, 20);
	assert_int_equal(waitpid(waker, NULL, 0), waker);
	assert_int_equal(s.bench->check(s.state, 20, &s.env), -EIO);
	assert_non_null(strstr(s.err.text, "lost in 20 round trips (more than 1 in 1000)"));
	stop(&s);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void set_up_twenty_times(const char *name, unsigned variant)
{
	struct started s;
	unsigned before = 0;

	for (int i = 0; i < 21; i++) {
		start(&s, name, variant, 0);
		s.bench->run(s.state, granule(&s));
		stop(&s);
		if (i == 0)
			before = open_descriptors(); /* what a library opens once and keeps is no leak */
	}
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void nothing_is_left_behind(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(names); i++)
		if (strcmp(names[i], "net.rpc") != 0)
			set_up_twenty_times(names[i], 0);
}

static void calls_leave_nothing_behind(void **state)
{
	(void)state;
	set_up_twenty_times("net.rpc", 0);
	set_up_twenty_times("net.rpc", 1);
}

static void a_zeroed_state_can_be_torn_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(names); i++) {
		const struct bench *bench = registry_find(names[i]);
		auto_free char *zeroed = mem_new(1, bench->state_size);
		unsigned before = open_descriptors();
		bench->teardown(zeroed);
		assert_int_equal(open_descriptors(), before); /* descriptor 0 is not the bench's */
	}
}

static void a_peer_that_cannot_be_placed_fails_the_set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(names); i++) {
		struct err err = { "" };
		struct bench_env env = { .peer_cpu = 100000, .err = &err };
		const struct bench *bench = registry_find(names[i]);
		auto_free char *zeroed = mem_new(1, bench->state_size);
		for (const struct param *param = bench->params; param && param->name; param++)
			memcpy(zeroed + param->offset, &param->initial, sizeof param->initial);
		unsigned before = open_descriptors();
		int r = bench->setup(zeroed, &env);
		assert_true(r < 0);
		assert_true(r == -EOPNOTSUPP || strstr(err.text, "CPU 100000"));
		bench->teardown(zeroed);
		assert_int_equal(open_descriptors(), before);
	}
}

/* In a network namespace of its own, whose loopback is down; 0 when every bench said so. */
static int without_loopback(void)
{
	int wrong = 0;

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return 77;
	for (size_t i = 0; i < countof(names); i++) {
		struct err err = { "" };
		struct bench_env env = { .peer_cpu = -1, .err = &err };
		const struct bench *bench = registry_find(names[i]);
		auto_free char *zeroed = mem_new(1, bench->state_size);
		if (!(bench->needs & NEED_LOOPBACK))
			continue;
		for (const struct param *param = bench->params; param && param->name; param++)
			memcpy(zeroed + param->offset, &param->initial, sizeof param->initial);
		int r = bench->setup(zeroed, &env);
		bench->teardown(zeroed);
		bool built = strcmp(names[i], "net.rpc") != 0 || !strstr(err.text, "built without RPC");
		if (r != -EOPNOTSUPP || (built && !strstr(err.text, "ip link set lo up"))) {
			print_error("%s: %d, %s\n", names[i], r, err.text);
			wrong++;
		}
	}
	return wrong;
}

static void a_loopback_that_is_down_is_said_and_skips(void **state)
{
	int status = 0;

	(void)state;
	pid_t child = fork();
	if (child == 0)
		_exit(without_loopback());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip(); /* no network namespace may be made here */
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_work_is_done),
		cmocka_unit_test(odd_and_large_messages_arrive_whole),
		cmocka_unit_test(calls_over_both_transports_are_answered),
		cmocka_unit_test(the_other_process_moved_the_bytes),
		cmocka_unit_test(bandwidth_counts_whole_blocks),
		cmocka_unit_test(killed_peers_are_told),
		cmocka_unit_test(killed_servers_of_calls_are_told),
		cmocka_unit_test(lost_datagrams_are_counted_and_told),
		cmocka_unit_test(nothing_is_left_behind),
		cmocka_unit_test(calls_leave_nothing_behind),
		cmocka_unit_test(a_zeroed_state_can_be_torn_down),
		cmocka_unit_test(a_peer_that_cannot_be_placed_fails_the_set_up),
		cmocka_unit_test(a_loopback_that_is_down_is_said_and_skips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
