/* Runs a command and tells whether it left a process behind, in any form.
 *
 *   warden PIDFILE COMMAND [ARGUMENT…]
 *
 * The warden is the subreaper of whatever the command starts (PR_SET_CHILD_SUBREAPER): an orphan becomes the warden's
 * child, so nothing escapes by a double fork or a new session. The command's pid is written to PIDFILE, signals have
 * their default action again (a shell's background job would ignore SIGINT). Orphans have GRACE_MS to end after the
 * command; exit code 99 and one line for each that did not, else the command's code (128 + signal when it was killed).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_MS = 2000, STEP_MS = 10, LEFT_BEHIND = 99 };

static void write_pid(const char *path, pid_t pid)
{
	/* Complete when it appears: whoever waits for the file reads a whole number. */
	char next[4096];
	snprintf(next, sizeof(next), "%s.next", path);
	FILE *file = fopen(next, "we");
	if (!file || fprintf(file, "%d\n", (int)pid) < 0 || fclose(file) || rename(next, path)) {
		perror(path);
		exit(LEFT_BEHIND);
	}
}

static void run_command(char **argv)
{
	static const int reset[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
	for (size_t i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
		signal(reset[i], SIG_DFL);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return LEFT_BEHIND;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Reaps orphans until there are none or the grace is over; true when all are gone. */
static int all_gone(void)
{
	for (int waited = 0; waited < GRACE_MS; waited += STEP_MS) {
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return 1;
		nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
	}
	return 0;
}

/* Names the warden's children and ends them. /proc/PID/task/TID/children needs CONFIG_PROC_CHILDREN, as Debian has. */
static void tell_children(void)
{
	FILE *children = fopen("/proc/thread-self/children", "re");
	int pid;
	while (children && fscanf(children, "%d", &pid) == 1) {
		char path[64], line[512] = "";
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		FILE *stat = fopen(path, "re");
		if (stat) {
			if (!fgets(line, sizeof(line), stat))
				line[0] = 0;
			fclose(stat);
		}
		line[strcspn(line, "\n")] = 0;
		fprintf(stderr, "left behind: %.80s\n", line[0] ? line : "a process");
		kill(pid, SIGKILL);
	}
	if (children)
		fclose(children);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: warden PIDFILE COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	if (prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L)) {
		perror("PR_SET_CHILD_SUBREAPER");
		return LEFT_BEHIND;
	}
	pid_t pid = fork();
	if (pid == 0)
		run_command(argv + 2);
	if (pid < 0) {
		perror("fork");
		return LEFT_BEHIND;
	}
	write_pid(argv[1], pid);
	int code = wait_for(pid);
	if (all_gone())
		return code;
	tell_children();
	return LEFT_BEHIND;
}
