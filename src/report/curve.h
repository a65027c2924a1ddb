/* Points of one bench and variant that differ in one param only: a curve, which reads best as a table. */
#ifndef REPORT_CURVE_H
#define REPORT_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "record/record.h"
#include "report/style.h"

enum { CURVE_LEAST = 5 }; /* fewer points are no curve */

struct curve_point {
	const struct point *point;
	char *value; /* as the id has it: "64k" */
	double x;    /* the same as a number */
};

struct curve {
	char *bench;   /* "mem.latency" */
	char *variant; /* "random"; "" when there is none */
	char *param;   /* "size" */
	char *others;  /* params that are the same for all: "page=huge,spacing=64"; "" when there are none */
	struct curve_point *point; /* by ascending value */
	size_t points;
	bool done; /* for who draws them */
};

struct curves {
	struct curve *curve;
	size_t count;
};

/* All curves of a run; a point is in one at most, that with the most points. End it with curves_done. */
struct curves curves_find(const struct run *run);
void curves_done(struct curves *curves);

/* May they stand side by side: the same bench, param and other params? */
bool curve_is_sibling(const struct curve *a, const struct curve *b);

/* Siblings as tables with a row for each value of the param, as many side by side as the width allows, and beneath them
 * what is to be said. 0 or -errno. */
int curves_draw(const struct curve *const *curve, size_t count, const struct show_style *style, struct text *out);

#define auto_curves __attribute__((cleanup(curves_done)))

#endif
