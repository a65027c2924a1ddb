#include "harness/worker.h"

#include <alloca.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "harness/point.h"
#include "machine/machine.h"
#include "machine/timer.h"
#include "sense/clockprobe.h"
#include "sense/watch.h"

enum {
	CLOCK_PROBE_NS = 1000 * 1000,
	GAP_WATCH_NS = 500 * 1000,
	CURVE_WARM_NS = 500 * 1000, /* the later points of a curve start warm */
};

#define FIXED_SHARE_LIMIT 0.02

static uint64_t timer_now(void *arg)
{
	(void)arg;
	return timer_now_ns();
}

static void put(char *target, size_t size, const char *text)
{
	snprintf(target, size, "%s", text ? text : "");
}

static void give_up(struct slab *slab, unsigned from, int code, const char *reason)
{
	for (unsigned i = from; i < slab->points; i++) {
		slab->point[i].state = code == -EOPNOTSUPP ? SLAB_SKIPPED : SLAB_FAILED;
		put(slab->point[i].reason, sizeof slab->point[i].reason, reason);
	}
}

/* What the bench says it needs, before it is set up. 0, or -EOPNOTSUPP with the reason. */
static int check_needs(const struct spec *spec, struct err *err)
{
	if ((spec_needs(spec) & NEED_ROOT) && geteuid() != 0)
		return err_set(err, -EOPNOTSUPP, "unavailable: needs root");
	if ((spec_needs(spec) & NEED_SHELL) && access("/bin/sh", X_OK) < 0)
		return err_set(err, -EOPNOTSUPP, "unavailable: /bin/sh cannot be executed");
	if ((spec_needs(spec) & NEED_LOOPBACK) && machine_has_loopback() == KNOWN_NO)
		return err_set(err, -EOPNOTSUPP,
			       "unavailable: the loopback interface is down ('ip link set lo up' brings it up)");
	return 0;
}

static int sample_point(struct slab *slab, struct slab_point *point, struct sampler *sampler, bool later)
{
	size_t left = SLAB_VALUES - slab->values;

	sampler->n = point->n;
	sampler->paired = point->paired;
	sampler->batch_ns = slab->batch_ns;
	sampler->warm_ns = later ? CURVE_WARM_NS : slab->warm_ns;
	sampler->warm_limit_ns = later ? 2 * CURVE_WARM_NS : slab->warm_limit_ns;
	sampler->measure_ns = slab->measure_ns;
	sampler->most_batches = left < SLAB_BATCHES ? left : SLAB_BATCHES;
	point->state = SLAB_RUNNING;
	point->first = slab->values;
	int r = sampler_take(sampler, slab->value + slab->values, &point->batches);
	slab->values += point->batches;
	point->n = sampler->n;
	point->paired = sampler->paired;
	point->steady = sampler->steady;
	point->fixed_share = sampler->fixed_share;
	return r;
}

static void told(struct slab_point *point, const struct bench *bench, const void *state)
{
	if (bench->bytes)
		point->bytes = (double)bench->bytes(state);
	if (bench->remark)
		put(point->remark, sizeof point->remark, bench->remark(state));
}

/* All points of the job, in one process. Returns the index of the first point that could not be measured. */
static unsigned measure_points(struct slab *slab, const struct spec *specs, void *state, struct bench_env *env,
			       const struct sampler_clock *clock, int *ret_code)
{
	const struct bench *bench = specs[0].bench;
	struct sampler sampler = { .bench = bench, .state = state, .clock = clock };

	for (unsigned i = 0; i < slab->points; i++) {
		int r = 0;
		if (i > 0) {
			spec_assign(&specs[i], state);
			r = bench->move(state, env);
		}
		if (r == 0)
			r = sample_point(slab, &slab->point[i], &sampler, i > 0);
		if (r == 0 && bench->check)
			r = bench->check(state, sampler.ops, env);
		if (r < 0) {
			*ret_code = r;
			return i;
		}
		told(&slab->point[i], bench, state);
		slab->point[i].state = SLAB_MEASURED;
	}
	return slab->points;
}

static int parse_points(struct slab *slab, struct spec *specs, struct err *err)
{
	for (unsigned i = 0; i < slab->points; i++) {
		int r = spec_parse(slab->point[i].id, &specs[i], err);
		if (r < 0)
			return r;
		if (i > 0 && (specs[i].bench != specs[0].bench || !specs[0].bench->move))
			return err_set(err, -EINVAL, "%s is not on one curve with %s", slab->point[i].id,
				       slab->point[0].id);
	}
	return 0;
}

static void keep_conditions(struct slab *slab, const struct condition *condition, size_t count)
{
	for (size_t i = 0; i < count && slab->conditions < SLAB_CONDITIONS; i++) {
		struct slab_condition *kept = &slab->condition[slab->conditions++];
		put(kept->id, sizeof kept->id, condition[i].id);
		put(kept->unit, sizeof kept->unit, condition[i].unit);
		put(kept->text, sizeof kept->text, condition[i].text);
		kept->value = condition[i].value;
		kept->threshold = condition[i].threshold;
		kept->verdict = condition[i].verdict;
	}
}

/* Differences between 2n and n operations are free of what a batch costs once; much of it means that time does not
 * simply grow with n, and then the difference is not the cost of an operation either. */
static void note_linearity(double fixed_share, struct condition **array, size_t *count)
{
	bool linear = fabs(fixed_share) <= FIXED_SHARE_LIMIT;

	condition_add(array, count, "batch.fixed", "%", 100 * fabs(fixed_share), 100 * FIXED_SHARE_LIMIT,
		      linear ? VERDICT_OK : VERDICT_NOISY,
		      linear ? NULL : "the time of a batch does not grow in proportion to its operations");
}

static double probe_clock(void)
{
	return clockprobe_hz(timer_now, NULL, CLOCK_PROBE_NS);
}

/* Watches around the batches: core clock before and after, gaps, what the kernel counted. */
static unsigned measure_watched(struct slab *slab, const struct spec *specs, void *state, struct bench_env *env,
				const struct sampler_clock *clock, int *ret_code)
{
	struct condition *condition = NULL;
	size_t conditions = 0;
	struct watch watch;
	double before = probe_clock();

	watch_begin(&watch, slab->cpu);
	watch_gaps(&watch, GAP_WATCH_NS);
	unsigned done = measure_points(slab, specs, state, env, clock, ret_code);
	watch_gaps(&watch, GAP_WATCH_NS);
	double after = probe_clock();
	watch_clock(&watch, before, after);
	watch_end(&watch, specs[0].bench->gives_up_cpu, &condition, &conditions);
	if (slab->points == 1 && isfinite(slab->point[0].fixed_share))
		note_linearity(slab->point[0].fixed_share, &condition, &conditions);
	keep_conditions(slab, condition, conditions);
	for (size_t i = 0; i < conditions; i++)
		condition_done(&condition[i]);
	free(condition);
	slab->clock_hz = isnan(after) ? before : isnan(before) ? after : (before + after) / 2;
	return done;
}

static struct sampler_clock machine_clock(void)
{
	struct timer_facts facts;

	timer_self_test(&facts);
	return (struct sampler_clock){
		.now_ns = timer_now,
		.cost_ns = (uint64_t)(facts.cost_ns + 0.5),
		.grain_ns = isnan(facts.grain_ns) ? 1000 : (uint64_t)(facts.grain_ns + 0.5),
	};
}

void worker_measure(struct slab *slab, const struct sampler_clock *scripted)
{
	auto_free struct spec *specs = mem_new(slab->points, sizeof *specs);
	struct err err = { { 0 } };
	unsigned done = 0;
	int r = parse_points(slab, specs, &err);

	slab->clock_hz = NAN;
	if (r == 0)
		r = check_needs(&specs[0], &err);
	if (r < 0) {
		give_up(slab, 0, r, err.text);
		slab->finished = 1;
		return;
	}
	const struct bench *bench = specs[0].bench;
	auto_free void *state = mem_new(1, bench->state_size);
	struct bench_env env = { .variant = specs[0].variant,
				 .peer_cpu = slab->peer_cpu,
				 .seed = slab->seed,
				 .scratch = slab->scratch,
				 .program = slab->program,
				 .err = &err };
	spec_assign(&specs[0], state);
	r = bench->setup ? bench->setup(state, &env) : 0;
	if (r == 0 && scripted) {
		done = measure_points(slab, specs, state, &env, scripted, &r);
	} else if (r == 0) {
		struct sampler_clock clock = machine_clock();
		slab->grain_ns = (double)clock.grain_ns;
		done = measure_watched(slab, specs, state, &env, &clock, &r);
	}
	if (r < 0)
		give_up(slab, done, r, err.text[0] ? err.text : r == -ETIME ? "the clock went backwards" : strerror(-r));
	if (bench->teardown)
		bench->teardown(state);
	slab->finished = 1;
}

void worker_main(int fd)
{
	struct slab *slab = slab_attach(fd);

	if (!slab)
		_exit(2);
	/* The parent may be gone already, and may rightly be process 1: compare with who it was. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != slab->parent)
		_exit(2);
	close(fd);
	/* A random distance on the stack: layout is a factor that must vary from process to process. */
	struct random random = { slab->seed };
	volatile char *pad = alloca(16 + 16 * random_below(&random, 256));
	pad[0] = 0;
	worker_measure(slab, NULL);
	_exit(0);
}
