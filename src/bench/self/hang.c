/* self.hang: never returns, to see that the deadline holds and the process group goes. */
#include <unistd.h>

#include "harness/bench.h"

static void run(void *state, uint64_t n)
{
	(void)state, (void)n;
	for (;;)
		pause();
}

static const struct bench self_hang = {
	.name = "self.hang",
	.title = "an operation that never ends",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.hidden = true,
	.run = run,
};
BENCH_REGISTER(self_hang);
