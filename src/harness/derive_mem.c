/* Derived figures of memory: what the curves say about caches, TLB, lines and parallel misses. The analysis itself is
 * stat/levels; here it is asked, and refuses in words where a curve does not show what is wanted. */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/mem.h"
#include "harness/derive.h"
#include "stat/levels.h"

/* A step between two levels of the hierarchy; measured ones are 2 and more, a shared last-level cache the least. */
static const double LEVEL_STEP = 1.5;

/* Below this, "main memory" would be a cache of any current server. */
static const double SMALLEST_MEMORY = 32 << 20;

enum { MOST_LEVELS = 8, LONGEST_ID = 256 };

static char *bytes_text(char out[FORMAT_SIZE], double bytes)
{
	return format_size(out, (uint64_t)bytes);
}

/* id without key=VALUE: the name of the job that measures the curve. */
static void job_of(const char *id, const char *key, char job[LONGEST_ID])
{
	char wanted[32];

	snprintf(job, LONGEST_ID, "%s", id);
	for (const char *before = "/,"; *before; before++) {
		snprintf(wanted, sizeof wanted, "%c%s=", *before, key);
		char *at = strstr(job, wanted);
		if (!at)
			continue;
		char *behind = at + 1 + strcspn(at + 1, ",");
		if (*before == '/' && *behind)
			at++, behind++; /* the slash stays before what follows */
		memmove(at, behind, strlen(behind) + 1);
		return;
	}
}

/* The curve of the first point that matches the pattern. */
static int curve_of(const struct derive_input *in, const char *pattern, const char *key, struct derive_curve *ret_curve,
		    struct err *err)
{
	char job[LONGEST_ID];

	for (size_t i = 0; i < in->run->points; i++) {
		const struct point *point = &in->run->point[i];
		if (point->derived || fnmatch(pattern, point->id, 0))
			continue;
		job_of(point->id, key, job);
		return derive_curve(in, job, key, ret_curve, err);
	}
	return err_set(err, -ENOENT, "%s is not part of this run", pattern);
}

struct hierarchy {
	struct derive_curve curve;
	struct stat_level level[MOST_LEVELS]; /* the last one is main memory */
	size_t levels;
};

static int read_hierarchy(const struct derive_input *in, const struct derivation *self, struct hierarchy *h,
			  struct err *err)
{
	int r = curve_of(in, self->sources[0], "size", &h->curve, err);

	if (r < 0)
		return r;
	h->levels = stat_levels(h->curve.x, h->curve.y, h->curve.count, LEVEL_STEP, h->level, MOST_LEVELS);
	return h->levels ? 0 : err_set(err, -ENODATA, "a curve of %zu sizes is too short to show levels",
				       h->curve.count);
}

/* Level `wanted` (1…3) when there is a step behind it. */
static int cache_level(const struct derive_input *in, const struct derivation *self, struct hierarchy *h,
		       const struct stat_level **ret_level, struct err *err)
{
	static const char *const ordinal[] = { "first", "second", "third" };
	size_t wanted = (size_t)atoi(self->argument);
	char from[FORMAT_SIZE], to[FORMAT_SIZE];
	int r = read_hierarchy(in, self, h, err);

	if (r < 0)
		return r;
	if (wanted < h->levels) {
		*ret_level = &h->level[wanted - 1];
		return 0;
	}
	/* The steps that were found separate h->levels − 1 caches from memory; where did the last one end? */
	double last = h->levels > 1 ? h->level[h->levels - 2].holds : h->curve.x[0];
	return err_set(err, -ENODATA, "no step above %.1f× between %s and %s, but that to memory: no %s level visible",
		       LEVEL_STEP, bytes_text(from, last), bytes_text(to, h->curve.x[h->curve.count - 1]),
		       ordinal[wanted - 1]);
}

static int level_latency(const struct derive_input *in, const struct derivation *self, double *ret_value,
			 struct err *err)
{
	auto_free struct hierarchy *h = mem_new(1, sizeof *h);
	const struct stat_level *level;
	int r = cache_level(in, self, h, &level, err);

	if (r == 0)
		*ret_value = level->value;
	return r;
}

static int cache_capacity(const struct derive_input *in, const struct derivation *self, double *ret_value,
			  struct err *err)
{
	auto_free struct hierarchy *h = mem_new(1, sizeof *h);
	const struct stat_level *level;
	int r = cache_level(in, self, h, &level, err);

	if (r == 0)
		*ret_value = level->holds;
	return r;
}

static int memory_latency(const struct derive_input *in, const struct derivation *self, double *ret_value,
			  struct err *err)
{
	auto_free struct derive_curve *curve = mem_new(1, sizeof *curve);
	char size[FORMAT_SIZE], least[FORMAT_SIZE];
	int r = curve_of(in, self->sources[0], "size", curve, err);

	if (r < 0)
		return r;
	double largest = curve->x[curve->count - 1];
	if (largest < SMALLEST_MEMORY)
		return err_set(err, -ENODATA, "the largest size, %s, may be inside a cache: choose %s or more",
			       bytes_text(size, largest), bytes_text(least, SMALLEST_MEMORY));
	*ret_value = curve->y[curve->count - 1];
	return 0;
}

static int tlb_reach(const struct derive_input *in, const struct derivation *self, double *ret_value, struct err *err)
{
	auto_free struct derive_curve *curve = mem_new(2, sizeof *curve);
	struct derive_curve *spread = &curve[0], *packed = &curve[1];
	int r = curve_of(in, self->sources[0], "pages", spread, err);

	if (r == 0)
		r = curve_of(in, self->sources[1], "pages", packed, err);
	if (r < 0)
		return r;
	if (spread->count != packed->count || memcmp(spread->x, packed->x, spread->count * sizeof *spread->x))
		return err_set(err, -ENODATA, "spread and packed lines were measured at different numbers of pages");
	double reach = stat_tlb_reach(spread->x, spread->y, packed->y, spread->count);
	if (isnan(reach))
		return err_set(err, -ENODATA, "a page a line costs no more than lines packed densely, from %.0f to %.0f "
					      "pages: no end of the TLB visible",
			       spread->x[0], spread->x[spread->count - 1]);
	*ret_value = reach;
	return 0;
}

static int line_size(const struct derive_input *in, const struct derivation *self, double *ret_value, struct err *err)
{
	auto_free struct derive_curve *curve = mem_new(1, sizeof *curve);
	int r = curve_of(in, self->sources[0], "distance", curve, err);

	if (r < 0)
		return r;
	double line = stat_line_size(curve->x, curve->y, curve->count);
	if (isnan(line))
		return err_set(err, -ENODATA, "the second load costs the same at every distance from %.0f to %.0f bytes: no "
					      "end of a line visible",
			       curve->x[0], curve->x[curve->count - 1]);
	*ret_value = line;
	return 0;
}

static int parallelism(const struct derive_input *in, const struct derivation *self, double *ret_value,
		       struct err *err)
{
	auto_free struct derive_curve *curve = mem_new(1, sizeof *curve);
	int r = curve_of(in, self->sources[0], "chains", curve, err);

	if (r < 0)
		return r;
	if (curve->x[0] != 1 || curve->count < 2)
		return err_set(err, -ENODATA, "one chain and at least one other number of chains are needed");
	*ret_value = stat_parallelism(curve->y, curve->count);
	return 0;
}

/* The second source is no input of its own: it makes sure that the curve begins inside the first-level cache. */
#define HUGE_CURVE "mem.latency:random/size=*,page=huge,spacing=64", "mem.latency:random/size=512,page=huge,spacing=64"

#define LEVEL(number, words)                                                                                  \
	{                                                                                                     \
		.id = "mem.level:l" number, .title = "latency of the " words " cache level", .unit = "ns",    \
		.target_pct = 2, .sources = { HUGE_CURVE }, .compute = level_latency, .argument = number      \
	}

#define CACHE(number, words)                                                                                  \
	{                                                                                                     \
		.id = "mem.cache:l" number, .title = "measured capacity of the " words " cache level",        \
		.unit = "B", .target_pct = 5, .sources = { HUGE_CURVE }, .compute = cache_capacity,           \
		.note = "a size of the curve: the true one is less than half an octave above",               \
		.argument = number                                                                            \
	}

const struct derivation derivations_mem[] = {
	LEVEL("1", "first"),
	LEVEL("2", "second"),
	LEVEL("3", "third"),
	{ .id = "mem.level:main",
	  .title = "latency of memory, huge pages",
	  .unit = "ns",
	  .target_pct = 2,
	  .sources = { HUGE_CURVE },
	  .compute = memory_latency },
	{ .id = "mem.level:random",
	  .title = "latency of memory, 4 KiB pages: page walks included",
	  .unit = "ns",
	  .target_pct = 2,
	  .sources = { "mem.latency:random/size=*,page=4k,spacing=64" },
	  .compute = memory_latency },
	CACHE("1", "first"),
	CACHE("2", "second"),
	CACHE("3", "third"),
	{ .id = "mem.tlb_reach",
	  .title = "pages that the first-level data TLB holds",
	  .unit = "pages",
	  .target_pct = 5,
	  .sources = { "mem.tlb:spread/pages=*", "mem.tlb:packed/pages=*" },
	  .compute = tlb_reach,
	  .note = "a step of the curve: the true reach is less than a quarter of an octave above" },
	{ .id = "mem.line_size",
	  .title = "measured cache line",
	  .unit = "B",
	  .target_pct = 5,
	  .sources = { "mem.line/distance=*" },
	  .compute = line_size },
	{ .id = "mem.parallelism",
	  .title = "loads from memory in flight: time of one chain over that of many",
	  .unit = "ratio",
	  .target_pct = 2,
	  .sources = { "mem.parallel/chains=*" },
	  .compute = parallelism,
	  .note = "up to 16 chains are tried: a core may keep more loads in flight" },
	{ 0 },
};
