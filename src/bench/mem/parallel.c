/* How many loads from memory one core keeps in flight: the same number of loads, by 1 to 16 chases at once.
 *
 * One operation is one load, whichever chase makes it. The region is one cycle of random order on huge pages, built in
 * 16 stretches that each wander over all of it; chases start at different stretches, so none runs through lines that
 * another has just fetched. time(1 chain) / time(k chains) is the parallelism (mem.parallelism): it rises with k until
 * the miss buffers of the core, or the memory, are full.
 *
 * Ancestry: lmbench's par_mem, lemire/testingmlp.
 */
#include <errno.h>

#include "harness/bench.h"
#include "kit/buffer.h"
#include "kit/chain.h"

enum { MOST_CHAINS = 16, LINE = 64 };

struct parallel {
	uint64_t chains, size;
	struct buffer buffer;
	struct chain chain;
	void *at[MOST_CHAINS];
	uint64_t done;
};

static int parallel_move(void *state, struct bench_env *env)
{
	struct parallel *s = state;

	(void)env;
	for (size_t i = 0; i < s->chains; i++)
		s->at[i] = chain_arc(&s->chain, i * MOST_CHAINS / s->chains);
	return 0;
}

static int parallel_setup(void *state, struct bench_env *env)
{
	struct parallel *s = state;
	struct random random = { env->seed };
	int r = buffer_map(&s->buffer, s->size, BUFFER_HUGE, env->err);

	if (r < 0)
		return r;
	s->chain = (struct chain){
		.base = s->buffer.at, .spacing = LINE, .arcs = MOST_CHAINS, .pattern = CHAIN_RANDOM,
	};
	chain_grow(&s->chain, s->size / LINE, &random);
	return parallel_move(state, env);
}

/* One function a number of chains, so that the addresses stay in registers (16 of them spill on x86-64; a reload from
 * the stack is nothing beside a miss). The loop unrolls completely since the count is a constant. */
#define DEFINE_CHASE(chains)                                                                                          \
	static void chase_##chains(void **at, uint64_t rounds)                                                        \
	{                                                                                                             \
		void *p[chains];                                                                                      \
		_Pragma("GCC unroll 16") for (int i = 0; i < chains; i++)                                             \
			p[i] = at[i];                                                                                 \
		while (rounds--)                                                                                      \
			_Pragma("GCC unroll 16") for (int i = 0; i < chains; i++)                                     \
				p[i] = *(void **)p[i];                                                                \
		_Pragma("GCC unroll 16") for (int i = 0; i < chains; i++)                                             \
			at[i] = p[i];                                                                                 \
	}

DEFINE_CHASE(1)
DEFINE_CHASE(2)
DEFINE_CHASE(3)
DEFINE_CHASE(4)
DEFINE_CHASE(5)
DEFINE_CHASE(6)
DEFINE_CHASE(7)
DEFINE_CHASE(8)
DEFINE_CHASE(9)
DEFINE_CHASE(10)
DEFINE_CHASE(11)
DEFINE_CHASE(12)
DEFINE_CHASE(13)
DEFINE_CHASE(14)
DEFINE_CHASE(15)
DEFINE_CHASE(16)

static void (*const chase[MOST_CHAINS])(void **at, uint64_t rounds) = {
	chase_1, chase_2,  chase_3,  chase_4,  chase_5,  chase_6,  chase_7,  chase_8,
	chase_9, chase_10, chase_11, chase_12, chase_13, chase_14, chase_15, chase_16,
};

static void parallel_run(void *state, uint64_t n)
{
	struct parallel *s = state;

	s->done += n;
	chase[s->chains - 1](s->at, n / s->chains);
	for (size_t i = 0; i < n % s->chains; i++)
		s->at[i] = *(void **)s->at[i];
}

static int parallel_check(void *state, uint64_t ops, struct bench_env *env)
{
	struct parallel *s = state;

	if (s->done != ops)
		return err_set(env->err, -EIO, "%llu loads were asked for and %llu done", (unsigned long long)ops,
			       (unsigned long long)s->done);
	for (size_t i = 0; i < s->chains; i++) {
		if (!chain_has(&s->chain, s->at[i]))
			return err_set(env->err, -EIO, "chain %zu led out of its memory", i + 1);
		for (size_t k = 0; k < i; k++)
			if (s->at[i] == s->at[k])
				return err_set(env->err, -EIO, "chains %zu and %zu have met", k + 1, i + 1);
	}
	return chain_is_cycle(&s->chain, 1 << 18) ? 0 : err_set(env->err, -EIO,
		"the chain of %llu bytes is not one cycle over all of its nodes", (unsigned long long)s->size);
}

static void parallel_teardown(void *state)
{
	struct parallel *s = state;

	chain_done(&s->chain);
	buffer_done(&s->buffer);
}

static const char *parallel_remark(const void *state)
{
	return buffer_remark(&((const struct parallel *)state)->buffer);
}

static const struct param params[] = {
	{ "chains", "independent chases at the same time", PARAM_COUNT, offsetof(struct parallel, chains), 1,
	  MOST_CHAINS, MOST_CHAINS, NULL },
	{ "size", "bytes of the region", PARAM_SIZE, offsetof(struct parallel, size), 64 << 10, UINT64_C(64) << 30,
	  PARAM_MEMORY, NULL },
	{ 0 },
};

static const struct bench mem_parallel = {
	.name = "mem.parallel",
	.title = "load by one of several independent chases",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.params = params,
	.curve = "chains",
	.state_size = sizeof(struct parallel),
	.granule = MOST_CHAINS,
	.min_ops = 65536,
	.min_cycles = 0.125,
	.setup = parallel_setup,
	.move = parallel_move,
	.run = parallel_run,
	.check = parallel_check,
	.teardown = parallel_teardown,
	.remark = parallel_remark,
};

BENCH_REGISTER(mem_parallel);
