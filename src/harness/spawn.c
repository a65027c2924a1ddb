#include "harness/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/format.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "harness/worker.h"

extern char **environ;

enum { WORKER_FD = 3 };

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static sigset_t session_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < countof(ending_signals); i++) {
		struct sigaction old;
		sigaction(ending_signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaddset(&set, ending_signals[i]);
	}
	return set;
}

void spawn_begin_session(void)
{
	sigset_t set = session_set();

	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Whoever started us may ignore it; then children would go without a status. */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void spawn_end_session(void)
{
	sigset_t set = session_set();

	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int spawn_pending_signal(void)
{
	sigset_t set = session_set();
	struct timespec none = { 0, 0 };

	sigdelset(&set, SIGCHLD);
	int signal_number = sigtimedwait(&set, NULL, &none);
	return signal_number > 0 ? signal_number : 0;
}

/* The environment's size moves the stack: a factor to vary (Mytkowicz et al. 2009), 0…4,080 bytes in steps of 16. */
static char **padded_environment(uint64_t seed)
{
	struct random random = { seed ^ UINT64_C(0x656e76) };
	size_t pad = 16 * random_below(&random, 256);
	size_t count = 0;

	while (environ[count])
		count++;
	char **copy = mem_new(count + 2, sizeof *copy);
	memcpy(copy, environ, count * sizeof *copy);
	char *entry = mem_new(sizeof "ASSAY_PAD=" + pad, 1);
	strcpy(entry, "ASSAY_PAD=");
	memset(entry + sizeof "ASSAY_PAD=" - 1, 'x', pad);
	copy[count] = entry;
	return copy;
}

static void environment_free(char **copy)
{
	size_t count = 0;

	while (copy[count])
		count++;
	free(copy[count - 1]);
	free(copy);
}

static int spawn_process(const char *program, int slab_fd, char **environment, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults = session_set();
	char *argv[] = { (char *)"assay", (char *)"--worker", (char *)"3", NULL };

	sigemptyset(&none);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, slab_fd, WORKER_FD);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes,
				 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int r = -posix_spawn(ret_pid, program, &actions, &attributes, argv, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

/* The worker must stand on its CPU from its first instruction, so this process goes there for the moment of birth. */
static int spawn_placed(const char *program, struct slab *slab, int slab_fd, pid_t *ret_pid, struct err *err)
{
	auto_cpulist struct cpulist before = { 0 };
	auto_cpulist struct cpulist place = { 0 };

	if (slab->cpu >= 0) {
		cpulist_add(&place, slab->cpu);
		int r = cpulist_allowed(&before);
		if (r == 0)
			r = cpulist_apply(&place);
		if (r < 0)
			return err_sys(err, r, "placing the worker on CPU %d", slab->cpu);
	}
	char **environment = padded_environment(slab->seed);
	int r = spawn_process(program, slab_fd, environment, ret_pid);
	environment_free(environment);
	if (slab->cpu >= 0)
		cpulist_apply(&before);
	return r < 0 ? err_sys(err, r, "starting a worker (%s)", program) : 0;
}

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Whatever the worker left running goes with its group; orphans come to us, since we are the subreaper. */
static void end_group(pid_t pid, int *ret_status)
{
	/* Before its leader is collected, while the number of the group cannot belong to anybody else. */
	kill(-pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	while (waitpid(-pid, NULL, 0) > 0 || errno == EINTR)
		errno = 0;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static enum spawn_end how_it_ended(int status, const struct slab *slab, struct err *err)
{
	if (WIFSIGNALED(status))
		err_set(err, -ECHILD, "the worker was ended by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (slab->finished)
		return SPAWN_FINISHED;
	else
		err_set(err, -ECHILD, "the worker left with exit status %d before it had finished",
			WEXITSTATUS(status));
	return SPAWN_DIED;
}

static enum spawn_end await(pid_t pid, const struct slab *slab, uint64_t deadline_ns, int *ret_signal,
			    struct err *err)
{
	sigset_t set = session_set();
	uint64_t begin = monotonic_ns();
	char limit[FORMAT_DURATION];
	int status;

	for (;;) {
		siginfo_t ended = { 0 };
		if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == pid) {
			end_group(pid, &status);
			return how_it_ended(status, slab, err);
		}
		uint64_t spent = monotonic_ns() - begin;
		if (spent >= deadline_ns) {
			end_group(pid, &status);
			err_set(err, -ETIMEDOUT, "no end within %s: stopped", format_duration(limit, deadline_ns));
			return SPAWN_TIMED_OUT;
		}
		uint64_t left = deadline_ns - spent;
		struct timespec timeout = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };
		int signal_number = sigtimedwait(&set, NULL, &timeout);
		if (signal_number > 0 && signal_number != SIGCHLD) {
			end_group(pid, &status);
			*ret_signal = signal_number;
			return SPAWN_INTERRUPTED;
		}
	}
}

enum spawn_end spawn_worker(const struct spawn *spawn, struct slab *slab, int slab_fd, uint64_t deadline_ns,
			    int *ret_signal, struct err *err)
{
	pid_t pid = 0;

	slab->parent = getpid();
	strncpy(slab->program, spawn->program ? spawn->program : "", sizeof slab->program - 1);
	if (spawn->in_line) {
		worker_measure(slab, spawn->scripted);
		return SPAWN_FINISHED;
	}
	if (spawn_placed(spawn->program, slab, slab_fd, &pid, err) < 0)
		return SPAWN_DIED;
	return await(pid, slab, deadline_ns, ret_signal, err);
}

char *spawn_program_path(const char *argv0)
{
	char path[PATH_MAX];

	/* The auxiliary vector holds the path that was executed, with or without /proc (getauxval(3)). */
	const char *executed = (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)
	const char *name = executed && *executed ? executed : argv0;
	return mem_copy(realpath(name, path) ? path : name);
}
