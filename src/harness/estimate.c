#include "harness/estimate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/mem.h"
#include "stat/interval.h"
#include "stat/location.h"

#define CONFIDENCE 0.95
#define DISTURBED_SHARE 0.30 /* above this share of high outliers the mode stands in for the median */
#define MODE_NEEDS 30 /* fewer batches show no mode */
#define NOISE_OK 0.05
#define NOISE_UNTRUSTED 0.20

double convert_ns(const struct conversion *conversion, double ns)
{
	if (!strcmp(conversion->unit, "ns"))
		return ns;
	if (!(ns > 0))
		return NAN; /* a rate over no time is no rate */
	return (!strcmp(conversion->unit, "Hz") ? 1 : conversion->bytes) * 1e9 / ns;
}

/* Share of ascending times that lie so far above the mode that only a disturbance explains them. Their own deviation is
 * that of the times below the mode, which disturbances do not reach. Not Tukey's fence: that stands above the upper
 * quartile, so more than a quarter of a sample is never beyond it. */
static double disturbed_share(const double *sorted, size_t count, double mode)
{
	size_t below = 0, above = 0;

	while (below < count && sorted[below] < mode)
		below++;
	double deviation = below ? 1.4826 * (mode - stat_median(sorted, below)) : 0;
	double fence = mode + fmax(5 * deviation, 0.005 * fabs(mode));
	while (above < count && sorted[count - 1 - above] > fence)
		above++;
	return count ? (double)above / (double)count : 0;
}

void process_summarise(struct process *process, const double *ns, size_t count, const struct conversion *conversion)
{
	auto_free double *sorted = mem_new(count, sizeof *sorted);
	bool rate = strcmp(conversion->unit, "ns") != 0;

	memcpy(sorted, ns, count * sizeof *sorted);
	stat_sort(sorted, count);
	double typical = stat_median(sorted, count);
	double mode = count >= MODE_NEEDS ? stat_half_sample_mode(sorted, count) : NAN;
	process->half_sample = disturbed_share(sorted, count, mode) > DISTURBED_SHARE;
	if (process->half_sample)
		typical = mode;
	double mean = stat_mean(sorted, count);
	process->location = convert_ns(conversion, typical);
	process->mean = convert_ns(conversion, mean);
	process->noise = mean > typical && mean > 0 ? 1 - typical / mean : 0;
	for (unsigned i = 0; i < QUANTILES; i++) {
		double p = (double)i / (QUANTILES - 1);
		process->quantile[i] = convert_ns(conversion, stat_quantile(sorted, count, rate ? 1 - p : p));
	}
	process->min = process->quantile[0];
	process->max = process->quantile[QUANTILES - 1];
	process->batch = mem_new(count, sizeof *process->batch);
	process->batches = count;
	for (size_t i = 0; i < count; i++)
		process->batch[i] = convert_ns(conversion, ns[i]);
}

double point_half_width_pct(const struct point *point)
{
	return 100 * (point->high - point->low) / 2 / fabs(point->value);
}

/* Raises the verdict to at least this one; the words of the worst are kept, of the first among equals. */
static void __attribute__((format(printf, 3, 4)))
judge(struct point *point, enum verdict verdict, const char *fmt, ...)
{
	char *reason = NULL;
	va_list args;

	if (verdict <= point->verdict)
		return;
	va_start(args, fmt);
	int length = vasprintf(&reason, fmt, args);
	va_end(args);
	free(point->reason);
	point->reason = length < 0 ? mem_copy("") : reason;
	point->verdict = verdict;
}

static bool has_value(const struct process *process)
{
	return process->outcome == VERDICT_OK && isfinite(process->location);
}

/* The values of one kind over all processes that have one, ascending; returns how many. */
static size_t collect(const struct point *point, double (*of)(const struct point *, const struct process *),
		      double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < point->processes; i++) {
		if (!has_value(&point->process[i]))
			continue;
		double value = of(point, &point->process[i]);
		if (isfinite(value))
			values[count++] = value;
	}
	stat_sort(values, count);
	return count;
}

static double location_of(const struct point *point, const struct process *process)
{
	(void)point;
	return process->location;
}

static double noise_of(const struct point *point, const struct process *process)
{
	(void)point;
	return process->noise;
}

static double cycles_of(const struct point *point, const struct process *process)
{
	return strcmp(point->unit, "ns") ? NAN : process->location * process->clock_hz / 1e9;
}

static void claim(double *values, size_t count, double *ret_value, double *ret_low, double *ret_high)
{
	*ret_value = *ret_low = *ret_high = NAN;
	if (!count)
		return;
	*ret_value = stat_median(values, count);
	if (!stat_median_interval(values, count, CONFIDENCE, ret_low, ret_high))
		*ret_low = *ret_high = NAN;
}

/* Processes without a value: all of them decide the verdict, a few among others cast doubt. */
static void judge_outcomes(struct point *point)
{
	unsigned failed = 0, skipped = 0;
	const char *why_failed = NULL, *why_skipped = NULL;

	for (size_t i = 0; i < point->processes; i++) {
		const struct process *process = &point->process[i];
		if (process->outcome == VERDICT_FAILED && !failed++)
			why_failed = process->reason;
		if (process->outcome == VERDICT_SKIPPED && !skipped++)
			why_skipped = process->reason;
	}
	if (failed && !point->rounds)
		judge(point, VERDICT_FAILED, "%s", why_failed ? why_failed : "no reason is known");
	else if (skipped && !point->rounds)
		judge(point, VERDICT_SKIPPED, "%s", why_skipped ? why_skipped : "no reason is known");
	else if (!point->rounds)
		judge(point, VERDICT_FAILED, "%s",
		      point->processes ? "no batch took a positive time" : "not measured before the run ended");
	else if (failed)
		judge(point, VERDICT_UNTRUSTED, "%u of %zu processes failed: %s", failed, point->processes,
		      why_failed ? why_failed : "no reason is known");
}

static void judge_bounds(struct point *point)
{
	char value[FORMAT_DOUBLE], clock[FORMAT_DOUBLE], bound[FORMAT_DOUBLE], cycles[FORMAT_DOUBLE];

	if (!point->derived && !(point->value > 0))
		judge(point, VERDICT_UNTRUSTED, "%s %s cannot be: an operation takes time",
		      format_digits(value, point->value, 3), point->unit);
	if (point->min_cycles > 0 && point->cycles < point->min_cycles)
		judge(point, VERDICT_UNTRUSTED, "%s ns × %s GHz = %s cycles, under the %s that are possible",
		      format_digits(value, point->value, 3),
		      format_digits(clock, point->cycles / point->value, 3), format_digits(cycles, point->cycles, 3),
		      format_digits(bound, point->min_cycles, 2));
}

static void judge_noise(struct point *point)
{
	char limit[FORMAT_DOUBLE];
	double half_width = point_half_width_pct(point);

	if (point->noise >= NOISE_UNTRUSTED)
		judge(point, VERDICT_UNTRUSTED, "disturbances took %.0f %% of the time", 100 * point->noise);
	else if (point->noise >= NOISE_OK)
		judge(point, VERDICT_NOISY, "disturbances took %.0f %% of the time", 100 * point->noise);
	if (point->rounds < stat_interval_needs(CONFIDENCE))
		judge(point, VERDICT_NOISY, "%u process%s: too few for an interval", point->rounds,
		      point->rounds == 1 ? "" : "es");
	else if (point->target_pct > 0 && half_width > point->target_pct)
		judge(point, VERDICT_NOISY, "the interval is ±%.1f %%, wider than the ±%s %% aimed at", half_width,
		      format_digits(limit, point->target_pct, 2));
}

static void judge_steadiness(struct point *point)
{
	unsigned unsteady = 0;

	for (size_t i = 0; i < point->processes; i++)
		unsteady += has_value(&point->process[i]) && !point->process[i].steady;
	if (unsteady > point->rounds / 2)
		judge(point, VERDICT_NOISY, "still changing after the warm-up in %u of %u processes", unsteady,
		      point->rounds);
}

/* A condition counts against the point when it held in more than half of its processes. */
static void judge_conditions(struct point *point)
{
	for (size_t i = 0; i < point->processes; i++) {
		for (size_t j = 0; j < point->process[i].conditions; j++) {
			const struct condition *condition = &point->process[i].condition[j];
			unsigned held = 0;
			if (condition->verdict <= point->verdict)
				continue;
			for (size_t k = 0; k < point->processes; k++) {
				const struct process *other = &point->process[k];
				for (size_t l = 0; l < other->conditions; l++)
					held += !strcmp(other->condition[l].id, condition->id) &&
						other->condition[l].verdict >= condition->verdict;
			}
			if (held > point->processes / 2)
				judge(point, condition->verdict, "%s",
				      condition->text ? condition->text : condition->id);
		}
	}
}

void estimate_point(struct point *point)
{
	auto_free double *values = mem_new(point->processes, sizeof *values);

	free(point->reason);
	point->reason = NULL;
	point->verdict = VERDICT_OK;
	point->confidence = CONFIDENCE;
	size_t count = collect(point, location_of, values);
	claim(values, count, &point->value, &point->low, &point->high);
	point->rounds = (unsigned)count;
	point->samples = 0;
	for (size_t i = 0; i < point->processes; i++)
		point->samples += has_value(&point->process[i]) ? point->process[i].batches : 0;
	count = collect(point, cycles_of, values);
	claim(values, count, &point->cycles, &point->cycles_low, &point->cycles_high);
	count = collect(point, noise_of, values);
	point->noise = stat_median(values, count);
	judge_outcomes(point);
	if (!point->rounds)
		return;
	judge_bounds(point);
	judge_noise(point);
	judge_steadiness(point);
	judge_conditions(point);
}

/* What holds for the whole run and makes figures untrusted (an emulated processor) counts against each of them. */
void estimate_run(struct run *run)
{
	for (size_t i = 0; i < run->points; i++) {
		struct point *point = &run->point[i];
		estimate_point(point);
		for (size_t j = 0; j < run->conditions && point->rounds; j++) {
			if (run->condition[j].verdict == VERDICT_UNTRUSTED)
				judge(point, VERDICT_UNTRUSTED, "%s", run->condition[j].text);
		}
	}
}
