/* Is a series of values still moving? */
#ifndef STAT_TREND_H
#define STAT_TREND_H

#include <stddef.h>

/* Two-sided p-value of the Mann–Kendall test for a monotonic trend, normal approximation with correction for ties
 * (Kendall 1975). 1 for fewer than 4 values. */
double stat_mann_kendall(const double *series, size_t count);

#endif
