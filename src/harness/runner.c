#include "harness/runner.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/tree.h"
#include "harness/conditions.h"
#include "harness/derive.h"
#include "harness/estimate.h"
#include "harness/slab.h"

#define MS UINT64_C(1000000)

enum {
	BATCH_NS = 50 * 1000,
	TARGET_ROUNDS = 12,     /* rounds that a set's budget is cut into */
	FAILURES_ENOUGH = 2,    /* a job that fails this often without a value is not tried again */
};
static const uint64_t warm_ns = 10 * MS, warm_limit_ns = 60 * MS;
static const uint64_t measure_least_ns = 20 * MS, measure_most_ns = 150 * MS;
static const uint64_t curve_point_ns = 3 * MS;
static const uint64_t job_overhead_ns = 25 * MS;   /* start, set-up, warm-up, core clock: what a worker takes besides */
static const uint64_t curve_overhead_ns = 1200 * MS; /* large working sets must be mapped and filled */
static const uint64_t deadline_ns = UINT64_C(10) * 1000 * MS;

/* What is known of a job while the run goes on. */
struct job_state {
	bool calibrated[SLAB_POINTS];
	uint64_t n[SLAB_POINTS];
	bool paired[SLAB_POINTS];
	double batch_ns[SLAB_POINTS]; /* length of a batch of n, or of 2n when paired, in the latest process */
	bool measured;                /* some point has had a value */
	unsigned failures;            /* visits without any */
	bool over; /* skipped, or failed too often: not visited any more */
};

struct session {
	const struct runner *runner;
	struct run *run;
	struct job_state *job;
	size_t *order;
	uint64_t begin_ns, measure_ns, total_ns;
	unsigned round, rounds, rounds_now; /* rounds_now: complete ones of this session */
	uint64_t rounds_ns;                 /* time of those */
	unsigned recalled;                  /* rounds of earlier sessions */
	size_t known;                       /* visits that a resumed run need not make */
	int signal;
	struct err err; /* why the run could not go on */
};

static uint64_t wall_ns(const struct runner *runner)
{
	struct timespec now;

	if (runner->clock)
		return runner->clock->now_ns(runner->clock->arg);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int64_t unix_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void emit(struct session *s, struct event event)
{
	event.run = s->run;
	event.round = s->round;
	event.rounds = s->rounds;
	event.fixed_rounds = s->runner->rounds > 0;
	event.jobs = s->runner->plan->jobs;
	event.spent_ns = wall_ns(s->runner) - s->begin_ns;
	event.total_ns = s->total_ns;
	for (size_t i = 0; i < s->runner->sinks; i++)
		s->runner->sink[i].emit(s->runner->sink[i].arg, &event);
}

static const char *unit_name(enum bench_unit unit)
{
	static const char *const names[] = {
		[BENCH_NS] = "ns", [BENCH_BYTES_PER_SEC] = "B/s", [BENCH_HZ] = "Hz"
	};

	return names[unit];
}

static double class_target(enum bench_class class)
{
	static const double target_pct[] = { [CLASS_CPU] = 1, [CLASS_OS] = 2, [CLASS_DISK] = 5 };

	return target_pct[class];
}

static void add_points(struct session *s)
{
	const struct plan *plan = s->runner->plan;

	for (size_t i = 0; i < plan->jobs; i++) {
		for (size_t j = 0; j < plan->job[i].specs; j++) {
			const struct spec *spec = &plan->job[i].spec[j];
			auto_free char *id = spec_format(spec);
			struct point *point = run_find_point(s->run, id);
			if (!point)
				point = run_add_point(s->run, id);
			free(point->title);
			free(point->unit);
			point->title = mem_copy(spec_title(spec));
			point->unit = mem_copy(unit_name(spec->bench->unit));
			point->better = unit_better(point->unit);
			point->target_pct = s->runner->precision_pct > 0 ? s->runner->precision_pct
									  : class_target(spec->bench->class);
			point->min_cycles = spec->bench->min_cycles;
			if (spec->capped && !point->note)
				point->note = mem_copy("a quarter of the memory is less than the working set should be: it may "
						       "be inside the last-level cache");
		}
	}
	derive_plan(s->run);
}

static struct point *point_of(struct session *s, const struct job *job, size_t index)
{
	auto_free char *id = spec_format(&job->spec[index]);

	return run_find_point(s->run, id);
}

static bool measured_in(const struct point *point, unsigned round)
{
	for (size_t i = 0; i < point->processes; i++) {
		if (point->process[i].round == round)
			return true;
	}
	return false;
}

static void conclude(struct job_state *state, bool measured, bool skipped)
{
	state->measured |= measured;
	state->failures += !measured && !skipped;
	if (!state->measured && (skipped || state->failures >= FAILURES_ENOUGH))
		state->over = true;
}

/* A resumed run knows the batch sizes, failures and skips of the processes it already has. */
static void recall_job(struct session *s, size_t index)
{
	const struct job *job = &s->runner->plan->job[index];
	struct job_state *state = &s->job[index];
	bool skipped = false;

	for (size_t j = 0; j < job->specs; j++) {
		const struct point *point = point_of(s, job, j);
		for (size_t k = 0; k < point->processes; k++) {
			const struct process *process = &point->process[k];
			if (process->round >= s->recalled)
				s->recalled = process->round + 1;
			skipped |= process->outcome == VERDICT_SKIPPED;
			state->failures += j == 0 && process->outcome == VERDICT_FAILED;
			if (process->outcome != VERDICT_OK)
				continue;
			state->measured = true;
			state->calibrated[j] = true;
			state->n[j] = process->n;
			state->paired[j] = process->paired;
		}
	}
	if (skipped || state->failures >= FAILURES_ENOUGH)
		state->over = !state->measured;
}

static uint64_t measure_for(const struct session *s, const struct job *job)
{
	return job->specs > 1 ? curve_point_ns : s->measure_ns;
}

static int cpu_for(const struct session *s)
{
	const struct cpulist *cpus = s->runner->cpus;

	return cpus && cpus->count ? cpus->cpu[s->round % cpus->count] : -1;
}

static void fill_request(struct session *s, const struct job *job, const struct job_state *state, struct slab *slab)
{
	/* A seed of its own for every worker, the same when a run is repeated with its seed. */
	struct random random = { s->run->seed ^ (s->round + 1) * UINT64_C(0x9e3779b97f4a7c15) };
	for (const char *c = job->name; *c; c++)
		random.state = random_next(&random) ^ (uint64_t)*c;

	slab->seed = random_next(&random);
	slab->points = (uint32_t)job->specs;
	slab->cpu = cpu_for(s);
	slab->peer_cpu = -1;
	if (job->spec[0].cross && s->runner->peer_of)
		slab->peer_cpu = s->runner->peer_of(s->runner->peer_arg, slab->cpu);
	slab->batch_ns = BATCH_NS;
	slab->warm_ns = warm_ns;
	slab->warm_limit_ns = warm_limit_ns;
	slab->measure_ns = measure_for(s, job);
	for (size_t i = 0; i < job->specs; i++) {
		auto_free char *id = spec_format(&job->spec[i]);
		assert(strlen(id) < sizeof slab->point[i].id);
		strcpy(slab->point[i].id, id);
		slab->point[i].n = state->calibrated[i] ? state->n[i] : 0;
		slab->point[i].paired = state->paired[i];
	}
}

static int make_scratch(struct session *s, const struct spec *spec, struct slab *slab, struct err *err)
{
	if (!(spec_needs(spec) & NEED_SCRATCH))
		return 0;
	if (!s->runner->scratch)
		return err_set(err, -EOPNOTSUPP, "unavailable: no writable directory for files (set TMPDIR)");
	/* A name of its own: where a file system hashes names to places, every worker gets another one. */
	int length = snprintf(slab->scratch, sizeof slab->scratch, "%s/%016llx", s->runner->scratch,
			      (unsigned long long)slab->seed);
	int r = length >= (int)sizeof slab->scratch ? -ENAMETOOLONG : mkdir(slab->scratch, 0700) < 0 ? -errno : 0;
	if (r == 0)
		return 0;
	slab->scratch[0] = '\0'; /* not ours: nobody may remove it afterwards */
	return err_sys(err, r, "making a directory in %s", s->runner->scratch);
}

/* No figure comes of it, but what was timed before it went wrong is kept for whoever wants to know why. */
static void keep_failed(struct process *process, const struct slab_point *from, const struct slab *slab,
			const struct conversion *conversion)
{
	process->reason = mem_copy(from->reason);
	process->batch = mem_new(from->batches, sizeof *process->batch);
	process->batches = from->batches;
	for (uint64_t i = 0; i < from->batches; i++)
		process->batch[i] = convert_ns(conversion, slab->value[from->first + i]);
}

/* What the slab says of a point, as a process of the record. */
static struct process harvest(const struct session *s, const struct slab *slab, const struct slab_point *from,
			      const char *unit)
{
	struct conversion conversion = { .unit = unit,
					 .bytes = from->bytes,
					 .step_ns = slab->grain_ns / (double)(from->n ? from->n : 1) };
	struct process process = { .round = s->round, .cpu = slab->cpu, .n = from->n, .paired = from->paired,
				   .steady = from->steady, .clock_hz = slab->clock_hz, .location = NAN,
				   .mean = NAN, .min = NAN, .max = NAN, .noise = NAN };

	for (unsigned i = 0; i < QUANTILES; i++)
		process.quantile[i] = NAN;
	if (from->state == SLAB_MEASURED)
		process_summarise(&process, slab->value + from->first, from->batches, &conversion);
	else
		process.outcome = from->state == SLAB_SKIPPED ? VERDICT_SKIPPED : VERDICT_FAILED;
	if (process.outcome != VERDICT_OK)
		keep_failed(&process, from, slab, &conversion);
	if (from->remark[0])
		process.remark = mem_copy(from->remark);
	for (uint32_t i = 0; i < slab->conditions; i++) {
		const struct slab_condition *c = &slab->condition[i];
		condition_add(&process.condition, &process.conditions, c->id, c->unit, c->value, c->threshold,
			      (enum verdict)c->verdict, c->text[0] ? c->text : NULL);
	}
	return process;
}

/* Points that the worker did not come to, or was in when it ended. */
static void mark_lost(struct slab *slab, int code, const char *reason)
{
	for (uint32_t i = 0; i < slab->points; i++) {
		const struct slab_point *point = &slab->point[i];
		/* What it said itself of a point is the first cause, and stays. */
		if (point->state == SLAB_MEASURED || point->state == SLAB_SKIPPED || point->reason[0])
			continue;
		slab->point[i].state = code == -EOPNOTSUPP ? SLAB_SKIPPED : SLAB_FAILED;
		snprintf(slab->point[i].reason, sizeof slab->point[i].reason, "%s", reason);
	}
}

/* n stays as it is unless a batch has become half or twice as long as it should be, and calibrating anew has changed
 * that: granules, limits of the bench and grainy clocks make lengths of their own. */
static void learn(struct job_state *state, size_t index, const struct process *process, double batch_ns)
{
	double before_ns = state->batch_ns[index];

	if (process->outcome != VERDICT_OK)
		return;
	bool aimed = batch_ns > 0.5 * BATCH_NS && batch_ns < 2.0 * BATCH_NS;
	bool as_before = batch_ns > 0.5 * before_ns && batch_ns < 2.0 * before_ns;
	state->calibrated[index] = aimed || as_before;
	state->batch_ns[index] = batch_ns;
	state->n[index] = process->n;
	state->paired[index] = process->paired;
}

static double batch_length_ns(const struct slab *slab, const struct slab_point *point)
{
	if (point->state != SLAB_MEASURED || !point->batches)
		return NAN;
	/* The middle batch in time stands for all: exactness does not matter here. */
	double per_op = slab->value[point->first + point->batches / 2];
	return per_op * (double)point->n * (point->paired ? 2 : 1);
}

static void take_results(struct session *s, size_t index, struct slab *slab)
{
	const struct job *job = &s->runner->plan->job[index];
	auto_free struct event_entry *entry = mem_new(job->specs, sizeof *entry);
	bool measured = false, skipped = false;

	for (size_t i = 0; i < job->specs; i++) {
		struct point *point = point_of(s, job, i);
		struct process process = harvest(s, slab, &slab->point[i], point->unit);
		learn(&s->job[index], i, &process, batch_length_ns(slab, &slab->point[i]));
		measured |= process.outcome == VERDICT_OK;
		skipped |= process.outcome == VERDICT_SKIPPED;
		point_add_process(point, &process);
		entry[i].point = point;
		entry[i].process = &point->process[point->processes - 1];
	}
	conclude(&s->job[index], measured, skipped);
	emit(s, (struct event){ .kind = EVENT_WORKER, .job = job->name, .entry = entry, .entries = job->specs });
	for (size_t i = 0; i < job->specs && !s->runner->keep_batches; i++) {
		struct point *point = point_of(s, job, i);
		free(point->process[point->processes - 1].batch);
		point->process[point->processes - 1].batch = NULL;
	}
}

/* Generous, since a busy machine is slow; larger working sets are filled at 100 MB/s or more. */
static uint64_t deadline_for(const struct session *s, const struct job *job)
{
	const struct spec *last = &job->spec[job->specs - 1];
	uint64_t bytes = 0;

	for (unsigned i = 0; last->bench->params && last->bench->params[i].name; i++) {
		if (last->bench->params[i].type == PARAM_SIZE && last->value[i] > bytes)
			bytes = last->value[i];
	}
	return deadline_ns + job->specs * 10 * measure_for(s, job) + bytes * 10;
}

/* One visit of a job. False when the run must end. */
static bool visit(struct session *s, size_t index)
{
	const struct job *job = &s->runner->plan->job[index];
	struct err err = { { 0 } };
	int fd = -1;

	if (measured_in(point_of(s, job, 0), s->round)) {
		s->known++;
		return true;
	}
	if (s->job[index].over)
		return true;
	struct slab *slab = slab_new(&fd, &s->err);
	if (!slab)
		return false;
	fill_request(s, job, &s->job[index], slab);
	int r = make_scratch(s, &job->spec[0], slab, &err);
	enum spawn_end end = SPAWN_DIED;
	if (r == 0 && job->spec[0].cross && slab->peer_cpu < 0)
		r = err_set(&err, -EOPNOTSUPP, "unavailable: place=cross needs a second CPU");
	if (r == 0)
		end = spawn_worker(s->runner->spawn, slab, fd, deadline_for(s, job), &s->signal, &err);
	if (slab->scratch[0])
		tree_remove(slab->scratch); /* what stays goes with the directory of the run */
	close(fd);
	if (end == SPAWN_INTERRUPTED) {
		slab_free(slab);
		return false;
	}
	if (end != SPAWN_FINISHED)
		mark_lost(slab, r, err.text);
	take_results(s, index, slab);
	slab_free(slab);
	if (!s->signal)
		s->signal = spawn_pending_signal();
	return !s->signal;
}

static bool reached_precision(struct session *s)
{
	for (size_t i = 0; i < s->run->points; i++) {
		struct point *point = &s->run->point[i];
		estimate_point(point);
		if (point->verdict >= VERDICT_SKIPPED)
			continue;
		if (!(point_half_width_pct(point) <= point->target_pct))
			return false;
	}
	return true;
}

/* How many rounds it will be, from what rounds have cost so far. The values play no part in it except through
 * reached_precision, which looks at all points together: a stop per point would cost coverage. */
static void choose_rounds(struct session *s)
{
	const struct runner *runner = s->runner;
	uint64_t spent = wall_ns(s->runner) - s->begin_ns;
	unsigned done = s->round + 1;

	if (!s->rounds_now)
		return; /* a resumed run that has not measured a whole round yet */
	uint64_t round_ns = s->rounds_ns / s->rounds_now;
	if (runner->rounds) {
		if (runner->budget_binds && spent >= runner->budget_ns)
			s->rounds = done;
		s->total_ns = spent + (s->rounds > done ? s->rounds - done : 0) * round_ns;
		return;
	}
	if (s->rounds_now == 1 && round_ns * TARGET_ROUNDS / 2 > runner->budget_ns)
		s->measure_ns = s->measure_ns / 4 > 2 * MS ? s->measure_ns / 4 : 2 * MS;
	/* Earlier sessions have had their share of the budget. */
	uint64_t used = spent + s->recalled * round_ns;
	double left = used < runner->budget_ns ? (double)(runner->budget_ns - used) : 0;
	double more = left / (double)(round_ns ? round_ns : 1) + 0.5;
	s->rounds = done + (more > ROUNDS_MOST ? ROUNDS_MOST : (unsigned)more);
	if (s->rounds > ROUNDS_MOST)
		s->rounds = ROUNDS_MOST > done ? ROUNDS_MOST : done;
	s->total_ns = spent + (s->rounds - done) * round_ns;
	if (!runner->fill_budget && done >= ROUNDS_BEFORE_STOP && reached_precision(s))
		s->rounds = done;
}

static bool run_round(struct session *s)
{
	const struct plan *plan = s->runner->plan;
	struct random random = { s->run->seed + s->round * UINT64_C(0xd1342543de82ef95) };
	uint64_t begin = wall_ns(s->runner);
	size_t known = s->known;

	for (size_t i = 0; i < plan->jobs; i++)
		s->order[i] = i;
	random_shuffle(&random, s->order, plan->jobs, sizeof *s->order);
	for (size_t i = 0; i < plan->jobs; i++) {
		if (!visit(s, s->order[i]))
			return false;
	}
	derive_round(s->run, s->round);
	/* What a round costs is told by whole ones only. */
	if (s->known == known) {
		s->rounds_ns += wall_ns(s->runner) - begin;
		s->rounds_now++;
	}
	choose_rounds(s);
	emit(s, (struct event){ .kind = EVENT_ROUND, .jobs_done = plan->jobs });
	return true;
}

static uint64_t measure_time(const struct runner *runner)
{
	uint64_t fixed = 0;
	size_t single = 0;

	for (size_t i = 0; i < runner->plan->jobs; i++) {
		size_t specs = runner->plan->job[i].specs;
		if (specs > 1)
			fixed += curve_overhead_ns + specs * 2 * curve_point_ns;
		else
			single++;
	}
	unsigned rounds = runner->rounds ? runner->rounds : TARGET_ROUNDS;
	uint64_t round_ns = runner->budget_ns / rounds;
	uint64_t left = round_ns > fixed ? round_ns - fixed : 0;
	uint64_t each = single ? left / single : measure_most_ns;
	each = each > job_overhead_ns ? each - job_overhead_ns : 0;
	if (each < measure_least_ns)
		each = measure_least_ns;
	return each > measure_most_ns ? measure_most_ns : each;
}

uint64_t runner_announce_ns(const struct runner *runner)
{
	uint64_t round_ns = 0, each = measure_time(runner);

	for (size_t i = 0; i < runner->plan->jobs; i++) {
		size_t specs = runner->plan->job[i].specs;
		round_ns += specs > 1 ? curve_overhead_ns + specs * 2 * curve_point_ns : each + job_overhead_ns;
	}
	if (runner->rounds)
		return runner->rounds * round_ns;
	return ROUNDS_MOST * round_ns < runner->budget_ns ? ROUNDS_MOST * round_ns : runner->budget_ns;
}

static void note_remarks(struct run *run)
{
	for (size_t i = 0; i < run->points; i++) {
		struct point *point = &run->point[i];
		const char *remark = NULL;
		for (size_t j = 0; j < point->processes && !remark; j++)
			remark = point->process[j].remark;
		if (!remark || (point->note && strstr(point->note, remark)))
			continue;
		char *both = mem_text("%s%s%s", point->note ? point->note : "", point->note ? "; " : "", remark);
		free(point->note);
		point->note = both;
	}
}

int runner_run(const struct runner *runner, struct run *run, int *ret_signal, struct err *err)
{
	struct session s = { .runner = runner, .run = run, .begin_ns = wall_ns(runner) };

	if (!runner->plan->jobs)
		return err_set(err, -EINVAL, "there is nothing to measure");
	s.measure_ns = measure_time(runner);
	s.total_ns = runner_announce_ns(runner);
	s.rounds = runner->rounds ? runner->rounds : TARGET_ROUNDS;
	s.job = mem_new(runner->plan->jobs, sizeof *s.job);
	s.order = mem_new(runner->plan->jobs, sizeof *s.order);
	add_points(&s);
	for (size_t i = 0; i < runner->plan->jobs; i++)
		recall_job(&s, i);
	/* A round that was begun is completed: all points have the same number. */
	if (!runner->rounds && s.rounds < s.recalled)
		s.rounds = s.recalled;
	if (!runner->rounds && s.rounds < run->rounds)
		s.rounds = run->rounds;
	emit(&s, (struct event){ .kind = EVENT_PLANNED });
	bool complete = true;
	for (s.round = 0; complete && s.round < s.rounds; s.round++)
		complete = run_round(&s);
	if (!complete)
		derive_round(run, s.round - 1);
	run->rounds = s.rounds;
	run->complete = complete;
	free(run->reason);
	run->reason = NULL;
	if (!complete)
		run->reason = s.signal ? mem_text("ended by %s", strsignal(s.signal)) : mem_copy(s.err.text);
	run->ended_ms = unix_ms();
	note_remarks(run);
	summarise_conditions(run);
	estimate_run(run);
	emit(&s, (struct event){ .kind = EVENT_ENDED });
	*ret_signal = s.signal;
	free(s.job);
	free(s.order);
	return 0;
}
