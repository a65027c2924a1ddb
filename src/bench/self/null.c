/* self.null: nothing at all, to see what the harness itself adds.
 *
 * One operation is one turn of an empty loop: a decrement and a branch the compiler may not remove. What it reads is
 * the bare loop; the same figure must come out whatever n is, since differences between n and 2n cancel the rest.
 */
#include "harness/bench.h"

static void run(void *state, uint64_t n)
{
	(void)state;
	for (; n; n--)
		BENCH_KEEP(n);
}

static const struct bench self_null = {
	.name = "self.null",
	.title = "one turn of an empty loop",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.hidden = true,
	.run = run,
};
BENCH_REGISTER(self_null);
