/* self.noisy: additions whose number is drawn anew for every operation, to see that noise is called noise.
 *
 * One operation is 100 dependent additions, and in one of eight operations up to 64 times as many. The order differs
 * from process to process.
 */
#include "harness/bench.h"

struct noisy {
	uint64_t random;
};

static int setup(void *state, struct bench_env *env)
{
	struct noisy *noisy = state;

	noisy->random = env->seed | 1;
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct noisy *noisy = state;

	for (; n; n--) {
		/* Knuth's MMIX generator: the upper bits are good enough for noise. */
		noisy->random = noisy->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		uint64_t draw = noisy->random >> 40;
		uint64_t adds = draw % 8 ? 100 : 100 * (1 + draw / 8 % 64);
		for (uint64_t sum = 0; sum < adds; sum++)
			BENCH_KEEP(sum);
	}
}

static const struct bench self_noisy = {
	.name = "self.noisy",
	.title = "additions of a randomly varying number",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.hidden = true,
	.max_ops = 64, /* short batches let the noise through */
	.state_size = sizeof(struct noisy),
	.setup = setup,
	.run = run,
};
BENCH_REGISTER(self_noisy);
