/* Latency of a load: how long it takes from knowing an address to having what is there.
 *
 * One operation is one load whose address is the result of the load before (p = *p), so nothing overlaps. The region
 * is one cycle of pointers, one per `spacing` bytes; a lap touches each once. Not counted: building the chain, the
 * first touch of the pages, and for regions up to 2^18 nodes one warm lap.
 *
 * random   each next node is anywhere in the region: on huge pages the latency of the caches and of memory, on 4 KiB
 *          pages that and the page walks
 * forward  ascending addresses; what hardware prefetchers make of it. The default of lmbench's lat_mem_rd
 * page     random within a page, then another page at random: one TLB miss for many loads
 *
 * The random variant is the honest figure; forward shows "cache-like" figures for DRAM by design. In a guest, L3 is
 * shared with neighbours and 4 KiB pages cost a nested walk. Ancestry: lmbench's lat_mem_rd (whose -t is `page`),
 * multichase, lemire/testingmlp.
 */
#include <errno.h>

#include "harness/bench.h"
#include "kit/buffer.h"
#include "kit/chain.h"

enum { UNROLL = 64, WARM_LAP_NODES = 1 << 18 };

struct latency {
	uint64_t size, page, spacing;
	struct buffer buffer;
	struct chain chain;
	struct random random;
	void *at;
	uint64_t done;
};

static const enum chain_pattern patterns[] = { CHAIN_RANDOM, CHAIN_FORWARD, CHAIN_PAGE };

static int latency_move(void *state, struct bench_env *env)
{
	struct latency *s = state;
	size_t nodes = s->size / s->chain.spacing;
	int r = buffer_grow(&s->buffer, s->size, env->err);

	if (r < 0)
		return r;
	chain_grow(&s->chain, nodes ? nodes : 1, &s->random);
	s->at = chain_node(&s->chain, 0);
	if (s->chain.nodes <= WARM_LAP_NODES)
		chain_walk(s->at, s->chain.nodes);
	return 0;
}

static int latency_setup(void *state, struct bench_env *env)
{
	struct latency *s = state;

	/* Room for the largest value of the curve, since the chain has to stay where it is. */
	int r = buffer_reserve(&s->buffer, s->size, UINT64_C(64) << 30, (enum buffer_pages)s->page, env->err);
	if (r < 0)
		return r;
	s->random.state = env->seed;
	s->chain = (struct chain){
		.base = s->buffer.at,
		.spacing = s->spacing & ~(uint64_t)(sizeof(void *) - 1),
		.pattern = patterns[env->variant],
		.page_bytes = 4096,
	};
	return latency_move(state, env);
}

#define LOAD p = *(void **)p;
#define LOAD8 LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD

static void latency_run(void *state, uint64_t n)
{
	struct latency *s = state;
	void *p = s->at;

	s->done += n;
	for (; n; n -= UNROLL) {
		LOAD8 LOAD8 LOAD8 LOAD8 LOAD8 LOAD8 LOAD8 LOAD8
		BENCH_KEEP(p);
	}
	s->at = p;
}

static int latency_check(void *state, uint64_t ops, struct bench_env *env)
{
	struct latency *s = state;

	if (s->done != ops)
		return err_set(env->err, -EIO, "%llu loads were asked for and %llu done", (unsigned long long)ops,
			       (unsigned long long)s->done);
	if (!chain_has(&s->chain, s->at))
		return err_set(env->err, -EIO, "the chain of %llu bytes led out of its memory",
			       (unsigned long long)s->size);
	if (!chain_is_cycle(&s->chain, WARM_LAP_NODES))
		return err_set(env->err, -EIO, "the chain of %llu bytes is not one cycle over all of its nodes",
			       (unsigned long long)s->size);
	return 0;
}

static void latency_teardown(void *state)
{
	struct latency *s = state;

	chain_done(&s->chain);
	buffer_done(&s->buffer);
}

static const char *latency_remark(const void *state)
{
	return buffer_remark(&((const struct latency *)state)->buffer);
}

static const struct param params[] = {
	{ "size", "bytes of the region", PARAM_SIZE, offsetof(struct latency, size), 512, UINT64_C(64) << 30,
	  PARAM_MEMORY, NULL },
	{ "page", "kind of pages", PARAM_CHOICE, offsetof(struct latency, page), 0, 1, BUFFER_HUGE,
	  buffer_page_choices },
	{ "spacing", "bytes from node to node", PARAM_SIZE, offsetof(struct latency, spacing), 8, 4096, 64, NULL },
	{ 0 },
};

static const struct variant variants[] = {
	{ "random", "dependent load, random order" },
	{ "forward", "dependent load, ascending addresses" },
	{ "page", "dependent load, random within a page, then a random page" },
	{ 0 },
};

static const struct bench mem_latency = {
	.name = "mem.latency",
	.title = "dependent load",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.params = params,
	.variants = variants,
	.curve = "size",
	.per_octave = 3,
	.state_size = sizeof(struct latency),
	.granule = UNROLL,
	.min_ops = 65536,
	.min_cycles = 0.9,
	.setup = latency_setup,
	.move = latency_move,
	.run = latency_run,
	.check = latency_check,
	.teardown = latency_teardown,
	.remark = latency_remark,
};

BENCH_REGISTER(mem_latency);
