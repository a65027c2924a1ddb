#include "machine/timer.h"

#include <math.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A 32-bit kernel without time32 calls (riscv32) has only the newer number. */
#ifdef SYS_clock_gettime
#define CLOCK_CALL SYS_clock_gettime
#else
#define CLOCK_CALL SYS_clock_gettime64
#endif

enum {
	READS = 32,  /* in one batch: long enough that the clock's own grain does not matter */
	BATCHES = 25,
	STEPS = 2000,
	STEP_WAIT_NS = 20000000, /* jiffies at HZ=100 step every 10 ms */
};

static int chosen = -1; /* a clockid_t; chosen once in a process */

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void read_by_syscall(clockid_t clock)
{
	int64_t t[2]; /* large enough for either layout of timespec; what is in it does not matter */

	syscall(CLOCK_CALL, clock, t);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median over batches: an interrupt spoils the batch it falls into, no other. */
static double median_cost_ns(clockid_t clock, bool forced)
{
	double cost[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		uint64_t start = read_clock(CLOCK_MONOTONIC);
		for (int j = 0; j < READS; j++) {
			if (forced)
				read_by_syscall(clock);
			else
				read_clock(clock);
		}
		cost[i] = (double)(read_clock(CLOCK_MONOTONIC) - start) / READS;
	}
	qsort(cost, BATCHES, sizeof cost[0], by_value);
	return cost[BATCHES / 2];
}

/* RAW unless it is served by a system call while MONOTONIC is not. "A quarter" tells the two apart where entering the
 * kernel is dear; where it is cheap (no mitigations) the second test keeps a good RAW from being thrown away. */
static clockid_t choose(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC_RAW, &t) < 0)
		return CLOCK_MONOTONIC; /* before Linux 2.6.28, and some emulators */
	double raw = median_cost_ns(CLOCK_MONOTONIC_RAW, false);
	if (raw < median_cost_ns(CLOCK_MONOTONIC_RAW, true) / 4)
		return CLOCK_MONOTONIC_RAW;
	return raw <= 1.25 * median_cost_ns(CLOCK_MONOTONIC, false) ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
}

static clockid_t timer_clock(void)
{
	if (chosen < 0)
		chosen = (int)choose();
	return (clockid_t)chosen;
}

uint64_t timer_now_ns(void)
{
	return read_clock(timer_clock());
}

static double smallest_step_ns(clockid_t clock)
{
	uint64_t start = read_clock(clock), last = start, smallest = UINT64_MAX;

	for (int steps = 0; steps < STEPS && last - start < STEP_WAIT_NS; ) {
		uint64_t now = read_clock(clock);
		if (now > last) {
			smallest = now - last < smallest ? now - last : smallest;
			steps++;
		} else if (now < last) {
			break; /* a clock that steps back has no grain worth telling */
		}
		last = now;
	}
	return smallest == UINT64_MAX ? NAN : (double)smallest;
}

void timer_self_test(struct timer_facts *ret_facts)
{
	clockid_t clock = timer_clock();
	double cost = median_cost_ns(clock, false), forced = median_cost_ns(clock, true);

	*ret_facts = (struct timer_facts){
		.name = clock == CLOCK_MONOTONIC_RAW ? "CLOCK_MONOTONIC_RAW" : "CLOCK_MONOTONIC",
		/* The vDSO being mapped does not say that it serves this clock; the cost beside a system call's does. */
		.vdso = getauxval(AT_SYSINFO_EHDR) != 0 && cost < forced / 2,
		.cost_ns = cost,
		.grain_ns = smallest_step_ns(clock),
		.syscall_cost_ns = forced,
	};
}
