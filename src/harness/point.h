/* A point: bench + variant + every param value, written as text (doc/architecture.md). */
#ifndef HARNESS_POINT_H
#define HARNESS_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "harness/bench.h"

enum { MAX_PARAMS = 8 };

struct spec {
	const struct bench *bench;
	unsigned variant;
	uint64_t value[MAX_PARAMS]; /* in the order of bench->params */
	bool cross;                 /* place=cross: the peer is on another CPU */
	bool capped;                /* a size is less than PARAM_MEMORY asks for, since memory is short */
};

/* bench[:variant][/key=value,…]: what is not named has its default. -ENOENT for an unknown bench, -EINVAL else. */
int spec_parse(const char *id, struct spec *ret_spec, struct err *err);

/* The full id: every param, declared order, sizes with the largest exact suffix. Caller frees. */
char *spec_format(const struct spec *spec);

/* The id without the curve param: points that share it are measured in one process. Caller frees. */
char *spec_job(const struct spec *spec);

unsigned spec_needs(const struct spec *spec); /* enum bench_need of bench and variant */
const char *spec_title(const struct spec *spec);
int spec_curve_index(const struct spec *spec); /* of the curve param, -1 when there is none */

/* Writes the param values into a zeroed state. */
void spec_assign(const struct spec *spec, void *state);

#endif
