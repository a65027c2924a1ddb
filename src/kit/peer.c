#include "kit/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "kit/transfer.h"

static void default_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, number == SIGPIPE ? SIG_IGN : SIG_DFL); /* KILL, STOP and libc's own refuse: no harm */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int settle(int peer_cpu)
{
	struct cpulist one = { 0 };
	int r = 0;

	if (peer_cpu >= 0) {
		cpulist_add(&one, peer_cpu);
		r = cpulist_apply(&one);
		cpulist_done(&one);
	}
	return r;
}

/* The child: says on life whether it could be placed, keeps it open for as long as it lives. */
static void live(int life, pid_t forker, int peer_cpu, int (*main)(void *arg), void *arg)
{
	/* The forker may have died before the prctl, and may rightly be process 1: compare with who it was. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != forker)
		_exit(2);
	default_signals();
	int code = settle(peer_cpu);
	if (transfer_write(life, &code, sizeof code) < 0 || code < 0)
		_exit(2);
	_exit(main(arg));
}

int peer_start(struct peer *peer, int peer_cpu, int (*main)(void *arg), void *arg, struct err *err)
{
	pid_t forker = getpid();
	int life[2], code = 0;

	*peer = (struct peer){ 0 };
	if (pipe2(life, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "cannot make a pipe for the other process");
	signal(SIGPIPE, SIG_IGN);
	pid_t pid = fork();
	if (pid == 0) {
		close(life[0]);
		live(life[1], forker, peer_cpu, main, arg);
	}
	int failed = pid < 0 ? -errno : 0;
	close(life[1]);
	if (failed < 0) {
		close(life[0]);
		return err_sys(err, failed, "cannot start the other process");
	}
	peer->pid = pid;
	peer->life = life[0];
	int r = transfer_read(life[0], &code, sizeof code);
	if (r < 0 || code < 0)
		peer_stop(peer);
	if (r < 0)
		return err_sys(err, r, "the other process ended before it began");
	return code < 0 ? err_sys(err, code, "the other process cannot be put on CPU %d", peer_cpu) : 0;
}

static void collect(struct peer *peer)
{
	while (waitpid(peer->pid, &peer->status, 0) < 0 && errno == EINTR)
		;
	close(peer->life);
	peer->pid = 0;
	peer->ended = true;
}

/* Descriptors are closed before a process can be collected; waiting for their end needs no signal and no pidfd, which
 * kernels before 5.3 lack. Once it has come no instruction of the peer is left to run, so that waitpid is short. */
bool peer_ended(struct peer *peer, int wait_ms, char *words, size_t size)
{
	if (peer->pid > 0) {
		struct pollfd life = { .fd = peer->life, .events = POLLIN };
		if (poll(&life, 1, wait_ms) == 1)
			collect(peer);
	}
	if (!peer->ended)
		return false;
	if (WIFSIGNALED(peer->status))
		snprintf(words, size, "killed by signal %d (%s)", WTERMSIG(peer->status),
			 strsignal(WTERMSIG(peer->status)));
	else
		snprintf(words, size, "left with status %d", WEXITSTATUS(peer->status));
	return true;
}

void peer_stop(struct peer *peer)
{
	if (peer->pid <= 0)
		return;
	kill(peer->pid, SIGKILL);
	collect(peer);
}
