/* Carries a plan out: rounds over all jobs in shuffled order, a fresh worker for each, results as they come. */
#ifndef HARNESS_RUNNER_H
#define HARNESS_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "harness/plan.h"
#include "harness/spawn.h"
#include "record/record.h"

enum { ROUNDS_FEWEST = 6, ROUNDS_BEFORE_STOP = 9, ROUNDS_MOST = 30 };

struct event_entry {
	const struct point *point;
	const struct process *process;
};

struct event {
	enum {
		EVENT_PLANNED, /* points are in the run, nothing is measured; *total_ns is announced */
		EVENT_WORKER,  /* one worker has ended: entry[0 … entries − 1] are new */
		EVENT_ROUND,   /* a round is complete */
		EVENT_ENDED,   /* estimates are made, the run is complete or says why not */
	} kind;
	const struct run *run;
	unsigned round, rounds; /* current (from 0) and planned */
	bool fixed_rounds;      /* by the user */
	size_t jobs_done, jobs; /* within the round */
	const char *job;        /* that has just ended */
	uint64_t spent_ns, total_ns; /* so far, and expected in all */
	const struct event_entry *entry;
	size_t entries;
};

struct sink {
	/* A negative errno is noted by the caller's own means; the run goes on. */
	void (*emit)(void *arg, const struct event *event);
	void *arg;
};

struct runner {
	const struct plan *plan;
	const struct spawn *spawn;
	const struct sink *sink;
	size_t sinks;
	const struct cpulist *cpus; /* to rotate over; none: placement is left to the kernel */
	int (*peer_of)(void *arg, int cpu); /* another CPU for place=cross, −1 when there is none */
	void *peer_arg;
	const char *scratch; /* writable directory of this run, for benches that need one; NULL for none */
	uint64_t budget_ns;
	unsigned rounds;      /* fixed by the user; 0: as many as the budget allows */
	bool budget_binds;    /* also where rounds are fixed: then it is whichever ends first */
	double precision_pct; /* stop when every point has reached it (0: their own targets); see fill_budget */
	bool fill_budget;     /* sets: use the whole budget, so that runs of a set are alike */
	bool keep_batches;    /* in the run, after they were emitted */
	const struct sampler_clock *clock; /* for budget and progress; NULL: the machine's */
};

/* Measures; run holds seed and, when it is resumed, the processes of earlier sessions, which are not measured again.
 * Always leaves estimates in run. *ret_signal: the signal that ended it early, else 0. 0 or a negative errno when
 * nothing could be started at all. */
int runner_run(const struct runner *runner, struct run *run, int *ret_signal, struct err *err);

/* What a run of this plan is going to take, as far as can be told before it has begun. */
uint64_t runner_announce_ns(const struct runner *runner);

#endif
