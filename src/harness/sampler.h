/* Times one operation: calibrates how many make a batch, warms up, then takes batches until the time is spent.
 *
 * The clock is handed in, so that a scripted one can stand in for the machine's.
 */
#ifndef HARNESS_SAMPLER_H
#define HARNESS_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/bench.h"

struct sampler_clock {
	uint64_t (*now_ns)(void *arg);
	void *arg;
	uint64_t cost_ns;  /* of one reading */
	uint64_t grain_ns; /* smallest step */
};

struct sampler {
	const struct bench *bench;
	void *state;
	const struct sampler_clock *clock;

	uint64_t batch_ns;                /* aim for one batch */
	uint64_t warm_ns, warm_limit_ns;  /* shortest and longest warm-up */
	uint64_t measure_ns;              /* time for batches */
	size_t most_batches;

	uint64_t n;   /* operations per batch: 0 to calibrate; found value after sampler_take */
	bool paired;  /* batches are (time of 2n − time of n) / n, so that fixed costs cancel */
	bool steady;  /* result: the warm-up ended because times had settled */
	uint64_t ops; /* result: all operations run, warm-up included */
	size_t batches;    /* result, counted up while they come */
	double fixed_share; /* result for paired: share of a batch of n that does not grow with n; else NaN */
};

/* Fills value[0 … batches − 1] with ns per operation. 0, what bench->prepare answered, or -ETIME when the clock went backwards. progress (may be NULL) is
 * kept equal to batches for a reader in another process. */
int sampler_take(struct sampler *sampler, double *value, volatile uint64_t *progress);

#endif
