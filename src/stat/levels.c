#include "stat/levels.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"
#include "stat/location.h"

static const double RAMP_COST = 0.2;  /* an octave */
static const double LEVEL_COST = 0.1;

/* What a TLB miss costs at least, and a line's end, as a ratio of times. A second-level TLB hit adds 7 to 9 cycles to a
 * load of 4 or 5; a pair of loads of which one misses the first-level cache takes half as long again. */
static const double TLB_STEP = 1.3;
static const double LINE_STEP = 1.12;

void stat_isotonic(const double *values, size_t count, double *ret_fit)
{
	auto_free size_t *length = mem_new(count, sizeof *length);
	size_t blocks = 0;

	/* ret_fit holds the blocks' means until they are spread out. */
	for (size_t i = 0; i < count; i++) {
		ret_fit[blocks] = values[i];
		length[blocks++] = 1;
		while (blocks > 1 && ret_fit[blocks - 2] > ret_fit[blocks - 1]) {
			size_t a = length[blocks - 2], b = length[blocks - 1];

			ret_fit[blocks - 2] = (ret_fit[blocks - 2] * (double)a + ret_fit[blocks - 1] * (double)b) /
					      (double)(a + b);
			length[blocks - 2] = a + b;
			blocks--;
		}
	}
	for (size_t at = count; blocks > 0; blocks--)
		for (size_t i = 0; i < length[blocks - 1]; i++)
			ret_fit[--at] = ret_fit[blocks - 1];
}

/* The curve as the cutting needs it. */
struct cutting {
	size_t count;
	double min_rise; /* log of min_step */
	double z[STAT_LEVELS_MOST_POINTS];          /* log y, non-decreasing */
	double octaves[STAT_LEVELS_MOST_POINTS + 1]; /* sum of the points' widths before point i */
	double area[STAT_LEVELS_MOST_POINTS + 1];    /* sum of width × z before point i */
};

/* The best cut of points 0…last whose last level is first…last. */
struct cut {
	double cost;
	unsigned short previous_first, previous_last; /* the level before; first > last: none */
};

static bool prepare(struct cutting *c, const double *x, const double *y, size_t count, double min_step)
{
	double raw[STAT_LEVELS_MOST_POINTS];

	if (count < 4 || count > STAT_LEVELS_MOST_POINTS)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!(y[i] > 0) || !isfinite(y[i]) || !(x[i] > 0))
			return false;
		raw[i] = log(y[i]);
	}
	stat_isotonic(raw, count, c->z);
	c->count = count;
	c->min_rise = log(min_step);
	c->octaves[0] = c->area[0] = 0;
	for (size_t i = 0; i < count; i++) {
		double width = log2(x[i + 1 < count ? i + 1 : i] / x[i > 0 ? i - 1 : i]) / 2;

		c->octaves[i + 1] = c->octaves[i] + width;
		c->area[i + 1] = c->area[i] + width * c->z[i];
	}
	return true;
}

static double height(const struct cutting *c, size_t first, size_t last)
{
	return c->z[(first + last) / 2]; /* z is sorted: the middle is the median */
}

static double level_cost(const struct cutting *c, size_t first, size_t last)
{
	size_t middle = (first + last) / 2;
	double m = c->z[middle];
	double below = m * (c->octaves[middle + 1] - c->octaves[first]) - (c->area[middle + 1] - c->area[first]);
	double above = (c->area[last + 1] - c->area[middle + 1]) - m * (c->octaves[last + 1] - c->octaves[middle + 1]);

	return below + above + LEVEL_COST;
}

/* Ramp over the points first…last − 1. */
static double ramp_cost(const struct cutting *c, size_t first, size_t last)
{
	return RAMP_COST * (c->octaves[last] - c->octaves[first]);
}

static struct cut best_cut(const struct cutting *c, const struct cut *table, size_t first, size_t last)
{
	struct cut best = { ramp_cost(c, 0, first), 1, 0 };

	for (size_t j = 0; j < first; j++) {
		double ramp = ramp_cost(c, j + 1, first);

		for (size_t i = 0; i <= j; i++) {
			double cost = table[i * c->count + j].cost + ramp;

			if (cost < best.cost && c->z[first] - c->z[j] >= c->min_rise)
				best = (struct cut){ cost, (unsigned short)i, (unsigned short)j };
		}
	}
	best.cost += level_cost(c, first, last);
	return best;
}

/* Fills first and last of the levels, highest first; returns how many. */
static size_t cut_curve(const struct cutting *c, struct stat_level *level)
{
	size_t n = c->count, count = 0, first = 0, last = 0;
	auto_free struct cut *table = mem_new(n * n, sizeof *table);
	double least = INFINITY;

	for (size_t j = 0; j < n; j++) {
		for (size_t i = 0; i <= j; i++) {
			struct cut *cut = &table[i * n + j];
			*cut = best_cut(c, table, i, j);
			double whole = cut->cost + ramp_cost(c, j + 1, n);
			if (whole < least)
				least = whole, first = i, last = j;
		}
	}
	while (first <= last) {
		const struct cut *cut = &table[first * n + last];

		level[count++] = (struct stat_level){ .first = first, .last = last, .holds = NAN, .edge = NAN };
		first = cut->previous_first;
		last = cut->previous_last;
	}
	return count;
}

/* Where the curve crosses the middle between two levels. */
static void find_edge(const struct cutting *c, const double *x, struct stat_level *low, const struct stat_level *high)
{
	double middle = (height(c, low->first, low->last) + height(c, high->first, high->last)) / 2;
	size_t i = low->first;

	while (c->z[i + 1] < middle)
		i++;
	double share = (middle - c->z[i]) / (c->z[i + 1] - c->z[i]);

	low->holds = x[i];
	low->edge = x[i] * pow(x[i + 1] / x[i], share);
}

size_t stat_levels(const double *x, const double *y, size_t count, double min_step, struct stat_level *ret_level,
		   size_t most)
{
	auto_free struct cutting *c = mem_new(1, sizeof *c);
	struct stat_level found[STAT_LEVELS_MOST_POINTS];

	if (!prepare(c, x, y, count, min_step))
		return 0;
	size_t levels = cut_curve(c, found);
	for (size_t i = 0; i < levels && i < most; i++) {
		struct stat_level *level = &ret_level[i];

		*level = found[levels - 1 - i];
		level->value = stat_median(y + level->first, level->last - level->first + 1);
		if (i + 1 < levels)
			find_edge(c, x, level, &found[levels - 2 - i]);
	}
	return levels < most ? levels : most;
}

double stat_tlb_reach(const double *x, const double *spread, const double *packed, size_t count)
{
	double cost[STAT_LEVELS_MOST_POINTS], hit = INFINITY;
	struct stat_level level[2];

	if (count > STAT_LEVELS_MOST_POINTS)
		return NAN;
	for (size_t i = 0; i < count; i++)
		hit = fmin(hit, packed[i]);
	for (size_t i = 0; i < count; i++)
		cost[i] = 1 + fmax(0, spread[i] - packed[i]) / hit;
	return stat_levels(x, cost, count, TLB_STEP, level, 2) == 2 ? level[0].holds : NAN;
}

double stat_line_size(const double *distance, const double *time, size_t count)
{
	struct stat_level level[2];
	size_t beyond = 0;

	if (stat_levels(distance, time, count, LINE_STEP, level, 2) < 2)
		return NAN;
	while (distance[beyond] <= level[0].holds)
		beyond++;
	double power = exp2(floor(log2(distance[beyond])));

	return power > level[0].holds ? power : distance[beyond];
}

double stat_parallelism(const double *time, size_t count)
{
	auto_free double *negative = mem_new(count, sizeof *negative);
	auto_free double *fit = mem_new(count, sizeof *fit);

	if (count == 0)
		return NAN;
	for (size_t i = 0; i < count; i++)
		negative[i] = -time[i];
	stat_isotonic(negative, count, fit);
	return time[0] / -fit[count - 1];
}
