/* proc.signal: installing a signal handler, having it called, and the fault of a forbidden store.
 *
 * One operation: install – one sigaction for SIGUSR1. handle – one kill of this process with SIGUSR1, and the handler
 * that the kernel runs before kill returns. protection – one store into a read-only page: page fault, SIGSEGV, its
 * handler, and the return to the same store, which faults again.
 * Counted: all of it, raw; nothing is subtracted. The handlers count, and the count must come out.
 * Not counted: making the page.
 * Distortions: at the last fault of a batch the handler makes the page writable, and the next batch protects it anew:
 * two mprotects and at most one more page fault a batch, spread over at least GRANULE faults (about one percent).
 * handle holds the kill system call as well. The page is anonymous; a store that its mapping forbids is refused before
 * the kernel looks at what is mapped, so a file would cost the same.
 * Ancestor: lmbench's lat_sig install, catch and prot. There catch has a kill without a signal subtracted and prot has
 * catch subtracted, and nothing is printed if that comes out negative.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/bench.h"

enum { INSTALL, HANDLE, PROTECTION };
enum { GRANULE = 256 };

struct signals {
	void (*loop)(struct signals *signals, uint64_t n);
	pid_t self;
	struct sigaction action;
	char *page;
	size_t page_bytes;
	volatile uint64_t left; /* faults until the page becomes writable */
	volatile uint64_t handled;
	uint64_t failed;
	int first_errno;
};

/* A signal handler is handed no pointer of ours: the one place where it can find the state is a file-level one. */
static struct signals *caught;

static void note(struct signals *signals, int result)
{
	if (__builtin_expect(result < 0, 0) && signals->failed++ == 0)
		signals->first_errno = errno;
}

static void count(int number)
{
	(void)number;
	caught->handled++;
}

/* mprotect is not among the functions POSIX lets a handler call; on Linux it is a bare system call. */
static void count_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_addr != caught->page || caught->left == 0) {
		signal(number, SIG_DFL); /* a fault that is not ours, or one too many: die of it */
		return;
	}
	caught->handled++;
	if (--caught->left == 0 && mprotect(caught->page, caught->page_bytes, PROT_READ | PROT_WRITE) < 0)
		signal(number, SIG_DFL);
}

static void loop_install(struct signals *signals, uint64_t n)
{
	for (; n; n--)
		note(signals, sigaction(SIGUSR1, &signals->action, NULL));
}

static void loop_handle(struct signals *signals, uint64_t n)
{
	for (; n; n--)
		note(signals, kill(signals->self, SIGUSR1));
}

static void loop_protection(struct signals *signals, uint64_t n)
{
	int r = mprotect(signals->page, signals->page_bytes, PROT_READ);

	note(signals, r);
	if (r < 0)
		return;
	signals->left = n;
	*(volatile char *)signals->page = 1; /* faults n times, then is carried out */
}

static void (*const loops[])(struct signals *signals, uint64_t n) = {
	[INSTALL] = loop_install,
	[HANDLE] = loop_handle,
	[PROTECTION] = loop_protection,
};

static int map_page(struct signals *signals, struct err *err)
{
	signals->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, signals->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return err_sys(err, -errno, "cannot map a page of memory");
	signals->page = page;
	signals->page[0] = 1;
	return 0;
}

static int setup(void *state, struct bench_env *env)
{
	struct signals *signals = state;
	bool faults = env->variant == PROTECTION;
	int number = faults ? SIGSEGV : SIGUSR1;
	sigset_t set;

	caught = signals;
	signals->loop = loops[env->variant];
	signals->self = getpid();
	sigemptyset(&signals->action.sa_mask);
	if (faults) {
		int r = map_page(signals, env->err);
		if (r < 0)
			return r;
		signals->action.sa_flags = SA_SIGINFO; /* to see that it is this page */
		signals->action.sa_sigaction = count_fault;
	} else {
		signals->action.sa_handler = count;
	}
	sigemptyset(&set);
	sigaddset(&set, number);
	if (sigaction(number, &signals->action, NULL) < 0 || sigprocmask(SIG_UNBLOCK, &set, NULL) < 0)
		return err_sys(env->err, -errno, "cannot handle signal %d", number);
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct signals *signals = state;

	signals->loop(signals, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct signals *signals = state;
	uint64_t expected = signals->loop == loop_install ? 0 : ops;

	if (signals->failed > 0)
		return err_sys(env->err, -signals->first_errno, "%s failed %llu times in %llu operations",
			       signals->loop == loop_install ? "sigaction"
			       : signals->loop == loop_handle ? "kill" : "mprotect",
			       (unsigned long long)signals->failed, (unsigned long long)ops);
	if (signals->handled != expected)
		return err_set(env->err, -EIO, "the handler was called %llu times instead of %llu",
			       (unsigned long long)signals->handled, (unsigned long long)expected);
	return 0;
}

static void teardown(void *state)
{
	struct signals *signals = state;

	signal(SIGUSR1, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	if (signals->page)
		munmap(signals->page, signals->page_bytes);
	signals->page = NULL;
	caught = NULL;
}

static const struct variant variants[] = {
	[INSTALL] = { "install", "installing a signal handler" },
	[HANDLE] = { "handle", "a signal to this process, handled" },
	[PROTECTION] = { "protection", "a store into a read-only page, its SIGSEGV handled" },
	{ 0 },
};

static const struct bench proc_signal = {
	.name = "proc.signal",
	.title = "installing and handling a signal",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.variants = variants,
	.granule = GRANULE,
	.state_size = sizeof(struct signals),
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(proc_signal);
