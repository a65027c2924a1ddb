/* How far a second load may be from the first and still find its bytes already there: the size of a cache line.
 *
 * One operation is a pair of dependent loads: a node at random, then the word `distance` bytes behind it, which leads
 * to the next node. While both words share a line the second load hits the first-level cache; beyond, it misses, and
 * the time steps up (mem.line_size). A distance is rounded down to whole words of 8 bytes.
 *
 * Nodes are 2 KiB apart. The default region has more of them than the few sets of a first-level cache they fall into
 * can hold (16 lines of a 32 KiB one, 64 of Apple's 128 KiB), while everything fits the second level and the
 * first-level TLB. That matters: prefetchers into the second level (pairs of lines, streams) then find nothing left to
 * hide; in larger regions they hide nearly all of it, the region prefetcher of Zen above all.
 *
 * Ancestry: lmbench's line, which asks the same with a region swept at an assumed line size, and on some machines
 * does not end.
 */
#include <errno.h>

#include "harness/bench.h"
#include "kit/buffer.h"
#include "kit/chain.h"

enum { UNROLL = 32, SPACING = 2048, LARGEST_DISTANCE = 1024 };

struct line {
	uint64_t distance, size;
	struct buffer buffer;
	struct chain chain;
	size_t offset; /* from a node to its second word */
	void *at;
	uint64_t done;
};

static void **second_word(const struct line *s, size_t node)
{
	return (void **)((char *)chain_node(&s->chain, node) + s->offset);
}

/* Puts the second words at the new distance: node → second word → next node. */
static int line_move(void *state, struct bench_env *env)
{
	struct line *s = state;
	size_t old = s->offset;

	(void)env;
	s->offset = s->distance & ~(uint64_t)(sizeof(void *) - 1);
	for (size_t i = 0; i < s->chain.nodes; i++) {
		void **node = chain_node(&s->chain, i);
		void *next = *(void **)((char *)node + old); /* old is 0 at first: the plain chain */

		*second_word(s, i) = next;
		*node = second_word(s, i);
	}
	s->at = chain_walk(chain_node(&s->chain, 0), 2 * s->chain.nodes);
	return 0;
}

static int line_setup(void *state, struct bench_env *env)
{
	struct line *s = state;
	struct random random = { env->seed };
	int r = buffer_map(&s->buffer, s->size, BUFFER_HUGE, env->err);

	if (r < 0)
		return r;
	/* A second word cannot meet the next node, since no distance exceeds half of the spacing. */
	s->chain = (struct chain){
		.base = s->buffer.at, .spacing = SPACING, .pattern = CHAIN_RANDOM,
	};
	chain_grow(&s->chain, s->size / SPACING, &random);
	return line_move(state, env);
}

#define PAIR p = *(void **)p; p = *(void **)p;
#define PAIR8 PAIR PAIR PAIR PAIR PAIR PAIR PAIR PAIR

static void line_run(void *state, uint64_t n)
{
	struct line *s = state;
	void *p = s->at;

	s->done += n;
	for (; n; n -= UNROLL) {
		PAIR8 PAIR8 PAIR8 PAIR8
		BENCH_KEEP(p);
	}
	s->at = p;
}

static int line_check(void *state, uint64_t ops, struct bench_env *env)
{
	struct line *s = state;
	void *first = chain_node(&s->chain, 0), *at = first;
	size_t laps = 0;

	if (s->done != ops)
		return err_set(env->err, -EIO, "%llu pairs were asked for and %llu done", (unsigned long long)ops,
			       (unsigned long long)s->done);
	if (!chain_has(&s->chain, s->at))
		return err_set(env->err, -EIO, "the pairs at distance %zu led to no node", s->offset);
	for (size_t i = 0; i < s->chain.nodes; i++) {
		at = chain_walk(at, 2);
		laps += at == first;
	}
	return laps == 1 && at == first ? 0 : err_set(env->err, -EIO,
		"the pairs at distance %zu are not one cycle over all nodes", s->offset);
}

static void line_teardown(void *state)
{
	struct line *s = state;

	chain_done(&s->chain);
	buffer_done(&s->buffer);
}

static const char *line_remark(const void *state)
{
	return buffer_remark(&((const struct line *)state)->buffer);
}

static const struct param params[] = {
	{ "distance", "bytes from the first word to the second", PARAM_SIZE, offsetof(struct line, distance), 8,
	  LARGEST_DISTANCE, 512, NULL },
	{ "size", "bytes of the region", PARAM_SIZE, offsetof(struct line, size), 64 << 10, 1 << 30, 192 << 10, NULL },
	{ 0 },
};

static const struct bench mem_line = {
	.name = "mem.line",
	.title = "dependent pair of loads, the second at a distance from the first",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.params = params,
	.curve = "distance",
	.per_octave = 2,
	.state_size = sizeof(struct line),
	.granule = UNROLL,
	.min_ops = 65536,
	.min_cycles = 1.8,
	.setup = line_setup,
	.move = line_move,
	.run = line_run,
	.check = line_check,
	.teardown = line_teardown,
	.remark = line_remark,
};

BENCH_REGISTER(mem_line);
