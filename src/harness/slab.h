/* What parent and worker share: the request, and the results as they come, in one mapped memory file.
 *
 * Because every batch lands here at once, a worker that crashes or hangs loses nothing it had timed. The layout is
 * private to one build: both sides are the same executable.
 */
#ifndef HARNESS_SLAB_H
#define HARNESS_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum {
	SLAB_POINTS = 160,      /* points of one curve at most */
	SLAB_BATCHES = 4000,    /* batches of one point at most (doc/method.md) */
	SLAB_VALUES = 1 << 17,  /* batches of all points of a process */
	SLAB_CONDITIONS = 24,
	SLAB_MAGIC = 0x41535359,
};

enum slab_state { SLAB_PENDING, SLAB_RUNNING, SLAB_MEASURED, SLAB_SKIPPED, SLAB_FAILED };

struct slab_point {
	/* request */
	char id[192];
	uint64_t n;     /* operations per batch as calibrated in an earlier round; 0: calibrate */
	uint32_t paired; /* with n: batches are differences between 2n and n */
	/* result */
	uint32_t state; /* enum slab_state */
	uint32_t steady;
	uint64_t first, batches; /* times per operation in ns: slab.value[first … first + batches − 1] */
	double fixed_share;      /* of a batch's time, not growing with n; NaN when batches are not paired */
	double bytes;            /* per operation, 0 for a bench that counts time */
	char reason[512];
	char remark[160];
};

struct slab_condition {
	char id[40], unit[12];
	double value, threshold;
	uint32_t verdict;
	char text[240];
};

struct slab {
	uint32_t magic, points;
	/* request */
	uint64_t seed;
	int32_t cpu, peer_cpu;
	pid_t parent;
	uint64_t batch_ns, warm_ns, warm_limit_ns, measure_ns;
	char scratch[512]; /* "" when the bench needs none */
	char program[4096]; /* PATH_MAX */
	/* result */
	uint32_t finished;
	double grain_ns; /* smallest step of the clock that timed */
	double clock_hz; /* NaN when the core clock could not be measured */
	uint32_t conditions;
	struct slab_condition condition[SLAB_CONDITIONS];
	uint64_t values;
	struct slab_point point[SLAB_POINTS];
	double value[SLAB_VALUES];
};

/* A mapped, zeroed slab; its file in *ret_fd (close-on-exec) to hand to a worker. NULL on error. */
struct slab *slab_new(int *ret_fd, struct err *err);
struct slab *slab_attach(int fd); /* NULL when it is not a slab of this build */
void slab_free(struct slab *slab);

#endif
