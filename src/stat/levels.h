/* Curves that climb in steps, as latency does over the size of a working set: where are the levels, what is their
 * height, and how far do they reach?
 *
 * Everywhere: x ascending and positive, y positive and finite, count doubles each, read only.
 */
#ifndef STAT_LEVELS_H
#define STAT_LEVELS_H

#include <stddef.h>

enum { STAT_LEVELS_MOST_POINTS = 256 };

struct stat_level {
	double value;       /* median y of the level's flat part */
	size_t first, last; /* points of the flat part */
	double holds;       /* largest x nearer (in log y) to this level than to the next; NaN for the last level */
	double edge;        /* x where log y is half-way to the next level, between points; NaN for the last level */
};

/* The non-decreasing series nearest to values (least squares): pool adjacent violators (Ayer et al. 1955). */
void stat_isotonic(const double *values, size_t count, double *ret_fit);

/* Levels of a curve, lowest first, at most `most` of them; returns how many. From the end of one to the start of the
 * next, y rises by min_step (a ratio) or more. 0 when the curve has fewer than 4 or more than STAT_LEVELS_MOST_POINTS
 * points, or y is not positive.
 *
 * Log y is made non-decreasing over log2 x and cut into level stretches and ramps so that the sum of three costs is
 * least: distance from the stretch's median × octaves; 0.2 an octave of ramp; 0.1 a level. So a stretch of slope s (log
 * y an octave) is a level when 0.2²/s > 0.1, up to about half as much again per octave, if it lasts long enough; a
 * cache that is shared, and loses hits slowly, still is one by its flattest part. */
size_t stat_levels(const double *x, const double *y, size_t count, double min_step, struct stat_level *ret_level,
		   size_t most);

/* Entries of the first-level TLB, to the points of the curve: the largest x before spread − packed steps up. NaN when
 * it does not. */
double stat_tlb_reach(const double *x, const double *spread, const double *packed, size_t count);

/* Size of a cache line from the time of a pair of loads over their distance: the power of two at which the time has
 * stepped up (the point itself when no power of two lies there). NaN when there is no step. */
double stat_line_size(const double *distance, const double *time, size_t count);

/* time[0] over the time to which the series falls, made non-increasing first, so that one lucky value decides nothing.
 * NaN for an empty series. */
double stat_parallelism(const double *time, size_t count);

#endif
