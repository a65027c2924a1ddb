/* What a measurement is: plain structs that producer (harness), keeper (store) and teller (report) share.
 *
 * Ownership: strings and arrays belong to the struct that holds them; *_done frees them. Numbers that were not
 * measured are NaN, never zero.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict { VERDICT_OK, VERDICT_NOISY, VERDICT_UNTRUSTED, VERDICT_SKIPPED, VERDICT_FAILED };
enum { VERDICT_COUNT = VERDICT_FAILED + 1 };

const char *verdict_name(enum verdict verdict);
int verdict_parse(const char *name, enum verdict *ret_verdict); /* 0 or -EINVAL */

enum better { BETTER_NONE, BETTER_LESS, BETTER_MORE };
const char *better_name(enum better better); /* "none", "less", "more" */

/* Units of values as they stand in records and JSON: "ns", "B/s", "Hz", "B", "pages", "ratio", "count". */
enum better unit_better(const char *unit);

/* A fact about how still the machine stood while something was measured. */
struct condition {
	char *id; /* "runqueue.wait", "clock.drift", … */
	char *unit;
	double value;
	double threshold; /* what value may reach; NaN when the condition is only told */
	enum verdict verdict;
	char *text; /* words for a person when verdict is not ok, else NULL */
};

enum { QUANTILES = 21 }; /* 0, 5, … 100 % */

/* What one worker process measured of one point in one round. Values are in the point's unit. */
struct process {
	unsigned round;
	int cpu;
	enum verdict outcome; /* ok, skipped or failed: estimates judge the rest */
	char *reason;         /* for the latter two */
	uint64_t n;           /* operations per batch */
	bool paired;          /* batches are differences between 2n and n operations */
	bool steady;          /* the warm-up reached a steady state */
	bool half_sample;     /* the location is the half-sample mode, since over 30 % of the batches were disturbed */
	double location;      /* the process's value: median (or half-sample mode) of its batches */
	double mean, min, max;
	double noise;             /* 1 − typical time / mean time: share of the time that disturbances took */
	double clock_hz;          /* core clock beside it (dependent add chain); NaN when unknown */
	double quantile[QUANTILES];
	double *batch; /* values in the order measured; NULL when not kept */
	size_t batches; /* how many were measured, kept or not */
	struct condition *condition;
	size_t conditions;
	char *remark; /* the bench's own remark about what was measured, or NULL */
};

struct point {
	char *id; /* bench[:variant]/key=value,… */
	char *title;
	char *unit;
	enum better better;
	double target_pct; /* half-width of the interval aimed at */
	double min_cycles; /* physical bound, 0 when none is known */
	bool derived;      /* computed per round from other points */
	char **source;     /* their ids */
	size_t sources;

	double value, low, high; /* NaN when there is none; low and high need 6 processes */
	double confidence;       /* of low…high: 0.95 */
	double cycles, cycles_low, cycles_high; /* of one operation at the clock measured beside it; NaN when unknown */
	double noise;
	uint64_t samples; /* batches */
	unsigned rounds;  /* processes with a value */
	enum verdict verdict;
	char *reason; /* always there unless verdict is ok */
	char *note;   /* a remark that does not touch the verdict, or NULL */

	struct process *process;
	size_t processes;
	size_t process_capacity;
};

struct label {
	char *key, *value;
};

struct run {
	char id[37];       /* UUIDv7 (RFC 9562) */
	char *name;        /* given by the user, or NULL */
	struct label *label;
	size_t labels;
	int64_t started_ms; /* Unix time */
	int64_t ended_ms;   /* 0 while it is not complete */
	bool complete;
	char *reason;       /* why it is not complete, or NULL */
	uint64_t seed;
	char *set;          /* "classic", "quick" or "selection" */
	char *selection;    /* selectors as given, blank between them; NULL for a set */
	char *options;      /* JSON object of what resuming needs (budget, precision, placement …) */
	uint64_t budget_ns;
	unsigned rounds;    /* planned */
	char *method;       /* version of the method, "1" */
	char *version;      /* of assay */
	char *machine;      /* JSON document, as `assay machine --json` prints it */
	struct condition *condition;
	size_t conditions;
	struct point *point;
	size_t points;
	size_t point_capacity;
};

void run_done(struct run *run);
void point_done(struct point *point);
void process_done(struct process *process);
void condition_done(struct condition *condition);

/* Adds an empty point with this id (copied) and returns it; pointers to other points may move. */
struct point *run_add_point(struct run *run, const char *id);
struct point *run_find_point(const struct run *run, const char *id); /* NULL when there is none */

/* Takes over what *process owns. */
void point_add_process(struct point *point, struct process *process);

/* Adds a copy of a condition; text may be NULL. */
void condition_add(struct condition **array, size_t *count, const char *id, const char *unit, double value,
		   double threshold, enum verdict verdict, const char *text);

#endif
