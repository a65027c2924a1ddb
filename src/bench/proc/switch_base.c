/* proc.switch_base: what a process of proc.switch does besides switching, done by one process alone.
 *
 * One operation: write the 4-byte token into a pipe, read it back from there, and sum `size` bytes. The pipes take
 * turns (there are `procs` of them, as in the ring), the memory is one and the same: hot in the cache, which in the
 * ring it need not be. So the difference to proc.switch holds what a switch does to the cache as well.
 *
 * Ancestry: the overhead run of lmbench's lat_ctx.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/sum.h"
#include "kit/transfer.h"

enum { MOST_PIPES = 96, SUM_STEP = 64 };

struct base {
	uint64_t procs, size;
	int pipe[MOST_PIPES][2];
	unsigned turn;
	uint64_t *memory;
	uint64_t expected; /* sum of the memory */
	uint64_t done;     /* operations whose token and sum came out right */
	int fault;
};

static void run(void *state, uint64_t n)
{
	struct base *base = state;

	for (uint64_t i = n; i; i--) {
		uint32_t token = (uint32_t)i;
		const int *pipe = base->pipe[base->turn];
		int r = transfer_write(pipe[1], &token, sizeof token);
		if (r == 0)
			r = transfer_read(pipe[0], &token, sizeof token);
		if (r < 0) {
			base->fault = r;
			return;
		}
		bool right = sum_words(base->memory, base->size / 8) == base->expected;
		base->done += right && token == (uint32_t)i;
		base->turn = base->turn + 1 == base->procs ? 0 : base->turn + 1;
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct base *base = state;

	if (base->size % SUM_STEP)
		return err_set(env->err, -EINVAL, "size is %llu bytes, but must be a multiple of %d",
			       (unsigned long long)base->size, SUM_STEP);
	base->memory = mmap(NULL, base->size + SUM_STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base->memory == MAP_FAILED)
		return err_sys(env->err, -errno, "mapping %llu bytes", (unsigned long long)base->size);
	memset(base->memory, 1, base->size);
	base->expected = sum_words(base->memory, base->size / 8);
	for (unsigned i = 0; i < base->procs; i++) {
		if (pipe2(base->pipe[i], O_CLOEXEC) < 0)
			return err_sys(env->err, -errno, "making pipe %u of %llu", i + 1, (unsigned long long)base->procs);
	}
	return 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct base *base = state;

	if (base->fault)
		return err_sys(env->err, base->fault, "passing the token through a pipe");
	if (base->done != ops)
		return err_set(env->err, -EIO, "token and sum came out right %llu times out of %llu",
			       (unsigned long long)base->done, (unsigned long long)ops);
	return 0;
}

static const struct param params[] = {
	{ "procs", "pipes that take turns", PARAM_COUNT, offsetof(struct base, procs), 2, MOST_PIPES, 2, NULL },
	{ "size", "bytes to sum", PARAM_SIZE, offsetof(struct base, size), 0, 1 << 20, 0, NULL },
	{ 0 },
};

static const struct bench proc_switch_base = {
	.name = "proc.switch_base",
	.title = "token through a pipe of one's own, with a sum",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.params = params,
	.state_size = sizeof(struct base),
	.setup = setup,
	.run = run,
	.check = check,
};
BENCH_REGISTER(proc_switch_base);
