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
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/peer.h"
#include "kit/sum.h"
#include "kit/transfer.h"

enum { MOST_PROCS = 96, GRANULE = 96, SUM_STEP = 64 };

/* What each member has done, told through shared memory; a cache line each, written by its member alone. */
struct seat {
	uint64_t hops;
	uint64_t wrong; /* sums that did not come out */
} __attribute__((aligned(128)));

struct member {
	const struct ring *ring;
	struct seat *seat;
	int in, next, home; /* reads from, writes to its neighbour, to member 0 */
	uint64_t expected;  /* sum of its memory */
};

struct ring {
	uint64_t procs, size;
	int pipe[MOST_PROCS][2]; /* member i reads pipe[i][0] */
	struct peer peer[MOST_PROCS]; /* none for member 0, which is this process */
	uint64_t *memory;
	struct seat *seat;
	struct member self;
	int fault;
};

/* token: the hops to go after the one that brought it. 0, or -errno when the ring is broken. */
static int receive(const struct member *member, uint32_t *ret_token)
{
	int r = transfer_read(member->in, ret_token, sizeof *ret_token);

	if (r < 0)
		return r;
	member->seat->wrong += sum_words(member->ring->memory, member->ring->size / 8) != member->expected;
	member->seat->hops++;
	return 0;
}

static struct member take_seat(const struct ring *ring, unsigned self)
{
	struct member member = { .ring = ring,
				 .seat = &ring->seat[self],
				 .in = ring->pipe[self][0],
				 .next = ring->pipe[(self + 1) % ring->procs][1],
				 .home = ring->pipe[0][1] };

	/* Written, so that the pages are this process's own and not the shared zero page or the parent's. */
	memset(ring->memory, (int)self + 1, ring->size);
	member.expected = sum_words(ring->memory, ring->size / 8);
	return member;
}

/* Descriptors of others are closed, or nobody would see the end of one who died. */
static void close_others(const struct ring *ring, const struct member *member, bool keep_home)
{
	for (unsigned i = 0; i < ring->procs; i++) {
		if (ring->pipe[i][0] != member->in)
			close(ring->pipe[i][0]);
		if (ring->pipe[i][1] != member->next && !(keep_home && ring->pipe[i][1] == member->home))
			close(ring->pipe[i][1]);
	}
}

struct chair {
	const struct ring *ring;
	unsigned self;
};

static int serve(void *arg)
{
	const struct chair *chair = arg;
	struct member member = take_seat(chair->ring, chair->self);
	uint32_t token;

	close_others(chair->ring, &member, true);
	while (receive(&member, &token) == 0 && token > 0) {
		int to = token == 1 ? member.home : member.next;
		token--;
		if (transfer_write(to, &token, sizeof token) < 0)
			break;
	}
	return 0;
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
	uint64_t left = ring->fault ? 0 : n;

	while (left) {
		uint64_t lap = next_lap(left, ring->procs);
		uint32_t token = (uint32_t)lap - 1;
		int r = transfer_write(ring->self.next, &token, sizeof token);
		if (r == 0)
			r = receive(&ring->self, &token);
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
	if (ring->size % SUM_STEP)
		return err_set(err, -EINVAL, "size is %llu bytes, but must be a multiple of %d",
			       (unsigned long long)ring->size, SUM_STEP);
	void *seats = mmap(NULL, MOST_PROCS * sizeof *ring->seat, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	void *memory = mmap(NULL, ring->size + SUM_STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (seats == MAP_FAILED || memory == MAP_FAILED)
		return err_sys(err, -errno, "cannot map %llu bytes", (unsigned long long)ring->size);
	ring->seat = seats;
	ring->memory = memory;
	return 0;
}

static int start_ring(struct ring *ring, struct bench_env *env)
{
	int r = 0;

	for (unsigned i = 0; i < ring->procs; i++) {
		if (pipe2(ring->pipe[i], O_CLOEXEC) < 0)
			return err_sys(env->err, -errno, "cannot make pipe %u of %llu", i + 1,
				       (unsigned long long)ring->procs);
	}
	for (unsigned i = 1; r == 0 && i < ring->procs; i++) {
		struct chair chair = { ring, i };
		r = peer_start(&ring->peer[i], i % 2 ? env->peer_cpu : -1, serve, &chair, env->err);
	}
	return r;
}

/* A broken ring ends member by member; the one that a signal killed is the cause. */
static int tell_fault(struct ring *ring, struct err *err)
{
	enum { WAIT_MS = 100 };
	char words[128] = "all are there";
	unsigned culprit = 0;

	for (unsigned i = 1; i < ring->procs; i++) {
		char its[sizeof words];
		if (peer_ended(&ring->peer[i], WAIT_MS, its, sizeof its) &&
		    (culprit == 0 || WIFSIGNALED(ring->peer[i].status))) {
			culprit = i;
			memcpy(words, its, sizeof words);
		}
	}
	return err_sys(err, ring->fault, "the token was lost: process %u of %llu in the ring: %s", culprit + 1,
		       (unsigned long long)ring->procs, words);
}

static int setup(void *state, struct bench_env *env)
{
	struct ring *ring = state;
	int r = map_memory(ring, env->err);

	if (r == 0)
		r = start_ring(ring, env);
	if (r < 0)
		return r;
	ring->self = take_seat(ring, 0);
	close_others(ring, &ring->self, false);
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

	for (unsigned i = 0; i < ring->procs; i++) {
		hops += ring->seat[i].hops;
		wrong += ring->seat[i].wrong;
	}
	if (ring->fault)
		return tell_fault(ring, env->err);
	if (hops != ops || wrong)
		return err_set(env->err, -EIO, "the token made %llu hops instead of %llu, and %llu sums were wrong",
			       (unsigned long long)hops, (unsigned long long)ops, (unsigned long long)wrong);
	for (unsigned i = 0; ops && i < ring->procs; i++) {
		if (ring->seat[i].hops == 0)
			return err_set(env->err, -EIO, "process %u of %llu in the ring never had the token", i + 1,
				       (unsigned long long)ring->procs);
	}
	return 0;
}

static void teardown(void *state)
{
	struct ring *ring = state;

	for (unsigned i = 1; i < ring->procs; i++)
		peer_stop(&ring->peer[i]);
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
