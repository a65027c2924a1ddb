#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpulist.h"
#include "kit/peer.h"
#include "kit/transfer.h"

static int sleeper(void *arg)
{
	(void)arg;
	pause(); /* ended by a signal only, for none has a handler */
	return 3;
}

static int leaver(void *arg)
{
	return *(int *)arg;
}

static void a_peer_that_leaves_tells_its_status(void **state)
{
	struct peer peer = { 0 };
	struct err err = { "" };
	char words[80] = "";
	int status = 7;

	(void)state;
	assert_int_equal(peer_start(&peer, -1, leaver, &status, &err), 0);
	assert_true(peer_ended(&peer, 10000, words, sizeof words));
	assert_string_equal(words, "left with status 7");
	peer_stop(&peer);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_killed_peer_tells_the_signal(void **state)
{
	struct peer peer = { 0 };
	struct err err = { "" };
	char words[80] = "";

	(void)state;
	assert_int_equal(peer_start(&peer, -1, sleeper, NULL, &err), 0);
	assert_false(peer_ended(&peer, 0, words, sizeof words));
	assert_int_equal(kill(peer.pid, SIGTERM), 0); /* not held off by what the test runner may have set */
	assert_true(peer_ended(&peer, 10000, words, sizeof words));
	assert_non_null(strstr(words, "killed by signal 15"));
}

static void stopping_collects_it_and_a_zeroed_one_is_allowed(void **state)
{
	struct peer peer = { 0 };
	struct err err = { "" };

	(void)state;
	peer_stop(&peer);
	assert_int_equal(peer_start(&peer, -1, sleeper, NULL, &err), 0);
	peer_stop(&peer);
	peer_stop(&peer);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int where(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof set, &set);
	return CPU_COUNT(&set) == 1 && CPU_ISSET(*(int *)arg, &set) ? 0 : 1;
}

static void it_is_pinned_where_asked(void **state)
{
	struct cpulist allowed = { 0 };
	struct peer peer = { 0 };
	struct err err = { "" };
	char words[80] = "";

	(void)state;
	assert_int_equal(cpulist_allowed(&allowed), 0);
	int last = allowed.cpu[allowed.count - 1];
	assert_int_equal(peer_start(&peer, last, where, &last, &err), 0);
	assert_true(peer_ended(&peer, 10000, words, sizeof words));
	assert_string_equal(words, "left with status 0");
	cpulist_done(&allowed);
}

static void a_cpu_that_is_not_there_is_an_error(void **state)
{
	struct peer peer = { 0 };
	struct err err = { "" };

	(void)state;
	assert_int_equal(peer_start(&peer, 100000, sleeper, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "CPU 100000"));
	assert_int_equal(peer.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* The process between starts a peer, hands its pid up and dies without a word. */
static void it_dies_with_the_process_that_started_it(void **state)
{
	int fd[2];
	pid_t peer_pid = 0;
	char byte;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	pid_t between = fork();
	if (between == 0) {
		struct peer peer;
		close(fd[0]);
		if (peer_start(&peer, -1, sleeper, NULL, NULL) == 0)
			transfer_write(fd[1], &peer.pid, sizeof peer.pid);
		raise(SIGKILL);
	}
	close(fd[1]);
	assert_int_equal(transfer_read(fd[0], &peer_pid, sizeof peer_pid), 0);
	assert_true(peer_pid > 0);
	assert_int_equal(waitpid(between, NULL, 0), between);
	/* The peer holds the last writing end: end of file comes when it is gone, or the test runs into its time limit. */
	assert_int_equal(read(fd[0], &byte, 1), 0);
	close(fd[0]);
}

static void a_message_cut_short_is_an_error(void **state)
{
	struct transfer_pair pair;
	char four[4];

	(void)state;
	assert_int_equal(transfer_pipes(&pair), 0);
	assert_int_equal(transfer_write(pair.there.out, "abc", 3), 0);
	transfer_close(&pair.there);
	assert_int_equal(transfer_read(pair.here.in, four, 4), -EPIPE);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(transfer_write(pair.here.out, "abc", 3), -EPIPE);
	transfer_close(&pair.here);
	transfer_close(&pair.here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_that_leaves_tells_its_status),
		cmocka_unit_test(a_killed_peer_tells_the_signal),
		cmocka_unit_test(stopping_collects_it_and_a_zeroed_one_is_allowed),
		cmocka_unit_test(it_is_pinned_where_asked),
		cmocka_unit_test(a_cpu_that_is_not_there_is_an_error),
		cmocka_unit_test(it_dies_with_the_process_that_started_it),
		cmocka_unit_test(a_message_cut_short_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
