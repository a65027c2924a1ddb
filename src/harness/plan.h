/* What will be measured: selectors and sets become points, points become jobs (one process each a round). */
#ifndef HARNESS_PLAN_H
#define HARNESS_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "harness/point.h"

struct job {
	char *name;         /* the points' id without the curve param */
	struct spec *spec;  /* ascending by the curve param */
	size_t specs;
};

struct plan {
	struct job *job;
	size_t jobs, capacity;
	size_t points;
	bool too_long; /* a curve has more values than one process can measure */
};

struct plan_facts {
	uint64_t memory_bytes; /* what PARAM_MEMORY means here */
	bool memory_capped;    /* a quarter of the usable memory is less than that should be */
	bool two_cpus;         /* place=cross can be had */
};

/* Adds what a selector names: a bench, folder, glob over names, or a point id whose unnamed params have defaults
 * (a curve param that is not named is swept). -ENOENT with a sentence when it names nothing. */
int plan_add(struct plan *plan, const char *selector, const struct plan_facts *facts, struct err *err);

/* Adds a named set: "quick" or "classic". -ENOENT for another name. Benches that are not built in are left out. */
int plan_add_set(struct plan *plan, const char *set, const struct plan_facts *facts, struct err *err);

void plan_done(struct plan *plan);

#endif
