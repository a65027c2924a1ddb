/* Chains of pointers for latencies: every node holds the address of the next one, all nodes form one cycle.
 *
 * A chain grows node by node, so that a sweep over sizes builds the largest chain once. The random order comes from
 * Sattolo's algorithm (1986) run inside out: a new node is put behind one that is drawn from all nodes so far. There
 * are (k − 1)! cycles over k nodes and each results from one cycle over k − 1 nodes and one place to insert, so
 * every cycle is equally likely.
 */
#ifndef KIT_CHAIN_H
#define KIT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

enum chain_pattern {
	CHAIN_RANDOM,
	CHAIN_FORWARD,  /* ascending addresses, then back to the first */
	CHAIN_BACKWARD, /* descending addresses */
	CHAIN_PAGE,     /* every node of a page (its first one first, the rest at random), then a random other page */
};

struct chain {
	unsigned char *base;
	size_t spacing;    /* bytes from node to node, a multiple of sizeof(void *) */
	size_t rotate;     /* node i is moved on by (i × rotate) mod spacing: spreads widely spaced nodes over cache sets */
	size_t arcs;       /* CHAIN_RANDOM: this many stretches, see chain_arc; 0 counts as 1 */
	size_t page_bytes; /* CHAIN_PAGE, a multiple of spacing unless it is smaller */
	enum chain_pattern pattern;
	size_t nodes;
	size_t *page_exit; /* CHAIN_PAGE: the last node of each page's stretch */
	size_t page_capacity;
};

/* Appends nodes until there are `nodes` of them; fewer than now: nothing happens. The memory must be there. */
void chain_grow(struct chain *chain, size_t nodes, struct random *random);

/* Address of node i. */
static inline void *chain_node(const struct chain *chain, size_t i)
{
	size_t moved = chain->rotate ? i * chain->rotate % chain->spacing : 0;

	return chain->base + i * chain->spacing + moved;
}

/* First node of stretch `arc`. A chain with arcs = a is one cycle in which the stretches of nodes ≡ 0, 1, … a − 1
 * (mod a) follow each other, each in random order: chases that start at different stretches never meet early, and
 * each wanders over all of the memory. */
static inline void *chain_arc(const struct chain *chain, size_t arc)
{
	return chain_node(chain, arc);
}

/* steps loads from `from` on; where that leads. */
void *chain_walk(void *from, uint64_t steps);

/* Does the walk from the first node come back there after exactly all nodes? At most `steps` steps are walked; a
 * longer chain passes when it has not come back before. */
bool chain_is_cycle(const struct chain *chain, uint64_t steps);

/* Is this the address of one of the nodes? */
bool chain_has(const struct chain *chain, const void *address);

void chain_done(struct chain *chain); /* bookkeeping only: the memory is the caller's */

#endif
