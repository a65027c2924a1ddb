/* Where a sample sits, and how wide it is. Arrays are read only; counts are numbers of doubles; no NaN inside.
 *
 * Every function answers NaN for an empty array.
 */
#ifndef STAT_LOCATION_H
#define STAT_LOCATION_H

#include <stddef.h>

/* Sorts ascending. */
void stat_sort(double *values, size_t count);

/* Quantile p in [0, 1] of an ascending array, linear between order statistics (Hyndman & Fan 1996, type 7). */
double stat_quantile(const double *sorted, size_t count, double p);

double stat_median(const double *values, size_t count); /* any order; even count: mean of the middle two */
double stat_mean(const double *values, size_t count);

/* Median absolute deviation from the median, not scaled. */
double stat_mad(const double *values, size_t count);

/* Half-sample mode (Robertson & Cryer 1974; Bickel & Frühwirth 2006) of an ascending array. */
double stat_half_sample_mode(const double *sorted, size_t count);

/* Share (0…1) of an ascending array above Tukey's upper fence q75 + 1.5·(q75 − q25). */
double stat_share_above_fence(const double *sorted, size_t count);

#endif
