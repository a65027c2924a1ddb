/* A machine that follows a script: its clock moves only when it is read and when a scripted bench works, by amounts
 * that the test has chosen, so that the truth is known to the last digit. No real time, no processes, fixed seeds.
 *
 * There is one machine per test program, since benches are handed nothing. script_begin makes it anew; the fields may
 * then be set.
 */
#ifndef TEST_UNIT_HARNESS_SCRIPT_H
#define TEST_UNIT_HARNESS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "harness/sampler.h"

enum { SCRIPT_LOG = 1 << 16, SCRIPT_MACHINES = 1024 };

struct script {
	/* One batch of n operations takes batch_ns + n · op_ns, changed by what follows. */
	double op_ns, batch_ns;
	double jitter;        /* relative deviation from batch to batch */
	double jitter_memory; /* its AR(1) coefficient */
	double interrupts_hz; /* how often work is interrupted (Poisson) … */
	double interrupt_ns;  /* … and for how long (exponential, mean) */
	double between;       /* relative deviation of the level from process to process */
	double warm_extra;    /* cost is 1 + warm_extra · e^(−t/warm_ns), t since the process began */
	double warm_ns;
	double ramp;          /* relative growth of the cost per second since the process began */
	double slow_share;    /* this share of the batches … */
	double slow_factor;   /* … costs so much more */
	double setup_ns, prepare_ns;

	/* script.op, by its machine param: how many first visits fail, in setup or in check, or cannot be had. */
	unsigned fail_setup[SCRIPT_MACHINES], fail_check[SCRIPT_MACHINES];
	bool unavailable[SCRIPT_MACHINES];
	uint64_t fail_size; /* script.curve cannot move to this size and more, 0 for none … */
	int fail_code;      /* … with this negative errno */
	int fail_prepare;   /* what script_prepare answers */
	unsigned interrupt_at; /* this visit sends the process SIGTERM, 0 for none */

	/* What happened. */
	unsigned visits;
	unsigned order[SCRIPT_LOG]; /* machine param of every visit of script.op; SCRIPT_MACHINES for script.curve */
	uint64_t seed[SCRIPT_LOG];      /* and what the process was given for its random choices */
	uint64_t batches, n[SCRIPT_LOG]; /* operations of every batch of the current process */
	double length_ns[SCRIPT_LOG];    /* and its time without the reading of the clock */
	uint64_t prepared, prepared_n;   /* calls of script_prepare, and the last one's n */
	bool prepared_right;             /* before every batch, once, with its n */

	struct sampler_clock clock;
	struct random random;
	double now_ns, began_ns, next_interrupt_ns, level, last_jitter;
	double factor; /* script.curve: of the size */
};
extern struct script script;

/* A quiet machine whose clock costs 40 ns and steps by 20 ns; an operation takes 10 ns. */
void script_begin(void);

/* A new process on it: its own level, cold caches, its own disturbances. */
void script_process(uint64_t seed);

/* For benches of the test's own. The state is not looked at. */
void script_run(void *state, uint64_t n);
int script_prepare(void *state, uint64_t n);

/* Advances the clock by this much work, interruptions included. */
void script_work(double ns);

#endif
