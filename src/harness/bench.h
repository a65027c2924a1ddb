/* What a bench is, and the only header of the harness that a bench may include.
 *
 * A bench is one file that ends in one `static const struct bench` handed to BENCH_REGISTER. It never prints, parses
 * arguments, reads a clock, averages or exits. How to write one: doc/adding-a-benchmark.md and bench/TEMPLATE.c.
 *
 * Life in one process: zeroed state → params assigned → setup → run in batches → check → teardown → _exit. A bench
 * with a `curve` param stays in one process for all its values: the param is assigned anew, move is called, and the
 * batches follow, values ascending.
 */
#ifndef HARNESS_BENCH_H
#define HARNESS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum bench_unit {
	BENCH_NS,            /* time of one operation; less is better */
	BENCH_BYTES_PER_SEC, /* bytes(state) of one operation over its time; more is better */
	BENCH_HZ,            /* operations per second; more is better */
};

enum bench_need {
	NEED_ROOT = 1 << 0,
	NEED_LOOPBACK = 1 << 1, /* the lo interface is up */
	NEED_SCRATCH = 1 << 2,  /* a writable directory; env->scratch names it, the harness removes it afterwards */
	NEED_SHELL = 1 << 3,    /* /bin/sh */
};

/* How precise the figure is meant to become: half-width of the interval in percent (doc/method.md). */
enum bench_class { CLASS_CPU, CLASS_OS, CLASS_DISK };

enum param_type { PARAM_COUNT, PARAM_SIZE, PARAM_CHOICE };

/* As `initial` of a PARAM_SIZE: a working set that no cache holds, max(4 × last-level cache, 256 MiB) within a
 * quarter of the memory that may be used (copies need two of them). The plan puts the real number of bytes into the point's id. */
#define PARAM_MEMORY UINT64_MAX

struct param {
	const char *name;
	const char *help;
	enum param_type type;
	size_t offset; /* of a uint64_t in the state: the count, the bytes, or the index of the choice */
	uint64_t low, high, initial;
	const char *const *choices; /* NULL-terminated, for PARAM_CHOICE */
};

struct variant {
	const char *name;
	const char *title; /* what one operation is, when it differs from the bench's title */
	unsigned needs;    /* besides those of the bench */
};

/* What the harness hands to setup. Pointers are valid until teardown. */
struct bench_env {
	unsigned variant;    /* index into variants, 0 when there are none */
	int peer_cpu;        /* CPU for the other end of a ping-pong; -1: stay where this process is */
	uint64_t seed;       /* for whatever is random in this process (chains, orders) */
	const char *scratch; /* with NEED_SCRATCH: an empty directory of this process's own */
	const char *program; /* this executable, for benches that start a process */
	struct err *err;     /* one sentence for the reader when a callback returns a negative errno */
};

struct bench {
	const char *name;  /* "ipc.pipe" lives in bench/ipc/pipe.c */
	const char *title; /* what one operation is, in one line */
	enum bench_unit unit;
	enum bench_class class;
	unsigned needs;
	const struct param *params;     /* ended by a row without a name; NULL for none */
	const struct variant *variants; /* ended by a row without a name; NULL for none */
	const char *curve;              /* the param that one process sweeps; NULL for none */
	unsigned per_octave;           /* values of the curve per doubling, 1…4, from low to initial; 0: every one */
	size_t state_size;

	bool peers;        /* a second process takes part: `place=cross` puts it on another CPU */
	bool gives_up_cpu; /* blocking or switching is part of the operation: waiting for the CPU is no disturbance */
	bool hidden;       /* self.* benches, for tests of the harness: not listed, not in sets */
	unsigned granule;  /* run is always asked for a multiple of this many operations; 0 means 1 */
	uint64_t min_ops;  /* at least this many operations are timed per process; 0 means no such floor */
	uint64_t max_ops;  /* the most operations one batch may have; 0 means no such limit */
	double min_cycles; /* fewer core cycles per operation than this are impossible (dependent chain: 0.9,
			      throughput: 0.125); 0 means no bound is known */

	/* 0 or a negative errno with a sentence in env->err. setup may return -EOPNOTSUPP for "this machine cannot":
	 * the point is then skipped with that sentence, not failed. */
	int (*setup)(void *state, struct bench_env *env);
	int (*move)(void *state, struct bench_env *env); /* the curve param has its next (larger) value */

	/* Called outside the clock before each batch of n operations (make the files that the batch will delete). */
	int (*prepare)(void *state, uint64_t n);

	/* The operation exactly n times: allocates nothing, decides nothing. What goes wrong is remembered in the state
	 * and told by check. */
	void (*run)(void *state, uint64_t n);

	/* Was the work really done? ops: all operations run since setup. 0 or a negative errno with a sentence. */
	int (*check)(void *state, uint64_t ops, struct bench_env *env);

	/* Undoes what outlives the process; must accept a half-done setup. */
	void (*teardown)(void *state);

	uint64_t (*bytes)(const void *state); /* bytes that one operation moves, for BENCH_BYTES_PER_SEC */

	/* A remark about what was really measured ("4 KiB pages: no huge page was given"), or NULL. Static text. */
	const char *(*remark)(const void *state);
};

/* Pointers are registered, not structs: compilers pad structs in sections. */
#define BENCH_REGISTER(symbol) \
	static const struct bench *const bench_pointer_##symbol \
		__attribute__((used, retain, section("assay_benches"))) = &symbol

/* Keeps the compiler from knowing what value is, or from dropping the work that made it. */
#define BENCH_KEEP(value) __asm__ volatile("" : "+r"(value) : : "memory")

#endif
