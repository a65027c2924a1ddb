/* A bench without its harness: params, setup, batches, check, teardown. */
#ifndef TEST_BENCH_DRIVE_H
#define TEST_BENCH_DRIVE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/registry.h"

struct drive {
	const struct bench *bench;
	char *state;
	struct bench_env env;
	struct err err;
	uint64_t ops;
};

/* value[i] for param i where there is one and it is not UINT64_MAX. What setup says; for its other failures than being
 * unavailable see err. */
static inline int drive_begin(struct drive *drive, const char *name, unsigned variant, const char *scratch,
			      const uint64_t *value, size_t values)
{
	const struct bench *bench = registry_find(name);

	*drive = (struct drive){ .bench = bench };
	if (!bench)
		return -1;
	drive->state = mem_new(1, bench->state_size);
	for (size_t i = 0; bench->params && bench->params[i].name; i++) {
		uint64_t one = i < values && value[i] != UINT64_MAX ? value[i] : bench->params[i].initial;
		memcpy(drive->state + bench->params[i].offset, &one, sizeof one);
	}
	drive->env = (struct bench_env){ .variant = variant, .peer_cpu = -1, .seed = 7, .scratch = scratch,
					 .program = "assay", .err = &drive->err };
	return bench->setup ? bench->setup(drive->state, &drive->env) : 0;
}

static inline int drive_prepare(struct drive *drive, uint64_t n)
{
	return drive->bench->prepare ? drive->bench->prepare(drive->state, n) : 0;
}

static inline void drive_run(struct drive *drive, uint64_t n)
{
	drive->bench->run(drive->state, n);
	drive->ops += n;
}

static inline int drive_check(struct drive *drive, uint64_t ops)
{
	return drive->bench->check(drive->state, ops, &drive->env);
}

static inline void drive_end(struct drive *drive)
{
	if (drive->bench->teardown)
		drive->bench->teardown(drive->state);
	free(drive->state);
}

#endif
