/* proc.switch: one hop of a token round a ring of processes, each of which first sums its own memory.
 *
 * One operation: a process reads the token from its pipe, sums `size` bytes of its own (8-byte words) and writes the
 * token into the next one's pipe; the system switches to that one. The token carries the hops still to go, so a batch
 * makes exactly n of them; the process that counts it to zero sends it straight home, at most one more pipe write
 * and switch a batch, outside the count.
 *
 * Not counted out: pipe and sum themselves. proc.switch_base measures those in one process, and
 * proc.context_switch is the difference. All processes share one CPU unless place=cross puts every second one on
 * another: then a hop is a wake-up across CPUs, which is something else. Pages are private per process.
 *
 * Ancestry: lmbench's lat_ctx, which leaves placement to the scheduler and its differences below zero out.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/sum.h"

enum { MOST_PROCS = 96 };

struct ring {
	uint64_t procs, size;
	int pipe[MOST_PROCS][2]; /* member i reads pipe[i][0], and writes the next one's */
	pid_t child[MOST_PROCS];
	uint64_t *memory;
	uint64_t *hops; /* shared: hops made by each member */
	int fault;
};

static int pass_on(const struct ring *ring, unsigned self, uint64_t token)
{
	/* Spent: home to member 0, who waits for it. */
	unsigned next = token ? (self + 1) % (unsigned)ring->procs : 0;

	return write(ring->pipe[next][1], &token, sizeof token) == sizeof token ? 0 : -errno;
}

/* Waits for the token, works, counts: what is left of it, or −1 when the pipe ended. */
static int64_t receive(const struct ring *ring, unsigned self)
{
	uint64_t token;

	if (read(ring->pipe[self][0], &token, sizeof token) != sizeof token)
		return -1;
	if (!token)
		return 0;
	uint64_t sum = sum_words(ring->memory, ring->size / 8);
	BENCH_KEEP(sum);
	ring->hops[self * 8]++;
	return (int64_t)token - 1;
}

static void serve(const struct ring *ring, unsigned self)
{
	int64_t left;

	while ((left = receive(ring, self)) >= 0) {
		if (pass_on(ring, self, (uint64_t)left) < 0)
			break;
	}
	_exit(0);
}

static void run(void *state, uint64_t n)
{
	struct ring *ring = state;
	int64_t left = (int64_t)n;

	/* The first hop goes to the next member; each receiver counts one. */
	do {
		int r = pass_on(ring, 0, (uint64_t)left);
		if (r < 0) {
			ring->fault = r;
			return;
		}
		left = receive(ring, 0);
	} while (left > 0);
	if (left < 0)
		ring->fault = -EPIPE;
}

static int start_member(struct ring *ring, unsigned self, struct bench_env *env)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(env->err, -errno, "starting process %u of the ring", self + 1);
	ring->child[self] = pid;
	if (pid > 0)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (env->peer_cpu >= 0 && self % 2) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET(env->peer_cpu, &set);
		if (env->peer_cpu >= CPU_SETSIZE || sched_setaffinity(0, sizeof set, &set) < 0)
			_exit(1);
	}
	/* Written, so that the pages are this process's own and not the shared zero page or the parent's. */
	memset(ring->memory, (int)self + 1, ring->size);
	serve(ring, self);
	return 0;
}

static int setup(void *state, struct bench_env *env)
{
	struct ring *ring = state;
	int r = 0;

	signal(SIGPIPE, SIG_IGN);
	ring->hops = mmap(NULL, MOST_PROCS * 64, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ring->memory = mmap(NULL, ring->size + 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring->hops == MAP_FAILED || ring->memory == MAP_FAILED)
		return err_sys(env->err, -errno, "mapping %llu bytes", (unsigned long long)ring->size);
	memset(ring->memory, 1, ring->size);
	for (unsigned i = 0; i < ring->procs; i++) {
		if (pipe2(ring->pipe[i], O_CLOEXEC) < 0)
			return err_sys(env->err, -errno, "making pipe %u of %llu", i + 1, (unsigned long long)ring->procs);
	}
	for (unsigned i = 1; r == 0 && i < ring->procs; i++)
		r = start_member(ring, i, env);
	return r;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct ring *ring = state;
	uint64_t hops = 0;

	for (unsigned i = 0; i < ring->procs; i++)
		hops += ring->hops[i * 8];
	if (ring->fault)
		return err_sys(env->err, ring->fault, "passing the token on");
	if (hops != ops)
		return err_set(env->err, -EIO, "the token made %llu hops instead of %llu", (unsigned long long)hops,
			       (unsigned long long)ops);
	return 0;
}

static void teardown(void *state)
{
	struct ring *ring = state;

	for (unsigned i = 1; i < ring->procs; i++) {
		if (ring->child[i] <= 0)
			continue;
		kill(ring->child[i], SIGKILL);
		waitpid(ring->child[i], NULL, 0);
	}
}

static const struct param params[] = {
	{ "procs", "processes in the ring", PARAM_COUNT, offsetof(struct ring, procs), 2, MOST_PROCS, 2, NULL },
	{ "size", "bytes that each sums before it passes the token on", PARAM_SIZE, offsetof(struct ring, size), 0,
	  1 << 20, 0, NULL },
	{ 0 },
};

static const struct bench proc_switch = {
	.name = "proc.switch",
	.title = "token from one process to the next, with a sum",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.params = params,
	.peers = true,
	.gives_up_cpu = true,
	.state_size = sizeof(struct ring),
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(proc_switch);
