#include "kit/chain.h"

#include "base/mem.h"

/* Drawn this far ahead, so that the random writes of a large chain overlap instead of waiting for DRAM one by one. */
enum { AHEAD = 32 };

static void **slot(const struct chain *chain, size_t i)
{
	return chain_node(chain, i);
}

static void insert_behind(const struct chain *chain, size_t place, size_t node)
{
	*slot(chain, node) = *slot(chain, place);
	*slot(chain, place) = chain_node(chain, node);
}

/* The place is one of the earlier nodes of the same stretch: node, node − arcs, node − 2 arcs, … */
static size_t draw_place(const struct chain *chain, size_t node, size_t arcs, struct random *random)
{
	size_t place = arcs * random_below(random, node / arcs) + node % arcs;

	__builtin_prefetch(chain_node(chain, place), 1);
	return place;
}

static void grow_random(struct chain *chain, size_t nodes, struct random *random)
{
	size_t arcs = chain->arcs ? chain->arcs : 1;
	size_t ahead[AHEAD];

	/* The heads of the stretches form the first ring. */
	for (; chain->nodes < arcs && chain->nodes < nodes; chain->nodes++) {
		*slot(chain, chain->nodes) = chain_node(chain, 0);
		if (chain->nodes)
			*slot(chain, chain->nodes - 1) = chain_node(chain, chain->nodes);
	}
	while (chain->nodes < nodes) {
		size_t count = nodes - chain->nodes < AHEAD ? nodes - chain->nodes : AHEAD;

		for (size_t i = 0; i < count; i++)
			ahead[i] = draw_place(chain, chain->nodes + i, arcs, random);
		for (size_t i = 0; i < count; i++)
			insert_behind(chain, ahead[i], chain->nodes++);
	}
}

static void grow_straight(struct chain *chain, size_t nodes)
{
	size_t last = nodes - 1;

	for (size_t i = chain->nodes ? chain->nodes - 1 : 0; i < nodes; i++) {
		if (chain->pattern == CHAIN_FORWARD)
			*slot(chain, i) = chain_node(chain, i == last ? 0 : i + 1);
		else
			*slot(chain, i) = chain_node(chain, i ? i - 1 : last);
	}
	*slot(chain, 0) = chain_node(chain, chain->pattern == CHAIN_BACKWARD ? last : last ? 1 : 0);
	chain->nodes = nodes;
}

static void start_page(struct chain *chain, size_t page, size_t node, struct random *random)
{
	chain->page_exit = mem_room(chain->page_exit, page, &chain->page_capacity, sizeof *chain->page_exit);
	chain->page_exit[page] = node;
	if (page)
		insert_behind(chain, chain->page_exit[random_below(random, page)], node);
	else
		*slot(chain, node) = chain_node(chain, node);
}

static void grow_page(struct chain *chain, size_t nodes, struct random *random)
{
	size_t per_page = chain->page_bytes > chain->spacing ? chain->page_bytes / chain->spacing : 1;

	for (size_t node = chain->nodes; node < nodes; node++) {
		size_t page = node / per_page, first = page * per_page;

		if (node == first) {
			start_page(chain, page, node, random);
			continue;
		}
		size_t place = first + random_below(random, node - first);

		insert_behind(chain, place, node);
		if (chain->page_exit[page] == place)
			chain->page_exit[page] = node;
	}
	chain->nodes = nodes;
}

void chain_grow(struct chain *chain, size_t nodes, struct random *random)
{
	if (nodes <= chain->nodes)
		return;
	switch (chain->pattern) {
	case CHAIN_RANDOM:
		grow_random(chain, nodes, random);
		break;
	case CHAIN_FORWARD:
	case CHAIN_BACKWARD:
		grow_straight(chain, nodes);
		break;
	case CHAIN_PAGE:
		grow_page(chain, nodes, random);
		break;
	}
}

void *chain_walk(void *from, uint64_t steps)
{
	void *at = from;

	while (steps--) {
		at = *(void **)at;
		/* Nobody may need the last address: the walk itself is what is wanted. */
		__asm__ volatile("" : "+r"(at));
	}
	return at;
}

bool chain_has(const struct chain *chain, const void *address)
{
	const unsigned char *byte = address;

	if (!chain->nodes || byte < chain->base)
		return false;
	size_t i = (size_t)(byte - chain->base) / chain->spacing;

	return i < chain->nodes && address == chain_node(chain, i);
}

bool chain_is_cycle(const struct chain *chain, uint64_t steps)
{
	const void *first = chain_node(chain, 0);
	const void *at = first;

	/* Every node has one predecessor at most if the walk returns to its start, so counting is proof enough. */
	for (uint64_t step = 1; step <= steps; step++) {
		at = *(void *const *)at;
		if (!chain_has(chain, at))
			return false;
		if (at == first || step == chain->nodes)
			return at == first && step == chain->nodes;
	}
	return chain->nodes > 0;
}

void chain_done(struct chain *chain)
{
	mem_free_ptr(&chain->page_exit);
	*chain = (struct chain){ 0 };
}
