#include "stat/location.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stat_sort(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof *values, ascending);
}

double stat_quantile(const double *sorted, size_t count, double p)
{
	if (!count)
		return NAN;
	double place = fmin(fmax(p, 0), 1) * (double)(count - 1);
	size_t below = (size_t)place;
	double rest = place - (double)below;

	/* A rest of 0 must not touch the next value: it may be infinite, or not there at all. */
	return rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

static double middle(const double *sorted, size_t count)
{
	return stat_quantile(sorted, count, 0.5);
}

static double *sorted_copy(const double *values, size_t count)
{
	double *copy = mem_new(count, sizeof *copy);

	if (count)
		memcpy(copy, values, count * sizeof *copy);
	stat_sort(copy, count);
	return copy;
}

double stat_median(const double *values, size_t count)
{
	auto_free double *sorted = sorted_copy(values, count);

	return middle(sorted, count);
}

double stat_mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : NAN;
}

double stat_mad(const double *values, size_t count)
{
	auto_free double *distance = sorted_copy(values, count);
	double centre = middle(distance, count);

	for (size_t i = 0; i < count; i++)
		distance[i] = fabs(distance[i] - centre);
	stat_sort(distance, count);
	return middle(distance, count);
}

/* Where the narrowest window of this length starts. Of equally narrow ones the middle one: clocks are grainy, so many
 * windows tie, and the first would pull the mode down. */
static size_t narrowest(const double *sorted, size_t count, size_t length)
{
	size_t starts = count - length + 1, ties = 0, seen = 0;
	double least = INFINITY;

	for (size_t i = 0; i < starts; i++) {
		double width = sorted[i + length - 1] - sorted[i];
		if (width < least) {
			least = width;
			ties = 0;
		}
		ties += width == least;
	}
	for (size_t i = 0; i < starts; i++) {
		seen += sorted[i + length - 1] - sorted[i] == least;
		if (seen == (ties + 1) / 2)
			return i;
	}
	return 0;
}

double stat_half_sample_mode(const double *sorted, size_t count)
{
	while (count > 3) {
		size_t half = (count + 1) / 2;
		sorted += narrowest(sorted, count, half);
		count = half;
	}
	if (count == 3) {
		double left = sorted[1] - sorted[0], right = sorted[2] - sorted[1];
		if (left == right)
			return sorted[1];
		sorted += right < left;
		count = 2;
	}
	return middle(sorted, count);
}

double stat_share_above_fence(const double *sorted, size_t count)
{
	double low = stat_quantile(sorted, count, 0.25), high = stat_quantile(sorted, count, 0.75);
	double fence = high + 1.5 * (high - low);
	size_t above = 0;

	while (above < count && sorted[count - 1 - above] > fence)
		above++;
	return count ? (double)above / (double)count : NAN;
}
