/* Curves come from a simulator of set-associative caches, so what is planted is known to the byte. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"
#include "stat/levels.h"

enum { LINE = 64, PAGE = 4096, MOST_CACHES = 3 };

struct cache {
	size_t bytes, ways;
	double hit_ns;
	bool random_victim; /* else least recently used */
	size_t taken;       /* ways of each set that neighbours keep filled: a shared cache */
	/* filled by the simulator: tags of set s at s × ways, most recent first */
	size_t sets;
	uint64_t *tag;
};

struct machine {
	struct cache cache[MOST_CACHES];
	size_t caches;
	double memory_ns;
	bool small_pages; /* random page colours */
};

static bool cache_hit(struct cache *cache, uint64_t line, struct random *random)
{
	uint64_t *set = cache->tag + line % cache->sets * cache->ways;
	size_t usable = cache->ways - cache->taken;
	size_t way = 0;

	while (way < usable && set[way] != line + 1)
		way++;
	bool hit = way < usable;
	if (!hit && !set[usable - 1]) /* an empty way, if there is one: they fill up from the front */
		for (way = 0; set[way]; way++)
			;
	else if (!hit)
		way = cache->random_victim ? random_below(random, usable) : usable - 1;
	if (hit && cache->random_victim)
		return true;
	if (!cache->random_victim) {
		memmove(set + 1, set, way * sizeof *set);
		way = 0;
	}
	set[way] = line + 1;
	return hit;
}

static double access_ns(struct machine *machine, uint64_t line, struct random *random)
{
	double ns = machine->memory_ns;

	/* All levels learn of the line; the first that had it gives the latency. */
	for (size_t i = machine->caches; i > 0; i--)
		if (cache_hit(&machine->cache[i - 1], line, random))
			ns = machine->cache[i - 1].hit_ns;
	return ns;
}

/* Mean latency of the fourth lap over bytes, in random order. */
static double lap(struct machine *machine, size_t bytes, struct random *random)
{
	size_t lines = bytes / LINE;
	auto_free uint64_t *order = mem_new(lines, sizeof *order);
	double sum = 0;

	for (size_t i = 0; i < lines; i++) {
		struct random colour = { i / (PAGE / LINE) };
		uint64_t page = machine->small_pages ? random_next(&colour) >> 20 : i / (PAGE / LINE);
		order[i] = page * (PAGE / LINE) + i % (PAGE / LINE);
	}
	random_shuffle(random, order, lines, sizeof *order);
	for (size_t i = 0; i < machine->caches; i++) {
		struct cache *cache = &machine->cache[i];
		cache->sets = cache->bytes / LINE / cache->ways;
		cache->tag = mem_new(cache->sets * cache->ways, sizeof *cache->tag);
	}
	for (int round = 0; round < 4; round++) {
		sum = 0;
		for (size_t i = 0; i < lines; i++)
			sum += access_ns(machine, order[i], random);
	}
	for (size_t i = 0; i < machine->caches; i++)
		free(machine->cache[i].tag);
	return sum / (double)lines;
}

struct curve {
	double x[128], y[128];
	size_t count;
};

static void sweep(struct machine *machine, size_t largest, struct curve *curve)
{
	static const double steps[] = { 1, 1.25, 1.5 };
	struct random random = { 1 };

	curve->count = 0;
	for (size_t base = 4096; base <= largest; base *= 2) {
		for (size_t i = 0; i < 3; i++) {
			size_t bytes = (size_t)((double)base * steps[i]);
			curve->x[curve->count] = (double)bytes;
			curve->y[curve->count++] = lap(machine, bytes, &random);
		}
	}
}

/* Jitter of every point, and now and then one that something disturbed. */
static struct curve with_noise(const struct curve *curve, struct random *random, double jitter)
{
	struct curve noisy = *curve;

	for (size_t i = 0; i < noisy.count; i++) {
		noisy.y[i] *= exp(jitter * random_normal(random));
		if (random_unit(random) < 0.05)
			noisy.y[i] *= 1.3;
	}
	return noisy;
}

static int grid_index(const struct curve *curve, double x)
{
	int i = 0;

	while (curve->x[i] < x)
		i++;
	return i;
}

static void assert_planted_are_found(struct machine *machine, size_t largest, double jitter)
{
	struct random random = { 11 };
	struct curve clean;

	sweep(machine, largest, &clean);
	for (int trial = 0; trial < 25; trial++) {
		struct curve curve = trial ? with_noise(&clean, &random, jitter) : clean;
		struct stat_level level[8];
		size_t levels = stat_levels(curve.x, curve.y, curve.count, 1.5, level, 8);

		assert_int_equal(levels, machine->caches + 1);
		for (size_t i = 0; i < machine->caches; i++) {
			const struct cache *cache = &machine->cache[i];
			double planted = (double)(cache->bytes / cache->ways * (cache->ways - cache->taken));
			int off = grid_index(&curve, level[i].holds) - grid_index(&curve, planted);

			assert_true(abs(off) <= 1);
			assert_true(fabs(level[i].value / cache->hit_ns - 1) < 0.2);
			assert_true(level[i].edge >= level[i].holds);
		}
		assert_true(fabs(level[levels - 1].value / machine->memory_ns - 1) < 0.2);
	}
}

static void planted_caches_are_found_within_one_step(void **state)
{
	struct machine desktop = {
		.cache = { { 32 << 10, 8, 1.1, false, 0, 0, NULL }, { 512 << 10, 8, 3.8, false, 0, 0, NULL },
			   { 4 << 20, 16, 13, false, 0, 0, NULL } },
		.caches = 3, .memory_ns = 90,
	};
	struct machine server = {
		.cache = { { 48 << 10, 12, 1.4, false, 0, 0, NULL }, { 640 << 10, 10, 4.5, false, 0, 0, NULL },
			   { 3 << 20, 12, 21, true, 0, 0, NULL } },
		.caches = 3, .memory_ns = 110,
	};

	(void)state;
	assert_planted_are_found(&desktop, 16 << 20, 0.03);
	assert_planted_are_found(&server, 16 << 20, 0.03);
}

static void two_levels_are_not_made_three(void **state)
{
	struct machine board = {
		.cache = { { 32 << 10, 4, 2, true, 0, 0, NULL }, { 512 << 10, 16, 9, true, 0, 0, NULL } },
		.caches = 2, .memory_ns = 130,
	};

	(void)state;
	assert_planted_are_found(&board, 8 << 20, 0.05);
}

static void a_last_level_that_neighbours_share_has_what_they_leave(void **state)
{
	struct machine guest = {
		.cache = { { 32 << 10, 8, 1.1, false, 0, 0, NULL }, { 256 << 10, 8, 3.8, false, 0, 0, NULL },
			   { 4 << 20, 16, 14, true, 6, 0, NULL } },
		.caches = 3, .memory_ns = 150,
	};

	(void)state;
	assert_planted_are_found(&guest, 16 << 20, 0.04);
}

static void random_page_colours_move_no_capacity_by_more_than_a_step(void **state)
{
	struct machine coloured = {
		.cache = { { 32 << 10, 8, 1.1, false, 0, 0, NULL }, { 1 << 20, 16, 4, false, 0, 0, NULL } },
		.caches = 2, .memory_ns = 100, .small_pages = true,
	};

	(void)state;
	assert_planted_are_found(&coloured, 16 << 20, 0.03);
}

static void a_flat_curve_is_one_level(void **state)
{
	double x[60], y[60];
	struct stat_level level[8];
	struct random random = { 4 };

	(void)state;
	for (int i = 0; i < 60; i++) {
		x[i] = 512 * exp2(i / 3.0);
		y[i] = 1.5 * exp(0.03 * random_normal(&random));
	}
	assert_int_equal(stat_levels(x, y, 60, 1.5, level, 8), 1);
	assert_true(isnan(level[0].holds));
	assert_true(fabs(level[0].value - 1.5) < 0.05);
}

/* Neighbours in a shared cache cost some hits at every size, the more the larger: 15 % an octave here. */
static void a_leaking_cache_still_is_a_level(void **state)
{
	struct random random = { 12 };

	(void)state;
	for (int trial = 0; trial < 25; trial++) {
		double x[64], y[64];
		struct stat_level level[8];
		for (int i = 0; i < 57; i++) {
			double octave = i / 3.0;
			x[i] = 512 * exp2(octave);
			y[i] = octave <= 6 ? 1.1 : octave <= 11 ? 4 : octave <= 15 ? 13 * pow(1.15, octave - 11) : 150;
			y[i] *= exp(0.03 * random_normal(&random));
		}
		assert_int_equal(stat_levels(x, y, 57, 1.5, level, 8), 4);
		assert_true(fabs(log2(level[2].holds / (512 * exp2(15)))) < 0.4);
		assert_true(level[2].value > 13 && level[2].value < 23);
	}
}

static void a_long_ramp_is_no_level(void **state)
{
	double x[40], y[40];
	struct stat_level level[8];

	(void)state;
	for (int i = 0; i < 40; i++) {
		double octave = i / 3.0;
		x[i] = 512 * exp2(octave);
		y[i] = octave < 4 ? 1 : octave < 9 ? pow(2, octave - 4) : 32;
	}
	assert_int_equal(stat_levels(x, y, 40, 1.5, level, 8), 2);
}

static void impossible_curves_have_no_levels(void **state)
{
	double x[4] = { 1, 2, 4, 8 }, y[4] = { 1, 1, 0, 1 };
	struct stat_level level[2];

	(void)state;
	assert_int_equal(stat_levels(x, y, 4, 1.5, level, 2), 0);
	y[2] = NAN;
	assert_int_equal(stat_levels(x, y, 4, 1.5, level, 2), 0);
	assert_int_equal(stat_levels(x, x, 3, 1.5, level, 2), 0);
}

static void the_isotonic_fit_is_the_known_one(void **state)
{
	/* By hand: 3, 1, 2 pool to 2; 6, 5 to 5.5. */
	const double values[] = { 1, 3, 1, 2, 6, 5, 8 }, want[] = { 1, 2, 2, 2, 5.5, 5.5, 8 };
	double fit[7];

	(void)state;
	stat_isotonic(values, 7, fit);
	for (int i = 0; i < 7; i++)
		assert_true(fabs(fit[i] - want[i]) < 1e-12);
}

/* A fully associative LRU TLB under a cyclic order hits always or never; a random victim softens that. */
static void tlb_entries_are_found_within_one_step(void **state)
{
	static const size_t entries[] = { 32, 48, 64, 72, 96 };
	struct random random = { 9 };

	(void)state;
	for (size_t e = 0; e < 5; e++) {
		double x[48], spread[48], packed[48];
		size_t count = 0;
		for (double base = 8; base <= 4096; base *= 2) {
			for (int q = 0; q < 4; q++, count++) {
				double pages = base * (1 + q / 4.0);
				double missed = pages <= (double)entries[e] ? 0 : 1 - pow((double)entries[e] / pages, 4);
				x[count] = pages;
				packed[count] = (pages > 512 ? 3.8 : 1.1) * exp(0.02 * random_normal(&random));
				spread[count] = packed[count] * exp(0.02 * random_normal(&random)) + 2 * missed +
						(pages > 1536 ? 5 : 0);
			}
		}
		double reach = stat_tlb_reach(x, spread, packed, count);
		assert_true(reach >= (double)entries[e] / 1.34 && reach <= (double)entries[e] * 1.26);
		assert_true(isnan(stat_tlb_reach(x, packed, packed, count)));
	}
}

static void line_sizes_are_found_exactly(void **state)
{
	static const double distance[] = { 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512 };
	struct random random = { 10 };

	(void)state;
	for (double line = 16; line <= 256; line *= 2) {
		double time[13], flat[13];
		for (int i = 0; i < 13; i++) {
			flat[i] = 5.5 * exp(0.01 * random_normal(&random));
			time[i] = (distance[i] < line ? 5.5 : 7.0) * exp(0.01 * random_normal(&random));
		}
		assert_true(stat_line_size(distance, time, 13) == line);
		assert_true(isnan(stat_line_size(distance, flat, 13)));
	}
}

static void parallelism_is_first_over_the_plateau(void **state)
{
	const double time[] = { 100, 50, 34, 25, 20, 20, 19, 21, 20, 20 };

	(void)state;
	assert_true(fabs(stat_parallelism(time, 10) - 5) < 0.1);
	assert_true(isnan(stat_parallelism(time, 0)));
	assert_true(stat_parallelism(time, 1) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_caches_are_found_within_one_step),
		cmocka_unit_test(two_levels_are_not_made_three),
		cmocka_unit_test(a_last_level_that_neighbours_share_has_what_they_leave),
		cmocka_unit_test(random_page_colours_move_no_capacity_by_more_than_a_step),
		cmocka_unit_test(a_flat_curve_is_one_level),
		cmocka_unit_test(a_leaking_cache_still_is_a_level),
		cmocka_unit_test(a_long_ramp_is_no_level),
		cmocka_unit_test(impossible_curves_have_no_levels),
		cmocka_unit_test(the_isotonic_fit_is_the_known_one),
		cmocka_unit_test(tlb_entries_are_found_within_one_step),
		cmocka_unit_test(line_sizes_are_found_exactly),
		cmocka_unit_test(parallelism_is_first_over_the_plateau),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
