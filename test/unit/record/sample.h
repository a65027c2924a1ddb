/* A run with something in every field, and the comparison that finds any field that got lost. */
#ifndef TEST_SAMPLE_H
#define TEST_SAMPLE_H

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "record/record.h"
#include "record/uuid.h"

#define HOSTILE \
	"<script>alert('1')</script> \"\\ \n\t\x01 '; DROP TABLE run; -- \xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8c =1+1 " \
	"%s%n"

static inline void sample_conditions(struct condition **array, size_t *count)
{
	condition_add(array, count, "runqueue.wait", "ratio", 0.0125, 0.05, VERDICT_OK, NULL);
	condition_add(array, count, "steal", "ratio", 1.0 / 3, NAN, VERDICT_UNTRUSTED, HOSTILE);
	condition_add(array, count, "clock.drift", NULL, NAN, NAN, VERDICT_NOISY, "");
}

static inline struct process sample_process(struct random *random, unsigned round, size_t batches)
{
	struct process process = { .round = round,
				   .cpu = (int)(round % 3) - 1,
				   .outcome = round == 4 ? VERDICT_FAILED : VERDICT_OK,
				   .reason = round == 4 ? mem_copy(HOSTILE) : NULL,
				   .n = round == 2 ? UINT64_MAX - 1 : 1000 + round,
				   .paired = round % 2,
				   .steady = !(round % 2),
				   .half_sample = round % 3 == 0,
				   .location = 100 + random_normal(random),
				   .mean = 101 + random_normal(random),
				   .min = 5e-324,
				   .max = 1.7976931348623157e308,
				   .noise = round == 1 ? NAN : random_unit(random),
				   .clock_hz = 2.4e9 + random_normal(random),
				   .batches = batches,
				   .remark = round == 3 ? mem_copy("4 KiB pages") : NULL };

	for (int i = 0; i < QUANTILES; i++)
		process.quantile[i] = round == 4 ? NAN : 90 + i + random_unit(random);
	process.batch = batches ? mem_new(batches, sizeof(double)) : NULL;
	for (size_t i = 0; i < batches; i++)
		process.batch[i] = 100 + random_normal(random);
	if (round == 0)
		sample_conditions(&process.condition, &process.conditions);
	return process;
}

static inline void sample_estimate(struct point *point, struct random *random)
{
	point->value = 100 + random_unit(random);
	point->low = point->value - 1;
	point->high = point->value + 1;
	point->cycles = 240.1;
	point->cycles_low = 239;
	point->noise = 0.0123456789012345;
	point->samples = 600;
	point->rounds = 6;
	point->verdict = VERDICT_NOISY;
	point->reason = mem_copy("noise 12 %, the limit is 5 %");
	point->note = mem_copy(HOSTILE);
}

static inline void sample_head(struct run *run)
{
	static const struct label labels[] = { { (char *)"kernel", (char *)"6.1" }, { (char *)HOSTILE, (char *)"" } };

	*run = (struct run){ .started_ms = INT64_C(1709207999123),
			     .ended_ms = INT64_C(1709208000000),
			     .complete = true,
			     .reason = mem_copy("interrupted"),
			     .seed = UINT64_MAX,
			     .set = mem_copy("selection"),
			     .selection = mem_copy("mem.* ipc.pipe"),
			     .options = mem_copy("{\"precision\":1.5,\"placement\":null}"),
			     .budget_ns = UINT64_C(30000000000),
			     .rounds = 6,
			     .method = mem_copy("1"),
			     .version = mem_copy("0.1.0"),
			     .machine = mem_copy(
				     "{\"schema\":\"assay.machine/1\",\"hostname\":\"host\",\"cpus\":[0,1]}") };
	uuid7_make(run->id, run->started_ms);
	for (size_t i = 0; i < countof(labels); i++) {
		run->label = mem_grow(run->label, i + 1, sizeof *run->label);
		run->label[run->labels++] =
			(struct label){ .key = mem_copy(labels[i].key), .value = mem_copy(labels[i].value) };
	}
	sample_conditions(&run->condition, &run->conditions);
}

static inline struct point *sample_point(struct run *run, const char *id)
{
	struct point *point = run_add_point(run, id);

	point->title = mem_copy(HOSTILE);
	point->unit = mem_copy("B/s");
	point->better = BETTER_MORE;
	point->target_pct = 2;
	point->min_cycles = 0.9;
	return point;
}

/* Two measured points of six processes, a derived one, and one that was skipped. */
static inline void sample_run(struct run *run, size_t batches)
{
	static const char *const ids[] = { "mem.read/size=64k", "ipc.pipe:\"odd\"/n=1", "derived.tlb" };
	struct random random = { .state = 7 };

	sample_head(run);
	for (size_t i = 0; i < countof(ids); i++) {
		struct point *point = sample_point(run, ids[i]);
		sample_estimate(point, &random);
		for (unsigned round = 0; i < 2 && round < 6; round++) {
			struct process process = sample_process(&random, round, batches);
			point_add_process(point, &process);
		}
	}
	struct point *derived = &run->point[2];
	derived->derived = true;
	derived->samples = 0;
	derived->noise = NAN;
	derived->source = mem_new(2, sizeof *derived->source);
	derived->source[derived->sources++] = mem_copy(ids[0]);
	derived->source[derived->sources++] = mem_copy(ids[1]);
	struct point *skipped = sample_point(run, "cpu.avx512");
	skipped->verdict = VERDICT_SKIPPED;
	skipped->reason = mem_copy("unavailable: this CPU has no AVX-512");
}

static inline bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static inline bool same_double(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static inline bool same_doubles(const double *a, const double *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!same_double(a[i], b[i]))
			return false;
	}
	return true;
}

static inline bool same_conditions(const struct condition *a, size_t as, const struct condition *b, size_t bs)
{
	for (size_t i = 0; as == bs && i < as; i++) {
		if (!same_text(a[i].id, b[i].id) || !same_text(a[i].unit, b[i].unit) ||
		    !same_double(a[i].value, b[i].value) || !same_double(a[i].threshold, b[i].threshold) ||
		    a[i].verdict != b[i].verdict || !same_text(a[i].text, b[i].text))
			return false;
	}
	return as == bs;
}

static inline bool same_process(const struct process *a, const struct process *b, bool batches)
{
	if (batches && (!a->batch != !b->batch || (a->batch && !same_doubles(a->batch, b->batch, a->batches))))
		return false;
	return a->round == b->round && a->cpu == b->cpu && a->outcome == b->outcome &&
	       same_text(a->reason, b->reason) && a->n == b->n && a->paired == b->paired && a->steady == b->steady &&
	       a->half_sample == b->half_sample && same_double(a->location, b->location) &&
	       same_double(a->mean, b->mean) && same_double(a->min, b->min) && same_double(a->max, b->max) &&
	       same_double(a->noise, b->noise) && same_double(a->clock_hz, b->clock_hz) &&
	       same_doubles(a->quantile, b->quantile, QUANTILES) && a->batches == b->batches &&
	       same_text(a->remark, b->remark) &&
	       same_conditions(a->condition, a->conditions, b->condition, b->conditions);
}

static inline bool same_lists(const struct point *a, const struct point *b, bool batches)
{
	if (a->sources != b->sources || a->processes != b->processes)
		return false;
	for (size_t i = 0; i < a->sources; i++) {
		if (!same_text(a->source[i], b->source[i]))
			return false;
	}
	for (size_t i = 0; i < a->processes; i++) {
		if (!same_process(&a->process[i], &b->process[i], batches))
			return false;
	}
	return true;
}

static inline bool same_point(const struct point *a, const struct point *b, bool batches)
{
	return same_text(a->id, b->id) && same_text(a->title, b->title) && same_text(a->unit, b->unit) &&
	       a->better == b->better && same_double(a->target_pct, b->target_pct) &&
	       same_double(a->min_cycles, b->min_cycles) && a->derived == b->derived &&
	       same_double(a->value, b->value) && same_double(a->low, b->low) && same_double(a->high, b->high) &&
	       same_double(a->confidence, b->confidence) && same_double(a->cycles, b->cycles) &&
	       same_double(a->cycles_low, b->cycles_low) && same_double(a->cycles_high, b->cycles_high) &&
	       same_double(a->noise, b->noise) && a->samples == b->samples && a->rounds == b->rounds &&
	       a->verdict == b->verdict && same_text(a->reason, b->reason) && same_text(a->note, b->note) &&
	       same_lists(a, b, batches);
}

static inline bool same_head(const struct run *a, const struct run *b)
{
	if (a->labels != b->labels)
		return false;
	for (size_t i = 0; i < a->labels; i++) {
		if (!same_text(a->label[i].key, b->label[i].key) || !same_text(a->label[i].value, b->label[i].value))
			return false;
	}
	return same_text(a->id, b->id) && same_text(a->name, b->name) && a->started_ms == b->started_ms &&
	       a->ended_ms == b->ended_ms && a->complete == b->complete && same_text(a->reason, b->reason) &&
	       a->seed == b->seed && same_text(a->set, b->set) && same_text(a->selection, b->selection) &&
	       same_text(a->options, b->options) && a->budget_ns == b->budget_ns && a->rounds == b->rounds &&
	       same_text(a->method, b->method) && same_text(a->version, b->version) &&
	       same_text(a->machine, b->machine) &&
	       same_conditions(a->condition, a->conditions, b->condition, b->conditions);
}

static inline bool same_run(const struct run *a, const struct run *b, bool batches)
{
	if (!same_head(a, b) || a->points != b->points)
		return false;
	for (size_t i = 0; i < a->points; i++) {
		if (!same_point(&a->point[i], &b->point[i], batches))
			return false;
	}
	return true;
}

#endif
