#include "harness/derive.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parse.h"

static const struct derivation *const tables[] = { derivations_os, derivations_mem };

static const struct process *process_of(const struct point *point, unsigned round)
{
	for (size_t i = 0; i < point->processes; i++) {
		if (point->process[i].round == round)
			return &point->process[i];
	}
	return NULL;
}

static int value_of(const struct point *point, unsigned round, double *ret_value, struct err *err)
{
	const struct process *process = process_of(point, round);

	if (!process || process->outcome != VERDICT_OK || !isfinite(process->location))
		return err_set(err, -ENODATA, "%s has no value%s%s", point->id,
			       process && process->reason ? ": " : "", process && process->reason ? process->reason : "");
	*ret_value = process->location;
	return 0;
}

int derive_value(const struct derive_input *in, const char *id, double *ret_value, struct err *err)
{
	const struct point *point = run_find_point(in->run, id);

	if (!point)
		return err_set(err, -ENOENT, "%s is not part of this run", id);
	return value_of(point, in->round, ret_value, err);
}

/* Is id the job with key=VALUE somewhere among its params? Then VALUE, as a number. */
static bool on_curve(const char *id, const char *job, const char *key, double *ret_x)
{
	char wanted[64];
	char rest[256];
	uint64_t value;

	snprintf(wanted, sizeof wanted, "%s=", key);
	for (const char *at = id; (at = strstr(at, wanted)); at++) {
		if (at == id || (at[-1] != '/' && at[-1] != ','))
			continue;
		const char *start = at + strlen(wanted);
		size_t length = strcspn(start, ",");
		char text[32];
		if (length >= sizeof text)
			return false;
		memcpy(text, start, length);
		text[length] = '\0';
		/* Drop "key=VALUE" with one separator, and compare. */
		bool first = at[-1] == '/';
		const char *behind = start + length;
		if (first && *behind == ',')
			snprintf(rest, sizeof rest, "%.*s%s", (int)(at - id), id, behind + 1);
		else
			snprintf(rest, sizeof rest, "%.*s%s", (int)(at - 1 - id), id, behind);
		if (strcmp(rest, job) || parse_size(text, &value, NULL) < 0)
			return false;
		*ret_x = (double)value;
		return true;
	}
	return false;
}

int derive_curve(const struct derive_input *in, const char *job, const char *key, struct derive_curve *ret_curve,
		 struct err *err)
{
	ret_curve->count = 0;
	for (size_t i = 0; i < in->run->points && ret_curve->count < countof(ret_curve->x); i++) {
		const struct point *point = &in->run->point[i];
		double x, y;
		if (point->derived || !on_curve(point->id, job, key, &x))
			continue;
		int r = value_of(point, in->round, &y, err);
		if (r < 0)
			return r;
		size_t at = ret_curve->count++;
		for (; at > 0 && ret_curve->x[at - 1] > x; at--) {
			ret_curve->x[at] = ret_curve->x[at - 1];
			ret_curve->y[at] = ret_curve->y[at - 1];
		}
		ret_curve->x[at] = x;
		ret_curve->y[at] = y;
	}
	return ret_curve->count ? 0 : err_set(err, -ENOENT, "%s is not part of this run", job);
}

static size_t matches(const struct run *run, const char *pattern)
{
	size_t count = 0;

	for (size_t i = 0; i < run->points; i++)
		count += !run->point[i].derived && fnmatch(pattern, run->point[i].id, 0) == 0;
	return count;
}

static void plan_one(struct run *run, const struct derivation *derivation)
{
	if (run_find_point(run, derivation->id))
		return;
	for (size_t i = 0; i < countof(derivation->sources) && derivation->sources[i]; i++) {
		if (!matches(run, derivation->sources[i]))
			return;
	}
	struct point *point = run_add_point(run, derivation->id);
	point->title = mem_copy(derivation->title);
	point->unit = mem_copy(derivation->unit);
	point->better = unit_better(derivation->unit);
	point->target_pct = derivation->target_pct;
	point->derived = true;
	point->note = mem_copy(derivation->note);
	for (size_t i = 0; i < countof(derivation->sources) && derivation->sources[i]; i++) {
		point->source = mem_grow(point->source, point->sources + 1, sizeof *point->source);
		point->source[point->sources++] = mem_copy(derivation->sources[i]);
	}
}

void derive_plan(struct run *run)
{
	for (size_t t = 0; t < countof(tables); t++) {
		for (const struct derivation *row = tables[t]; row->id; row++)
			plan_one(run, row);
	}
}

/* The core clock beside the sources, so that a derived time has cycles too. */
static double clock_beside(const struct run *run, const struct derivation *row, unsigned round)
{
	for (size_t i = 0; i < run->points; i++) {
		if (run->point[i].derived || fnmatch(row->sources[0], run->point[i].id, 0))
			continue;
		const struct process *process = process_of(&run->point[i], round);
		if (process && isfinite(process->clock_hz))
			return process->clock_hz;
	}
	return NAN;
}

static void compute(struct run *run, const struct derivation *row, unsigned round)
{
	struct point *point = run_find_point(run, row->id);
	struct derive_input in = { .run = run, .round = round };
	struct err err = { { 0 } };
	double value = NAN;

	if (!point || process_of(point, round))
		return;
	int r = row->compute(&in, row, &value, &err);
	struct process process = { .round = round,
				   .cpu = -1,
				   .outcome = r < 0 ? VERDICT_SKIPPED : VERDICT_OK,
				   .reason = r < 0 ? mem_copy(err.text[0] ? err.text : "its sources have no value") : NULL,
				   .steady = true,
				   .location = r < 0 ? NAN : value,
				   .mean = NAN,
				   .min = NAN,
				   .max = NAN,
				   .noise = NAN,
				   .clock_hz = clock_beside(run, row, round) };
	for (unsigned i = 0; i < QUANTILES; i++)
		process.quantile[i] = NAN;
	point_add_process(point, &process);
}

void derive_round(struct run *run, unsigned round)
{
	for (size_t t = 0; t < countof(tables); t++) {
		for (const struct derivation *row = tables[t]; row->id; row++)
			compute(run, row, round);
	}
}
