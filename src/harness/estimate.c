#include "harness/estimate.h"

#include <fnmatch.h>
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

/* The median of values that a clock has rounded to steps: the place within the middle step is told by how many lie
 * below it, in it and above it (the median of grouped data). Without this, figures would move in whole steps, and
 * agree to the last digit as long as they do not. */
static double median_of_steps(const double *sorted, size_t count, double step)
{
	double middle = stat_median(sorted, count), edge = middle - step / 2;
	size_t below = 0, within = 0;

	if (!(step > 0))
		return middle;
	while (below < count && sorted[below] < edge)
		below++;
	while (below + within < count && sorted[below + within] <= edge + step)
		within++;
	return within ? edge + step * ((double)count / 2 - (double)below) / (double)within : middle;
}

void process_summarise(struct process *process, const double *ns, size_t count, const struct conversion *conversion)
{
	auto_free double *sorted = mem_new(count, sizeof *sorted);
	bool rate = strcmp(conversion->unit, "ns") != 0;

	memcpy(sorted, ns, count * sizeof *sorted);
	stat_sort(sorted, count);
	double typical = median_of_steps(sorted, count, conversion->step_ns);
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
	else if (!point->processes)
		judge(point, VERDICT_SKIPPED, "not measured before the run ended");
	else if (!point->rounds)
		judge(point, VERDICT_FAILED, "no batch took a positive time");
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
	char limit[FORMAT_DOUBLE], wide[FORMAT_DOUBLE];
	double half_width = point_half_width_pct(point);

	if (point->noise >= NOISE_UNTRUSTED)
		judge(point, VERDICT_UNTRUSTED, "disturbances took %.0f %% of the time", 100 * point->noise);
	else if (point->noise >= NOISE_OK)
		judge(point, VERDICT_NOISY, "disturbances took %.0f %% of the time", 100 * point->noise);
	if (point->rounds < stat_interval_needs(CONFIDENCE))
		judge(point, VERDICT_NOISY, "%u process%s: too few for an interval", point->rounds,
		      point->rounds == 1 ? "" : "es");
	else if (point->target_pct > 0 && half_width > point->target_pct)
		judge(point, VERDICT_NOISY, "the interval is ±%s %%, wider than the ±%s %% aimed at",
		      format_digits(wide, half_width, half_width < 1.1 * point->target_pct ? 3 : 2),
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

static const struct condition *condition_of(const struct process *process, const char *id)
{
	for (size_t i = 0; i < process->conditions; i++) {
		if (!strcmp(process->condition[i].id, id))
			return &process->condition[i];
	}
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	double x = (*(const struct condition *const *)a)->value, y = (*(const struct condition *const *)b)->value;

	return (x > y) - (x < y);
}

/* A condition counts against the point when it was not ok in more than half of the processes; the words are those of
 * the middle one, so that the share they name is typical. */
static void judge_condition(struct point *point, const char *id)
{
	auto_free const struct condition **found = mem_new(point->processes, sizeof *found);
	size_t count = 0, held = 0;

	for (size_t i = 0; i < point->processes; i++) {
		const struct condition *condition = condition_of(&point->process[i], id);
		if (!condition || !isfinite(condition->value))
			continue;
		found[count++] = condition;
		held += condition->verdict != VERDICT_OK;
	}
	if (2 * held <= point->processes)
		return;
	qsort(found, count, sizeof *found, by_value);
	const struct condition *middle = found[count / 2];
	judge(point, middle->verdict, "%s", middle->text ? middle->text : middle->id);
}

static void judge_conditions(struct point *point)
{
	for (size_t i = 0; i < point->processes; i++) {
		for (size_t j = 0; j < point->process[i].conditions; j++) {
			if (point->process[i].condition[j].verdict > point->verdict)
				judge_condition(point, point->process[i].condition[j].id);
		}
	}
}

/* A figure made of others is as good as they are: of a single source its verdict, of a curve that of most points. */
static void judge_sources(const struct run *run, struct point *point)
{
	for (size_t i = 0; i < point->sources; i++) {
		size_t count[VERDICT_COUNT] = { 0 }, all = 0;
		for (size_t j = 0; j < run->points; j++) {
			const struct point *source = &run->point[j];
			if (source->derived || !source->rounds || fnmatch(point->source[i], source->id, 0))
				continue;
			all++;
			count[source->verdict]++;
		}
		size_t untrusted = count[VERDICT_UNTRUSTED], noisy = untrusted + count[VERDICT_NOISY];
		if (2 * noisy > all)
			judge(point, 2 * untrusted > all ? VERDICT_UNTRUSTED : VERDICT_NOISY,
			      all == 1 ? "it is made of %s, which is %s" : "most of %s, which it is made of, are %s",
			      point->source[i], verdict_name(2 * untrusted > all ? VERDICT_UNTRUSTED : VERDICT_NOISY));
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
	for (size_t i = 0; i < run->points; i++)
		estimate_point(&run->point[i]);
	for (size_t i = 0; i < run->points; i++) {
		struct point *point = &run->point[i];
		if (point->derived && point->rounds)
			judge_sources(run, point);
		for (size_t j = 0; j < run->conditions && point->rounds; j++) {
			if (run->condition[j].verdict == VERDICT_UNTRUSTED)
				judge(point, VERDICT_UNTRUSTED, "%s", run->condition[j].text);
		}
	}
}
