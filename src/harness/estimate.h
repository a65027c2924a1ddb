/* From batches to a process's value, and from processes to what is claimed: value, interval, verdict. */
#ifndef HARNESS_ESTIMATE_H
#define HARNESS_ESTIMATE_H

#include "record/record.h"

/* Version of the method: figures of different ones are not alike. It changes with sampler, estimate or a bench's
 * definition of its operation. */
#define METHOD_VERSION "1"

/* How a time per operation (ns) becomes a value in the point's unit. */
struct conversion {
	const char *unit; /* "ns", "B/s" or "Hz" */
	double bytes;     /* per operation, for "B/s" */
	double step_ns;   /* the clock's step, over the operations of a batch; 0: fine enough not to matter */
};
double convert_ns(const struct conversion *conversion, double ns);

/* Fills location, mean, quantiles, noise … of *process from times per operation in ns (kept: converted batches).
 * Location: the median, or the half-sample mode when more than 30 % were disturbed (doc/method.md). */
void process_summarise(struct process *process, const double *ns, size_t count, const struct conversion *conversion);

/* Claims for one point, from its processes: the median of their values, the Hettmansperger–Sheather interval over
 * processes, cycles at the clock measured beside them, and the verdict with its reason. Can be called again. */
void estimate_point(struct point *point);
void estimate_run(struct run *run);

/* Half-width of the interval in percent of the value; NaN without an interval. */
double point_half_width_pct(const struct point *point);

#endif
