/* proc.switch: one hop of a token round a ring of processes, each of which first sums its own memory.
 *
 * One operation: a process reads the token (4 bytes) from its pipe, sums `size` bytes of its own (8-byte words, and the
 * sum must come out) and writes the token into the next one's pipe; the system switches to that one.
 * Counted: read, sum, write, the switch and the wait for the CPU; raw, nothing is subtracted. proc.switch_base is
 * the same without the switch, and proc.context_switch the difference.
 * Not counted: nothing else. This process is a member of the ring, every lap begins and ends with it, and all hops are
 * alike. A batch has at least GRANULE hops, so that the token gets to every member: with fewer, a large ring would be
 * timed by a few members whose memory stays in the cache.
 * Distortions: where procs does not divide the batch (5, 7, 64 …) its last lap is cut short and goes home early, so that
 * the members behind are visited a little less often. All processes share one CPU unless place=cross puts every second
 * one on another: then a hop is a wake-up across CPUs, which is something else. Pages are private per process.
 * Ancestor: lmbench's lat_ctx, which leaves placement to the scheduler and prints no difference that is below zero.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/peer.h"
#include "kit/sum.h"
#include "kit/transfer.h"

enum { MOST_PROCS = 96, GRANULE = 96, SUM_STEP = 64 };

#define MEMBER_ENDED UINT32_MAX /* in place of a token: a member that may have held it is no more */

/* What each member has done, told through shared memory; a cache line each, written by its member alone. */
struct seat {
	uint64_t hops;
	uint64_t wrong; /* sums that did not come out */
} __attribute__((aligned(128)));

struct member {
	struct ring *ring;
	struct seat *seat;
	int pipe[2];       /* it reads [0], others write [1] */
	int next;          /* where it writes */
	uint64_t expected; /* sum of its memory */
	struct peer peer;  /* none for member 0, which is this process */
};

struct ring {
	uint64_t procs, size;
	unsigned pipes; /* made so far */
	uint64_t *memory;
	struct seat *seat;
	int fault;
	struct member member[MOST_PROCS];
};

static int home; /* where member 0 is written to; for tell_end alone, which is handed no state */

/* SIGCHLD, in this process. All members hold all pipes: no end of file or broken pipe would tell of a death, and with
 * fewer of them held not of every one, since a token may lie unread in the pipe of the dead. */
static void tell_end(int number)
{
	const uint32_t token = MEMBER_ENDED;
	int kept = errno;

	(void)number;
	transfer_write(home, &token, sizeof token);
	errno = kept;
}

/* token: the hops to go after the one that brought it. 0, or -errno when the ring is broken. */
static int receive(const struct member *self, uint32_t *ret_token)
{
	int r = transfer_read(self->pipe[0], ret_token, sizeof *ret_token);

	if (r == 0 && *ret_token == MEMBER_ENDED)
		r = -EPIPE;
	if (r < 0)
		return r;
	self->seat->wrong += sum_words(self->ring->memory, self->ring->size / 8) != self->expected;
	self->seat->hops++;
	return 0;
}

/* Written, so that the pages are this process's own and not the shared zero page or the parent's. */
static void fill_memory(struct member *self)
{
	memset(self->ring->memory, (int)(self - self->ring->member) + 1, self->ring->size);
	self->expected = sum_words(self->ring->memory, self->ring->size / 8);
}

static int serve(void *arg)
{
	struct member *self = arg;
	uint32_t token;

	fill_memory(self);
	while (receive(self, &token) == 0) {
		int to = token == 1 ? self->ring->member[0].pipe[1] : self->next; /* the last hop leads home */
		token--;
		if (transfer_write(to, &token, sizeof token) < 0)
			break;
	}
	return 1;
}

/* Laps of all members, the last one or two shorter when n asks for it; none of a single hop, which has no switch. */
static uint64_t next_lap(uint64_t left, uint64_t procs)
{
	if (left <= procs)
		return left;
	return left == procs + 1 ? procs - 1 : procs;
}

static void run(void *state, uint64_t n)
{
	struct ring *ring = state;
	const struct member *self = &ring->member[0];
	uint64_t left = ring->fault ? 0 : n;

	while (left) {
		uint64_t lap = next_lap(left, ring->procs);
		uint32_t token = (uint32_t)lap - 1;
		int r = transfer_write(self->next, &token, sizeof token);
		if (r == 0)
			r = receive(self, &token);
		if (r == 0 && token != 0)
			r = -EPROTO;
		if (r < 0) {
			ring->fault = r;
			return;
		}
		left -= lap;
	}
}

static int map_memory(struct ring *ring, struct err *err)
{
	const int access = PROT_READ | PROT_WRITE;

	if (ring->size % SUM_STEP)
		return err_set(err, -EINVAL, "size is %llu bytes, but must be a multiple of %d",
			       (unsigned long long)ring->size, SUM_STEP);
	void *seats = mmap(NULL, MOST_PROCS * sizeof *ring->seat, access, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *memory = mmap(NULL, ring->size + SUM_STEP, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (seats == MAP_FAILED || memory == MAP_FAILED)
		return err_sys(err, -errno, "cannot map %llu bytes", (unsigned long long)ring->size);
	ring->seat = seats;
	ring->memory = memory;
	return 0;
}

static int make_pipes(struct ring *ring, struct err *err)
{
	for (unsigned i = 0; i < ring->procs; i++) {
		struct member *member = &ring->member[i];
		member->ring = ring;
		member->seat = &ring->seat[i];
		if (pipe2(member->pipe, O_CLOEXEC) < 0)
			return err_sys(err, -errno, "cannot make pipe %u of %llu", i + 1,
				       (unsigned long long)ring->procs);
		ring->member[i ? i - 1 : ring->procs - 1].next = member->pipe[1];
		ring->pipes++;
	}
	return 0;
}

static int tell_fault(struct ring *ring, struct err *err)
{
	char how[80];

	for (unsigned i = 1; i < ring->procs; i++) {
		if (peer_ended(&ring->member[i].peer, 0, how, sizeof how))
			return err_set(err, ring->fault, "process %u of %llu in the ring ended: %s", i + 1,
				       (unsigned long long)ring->procs, how);
	}
	return err_sys(err, ring->fault, "passing the token on");
}

static int setup(void *state, struct bench_env *env)
{
	struct ring *ring = state;
	const struct sigaction on_end = { .sa_handler = tell_end, .sa_flags = SA_RESTART | SA_NOCLDSTOP };
	int r = map_memory(ring, env->err);

	if (r == 0)
		r = make_pipes(ring, env->err);
	if (r < 0)
		return r;
	home = ring->member[0].pipe[1];
	sigaction(SIGCHLD, &on_end, NULL);
	for (unsigned i = 1; r == 0 && i < ring->procs; i++)
		r = peer_start(&ring->member[i].peer, i % 2 ? env->peer_cpu : -1, serve, &ring->member[i], env->err);
	if (r < 0)
		return r;
	fill_memory(&ring->member[0]);
	/* The first lap pays for the first touch of every member's memory; it also shows that the ring is whole. */
	run(ring, ring->procs);
	if (ring->fault)
		return tell_fault(ring, env->err);
	memset(ring->seat, 0, MOST_PROCS * sizeof *ring->seat);
	return 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct ring *ring = state;
	uint64_t hops = 0, wrong = 0;

	if (ring->fault)
		return tell_fault(ring, env->err);
	for (unsigned i = 0; i < ring->procs; i++) {
		if (ops && ring->seat[i].hops == 0)
			return err_set(env->err, -EIO, "process %u of %llu in the ring never had the token", i + 1,
				       (unsigned long long)ring->procs);
		hops += ring->seat[i].hops;
		wrong += ring->seat[i].wrong;
	}
	if (hops != ops || wrong)
		return err_set(env->err, -EIO, "the token made %llu hops instead of %llu, and %llu sums were wrong",
			       (unsigned long long)hops, (unsigned long long)ops, (unsigned long long)wrong);
	return 0;
}

static void teardown(void *state)
{
	struct ring *ring = state;

	signal(SIGCHLD, SIG_DFL);
	for (unsigned i = 1; i < ring->procs; i++)
		peer_stop(&ring->member[i].peer);
	while (ring->pipes) {
		const struct member *member = &ring->member[--ring->pipes];
		close(member->pipe[0]);
		close(member->pipe[1]);
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
	.granule = GRANULE,
	.state_size = sizeof(struct ring),
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(proc_switch);
