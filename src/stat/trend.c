#include "stat/trend.h"

#include <math.h>

#include "base/mem.h"
#include "stat/location.h"

/* Σ t(t−1)(2t+5) over groups of t equal values: what ties take from the variance of S. */
static double tie_term(const double *series, size_t count)
{
	auto_free double *sorted = mem_new(count, sizeof *sorted);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sorted[i] = series[i];
	stat_sort(sorted, count);
	for (size_t first = 0, i = 1; i <= count; i++) {
		if (i < count && sorted[i] == sorted[first])
			continue;
		double t = (double)(i - first);
		sum += t * (t - 1) * (2 * t + 5);
		first = i;
	}
	return sum;
}

double stat_mann_kendall(const double *series, size_t count)
{
	double n = (double)count, s = 0;

	if (count < 4)
		return 1;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++)
			s += (series[j] > series[i]) - (series[j] < series[i]);
	}
	double variance = (n * (n - 1) * (2 * n + 5) - tie_term(series, count)) / 18;
	if (variance <= 0 || fabs(s) <= 1)
		return 1;
	return erfc((fabs(s) - 1) / sqrt(2 * variance)); /* − 1: S moves in steps of 2, correction for continuity */
}
