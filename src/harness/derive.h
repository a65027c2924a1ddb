/* Derivations: figures computed from other points of the same run, round by round, so that their interval comes from
 * the rounds like any other. One pure function each; it may refuse with a sentence.
 */
#ifndef HARNESS_DERIVE_H
#define HARNESS_DERIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "record/record.h"

/* The values of one round. */
struct derive_input {
	const struct run *run;
	unsigned round;
};

struct derive_curve {
	double x[192]; /* the swept param, ascending */
	double y[192]; /* the value in the point's unit */
	size_t count;
};

/* Value of a point in this round: 0, -ENOENT when the point is not part of the run, -ENODATA without a value. */
int derive_value(const struct derive_input *in, const char *id, double *ret_value, struct err *err);

/* All points of the run whose id without the param key equals the job ("mem.latency:random/page=huge,spacing=64"),
 * ordered by the param. 0, -ENOENT, or -ENODATA when one of them has no value in this round. */
int derive_curve(const struct derive_input *in, const char *job, const char *key, struct derive_curve *ret_curve,
		 struct err *err);

struct derivation {
	const char *id;
	const char *title;
	const char *unit;
	double target_pct;
	/* Sources: when each pattern (fnmatch(3)) matches a point of the plan, the derivation is part of the run. */
	const char *sources[3];
	/* 0, or a negative errno with a sentence: this round then has no value. */
	int (*compute)(const struct derive_input *in, const struct derivation *self, double *ret_value,
		       struct err *err);
	const char *note;     /* a limit of the method that the interval does not show, or NULL */
	const char *argument; /* for functions that serve several rows */
};

extern const struct derivation derivations_os[], derivations_mem[]; /* ended by a row without an id */

/* Adds the derived points whose sources the run has (none of its own values yet). */
void derive_plan(struct run *run);

/* Computes the derived values of one round, and estimates nothing. Rounds that have one already are left alone. */
void derive_round(struct run *run, unsigned round);

#endif
