/* proc.create: a new process, from fork to its end.
 *
 * One operation: fork – fork, _exit(0) in the child, waitpid. exec – fork, execve of assay-hello (a small program,
 * statically linked where the build could, with an empty environment), waitpid. shell – the same through
 * /bin/sh -c, so with the start of the shell and its parsing; whether the shell forks once more is the shell's affair.
 * Counted: all of that, and the wait for the CPU between parent and child, which share one unless told otherwise.
 * Not counted: finding the program. The page cache holds it.
 * Distortions: fork copies the page tables of this worker, a process of a few MiB; a large process forks more slowly.
 * glibc's fork runs its atfork handlers. The child's pages are copied on write by parent and child alike.
 * Ancestor: lmbench's lat_proc fork, exec and shell, whose child leaves through the stdio exit and whose missing
 * /tmp/hello is timed as a fast exec. Here every child must leave with status 0.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/bench.h"

enum { FORK, EXEC, SHELL };
enum { MOST_A_BATCH = 64, NOT_STARTED = 127 };

struct create {
	pid_t (*start)(struct create *create);
	unsigned variant;
	char program[PATH_MAX];
	char quoted[4 * PATH_MAX + 3]; /* for the shell: each ' takes four bytes */
	uint64_t failed;               /* fork or waitpid */
	int first_errno;
	uint64_t bad; /* children that did not leave with status 0 */
	int first_status;
};

static char *const no_environment[] = { NULL };

static pid_t start_fork(struct create *create)
{
	pid_t child = fork();

	(void)create;
	if (child == 0)
		_exit(0);
	return child;
}

static pid_t start_exec(struct create *create)
{
	char *arguments[] = { create->program, NULL };
	pid_t child = fork();

	if (child == 0) {
		execve(create->program, arguments, no_environment);
		_exit(NOT_STARTED);
	}
	return child;
}

static pid_t start_shell(struct create *create)
{
	char name[] = "sh", option[] = "-c";
	char *arguments[] = { name, option, create->quoted, NULL };
	pid_t child = fork();

	if (child == 0) {
		execve("/bin/sh", arguments, no_environment);
		_exit(NOT_STARTED);
	}
	return child;
}

static pid_t (*const starts[])(struct create *create) = {
	[FORK] = start_fork,
	[EXEC] = start_exec,
	[SHELL] = start_shell,
};

/* Beside this program, as in a build; where an installation that was moved has it; where it was installed. */
static int find_hello(struct create *create, const struct bench_env *env)
{
	static const struct {
		bool from_program; /* the place is seen from the directory of this program */
		const char *place;
	} places[] = {
		{ true, "" },
		{ true, "/../libexec/assay" },
		{ false, ASSAY_LIBEXECDIR },
	};
	const char *slash = strrchr(env->program, '/');
	int length = slash ? (int)(slash - env->program) : 0;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (places[i].from_program && !slash)
			continue;
		int written = snprintf(create->program, sizeof create->program, "%.*s%s/assay-hello",
				       places[i].from_program ? length : 0, env->program, places[i].place);
		if (written < (int)sizeof create->program && access(create->program, X_OK) == 0)
			return 0;
	}
	return err_set(env->err, -ENOENT,
		       "assay-hello, the program to start, is neither beside %s nor in " ASSAY_LIBEXECDIR
		       ", or may not be executed there: install assay again", env->program);
}

static void quote(char *target, const char *text)
{
	*target++ = '\'';
	for (; *text; text++) {
		if (*text == '\'') {
			memcpy(target, "'\\''", 4);
			target += 4;
		} else {
			*target++ = *text;
		}
	}
	*target++ = '\'';
	*target = '\0';
}

/* What a child inherits through execve is put right here, once: doing it in the child would be timed. */
static void default_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would leave waitpid nothing to wait for */
}

static int setup(void *state, struct bench_env *env)
{
	struct create *create = state;

	create->variant = env->variant;
	create->start = starts[env->variant];
	default_signals();
	if (env->variant == FORK)
		return 0;
	int r = find_hello(create, env);
	if (r == 0)
		quote(create->quoted, create->program);
	return r;
}

static void run(void *state, uint64_t n)
{
	struct create *create = state;

	for (; n; n--) {
		int status = 0;
		pid_t child = create->start(create), ended = child;
		while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
			;
		if (ended < 0 && create->failed++ == 0)
			create->first_errno = errno;
		if (status != 0 && create->bad++ == 0)
			create->first_status = status;
	}
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct create *create = state;
	bool signaled = WIFSIGNALED(create->first_status);

	if (create->failed > 0)
		return err_sys(env->err, -create->first_errno, "%llu of %llu processes could not be made",
			       (unsigned long long)create->failed, (unsigned long long)ops);
	if (create->bad > 0)
		return err_set(env->err, -EIO, "%s %s %d (%llu of %llu did not leave with status 0)%s%s",
			       create->variant == FORK ? "the child" : "the started program",
			       signaled ? "was ended by signal" : "left with status",
			       signaled ? WTERMSIG(create->first_status) : WEXITSTATUS(create->first_status),
			       (unsigned long long)create->bad, (unsigned long long)ops, *create->program ? ": " : "",
			       create->program);
	return 0;
}

static const struct variant variants[] = {
	[FORK] = { "fork", "fork, exit and wait", 0 },
	[EXEC] = { "exec", "fork, execve of a small program, exit and wait", 0 },
	[SHELL] = { "shell", "fork, /bin/sh -c of a small program, exit and wait", NEED_SHELL },
	{ 0 },
};

static const struct bench proc_create = {
	.name = "proc.create",
	.title = "a new process, until it has ended",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.variants = variants,
	.gives_up_cpu = true,
	.max_ops = MOST_A_BATCH,
	.state_size = sizeof(struct create),
	.setup = setup,
	.run = run,
	.check = check,
};
BENCH_REGISTER(proc_create);
