/* Confidence intervals that assume no shape of the distribution. */
#ifndef STAT_INTERVAL_H
#define STAT_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* The fewest values for which an interval of this confidence exists (6 for 0.95): 1 − 2·2^−n must reach it. */
size_t stat_interval_needs(double confidence);

/* Hettmansperger–Sheather interval of the median: order statistics, interpolated to the wanted confidence
 * (Hettmansperger & Sheather 1986, Statistics & Probability Letters 4:75–79; same as scipy.stats.mstats.median_cihs).
 * sorted: ascending. False (and nothing written) when count is too small. */
bool stat_median_interval(const double *sorted, size_t count, double confidence, double *ret_low, double *ret_high);

#endif
