/* self.known: a known number of dependent additions, to see whether twice the work takes twice the time.
 *
 * One operation is `adds` additions, each waiting for the one before: adds cycles on cores that add in one cycle, plus
 * the loop around them. Batches of it are checked by their sum.
 */
#include <errno.h>

#include "harness/bench.h"

struct known {
	uint64_t adds;
	uint64_t sum;
	uint64_t done;
};

static void run(void *state, uint64_t n)
{
	struct known *known = state;
	uint64_t sum = known->sum;

	known->done += n;
	for (; n; n--) {
		for (uint64_t i = known->adds; i; i--) {
			sum++;
			BENCH_KEEP(sum); /* or the compiler would add once */
		}
	}
	known->sum = sum;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct known *known = state;

	if (known->done != ops || known->sum != ops * known->adds)
		return err_set(env->err, -EIO, "%llu additions instead of %llu", (unsigned long long)known->sum,
			       (unsigned long long)(ops * known->adds));
	return 0;
}

static const struct param params[] = {
	{ "adds", "dependent additions per operation", PARAM_COUNT, offsetof(struct known, adds), 1, 1000000, 1000, NULL },
	{ 0 },
};

static const struct bench self_known = {
	.name = "self.known",
	.title = "a known number of dependent additions",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.hidden = true,
	.params = params,
	.state_size = sizeof(struct known),
	.run = run,
	.check = check,
};
BENCH_REGISTER(self_known);
