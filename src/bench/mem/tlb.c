/* What address translation costs: the same number of cache lines, once each on its own page, once packed densely.
 *
 * One operation is one dependent load in a random cycle over as many nodes as `pages` says, on 4 KiB pages.
 *
 * spread   one line per page; the line within the page is another one from page to page, so that the lines fill the
 *          sets of the caches evenly and the caches hold as much as when they are packed
 * packed   the lines side by side
 *
 * spread − packed is translation alone; it steps up where `pages` exceeds the entries of the first- and second-level
 * data TLB (mem.tlb_reach). In a guest a miss walks two page tables. The lines of either variant may collide in
 * physically indexed caches beyond some thousand pages. Ancestry: lmbench's tlb.
 */
#include <errno.h>

#include "harness/bench.h"
#include "kit/buffer.h"
#include "kit/chain.h"

enum { UNROLL = 64, PAGE = 4096, LINE = 64, MOST_PAGES = 16384 };
enum { SPREAD, PACKED };

struct tlb {
	uint64_t pages;
	struct buffer buffer;
	struct chain chain;
	struct random random;
	void *at;
	uint64_t done;
};

static int tlb_move(void *state, struct bench_env *env)
{
	struct tlb *s = state;
	/* A rotated node never leaves its page, since rotation is modulo the spacing. */
	int r = buffer_grow(&s->buffer, s->pages * s->chain.spacing, env->err);

	if (r < 0)
		return r;
	chain_grow(&s->chain, s->pages, &s->random);
	s->at = chain_walk(chain_node(&s->chain, 0), 2 * s->chain.nodes);
	return 0;
}

static int tlb_setup(void *state, struct bench_env *env)
{
	struct tlb *s = state;
	bool spread = env->variant == SPREAD;
	size_t spacing = spread ? PAGE : LINE;
	int r = buffer_reserve(&s->buffer, s->pages * spacing, MOST_PAGES * spacing, BUFFER_BASE, env->err);

	if (r < 0)
		return r;
	s->random.state = env->seed;
	s->chain = (struct chain){
		.base = s->buffer.at, .spacing = spacing, .rotate = spread ? LINE : 0, .pattern = CHAIN_RANDOM,
	};
	return tlb_move(state, env);
}

#define LOAD p = *(void **)p;
#define LOAD8 LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD

static void tlb_run(void *state, uint64_t n)
{
	struct tlb *s = state;
	void *p = s->at;

	s->done += n;
	for (; n; n -= UNROLL) {
		LOAD8 LOAD8 LOAD8 LOAD8 LOAD8 LOAD8 LOAD8 LOAD8
		BENCH_KEEP(p);
	}
	s->at = p;
}

static int tlb_check(void *state, uint64_t ops, struct bench_env *env)
{
	struct tlb *s = state;

	if (s->done != ops)
		return err_set(env->err, -EIO, "%llu loads were asked for and %llu done", (unsigned long long)ops,
			       (unsigned long long)s->done);
	if (!chain_has(&s->chain, s->at) || !chain_is_cycle(&s->chain, UINT64_MAX))
		return err_set(env->err, -EIO, "the chain over %llu pages is not one cycle over all of its nodes",
			       (unsigned long long)s->pages);
	return 0;
}

static void tlb_teardown(void *state)
{
	struct tlb *s = state;

	chain_done(&s->chain);
	buffer_done(&s->buffer);
}

static const char *tlb_remark(const void *state)
{
	return buffer_remark(&((const struct tlb *)state)->buffer);
}

static const struct param params[] = {
	{ "pages", "how many lines, each on its own page or packed", PARAM_COUNT, offsetof(struct tlb, pages), 8,
	  MOST_PAGES, 8192, NULL },
	{ 0 },
};

static const struct variant variants[] = {
	{ "spread", "dependent load, every line on a page of its own" },
	{ "packed", "dependent load, as many lines packed densely" },
	{ 0 },
};

static const struct bench mem_tlb = {
	.name = "mem.tlb",
	.title = "dependent load",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.params = params,
	.variants = variants,
	.curve = "pages",
	.per_octave = 4,
	.state_size = sizeof(struct tlb),
	.granule = UNROLL,
	.min_ops = 65536,
	.min_cycles = 0.9,
	.setup = tlb_setup,
	.move = tlb_move,
	.run = tlb_run,
	.check = tlb_check,
	.teardown = tlb_teardown,
	.remark = tlb_remark,
};

BENCH_REGISTER(mem_tlb);
