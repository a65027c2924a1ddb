/* What happened to a process while it was being timed: was the CPU taken away, slowed or throttled?
 *
 * Begin and end stand around the timed section of one worker process and read counters of the kernel: some hundred
 * microseconds each, so never between batches. What cannot be known on a machine is left out of the conditions, never
 * told as zero.
 */
#ifndef SENSE_WATCH_H
#define SENSE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* Counters since some fixed moment; NaN where this machine does not tell. */
struct watch_reading {
	uint64_t at_ns;
	double wait_ns;     /* runnable, but not running */
	double involuntary; /* switches */
	double faults_minor, faults_major;
	double steal_ticks, ticks; /* of the watched CPU */
	double cgroup_throttled;   /* periods, own control group and those above it */
	double thermal_throttled;  /* events of the watched CPU's core */
};

struct watch {
	uint64_t (*now_ns)(void *clock);
	void *clock;
	int cpu;
	struct watch_reading begin;
	double clock_before_hz, clock_after_hz;
	uint64_t gaps_watched_ns, gaps_lost_ns, gaps_longest_ns;
};

/* Watches the calling thread and this CPU (−1: all CPUs together, for steal). CLOCK_MONOTONIC tells the time. */
void watch_begin(struct watch *watch, int cpu);

/* The same with the caller's clock, which must live until the end. */
void watch_begin_by(struct watch *watch, int cpu, uint64_t (*now_ns)(void *clock), void *clock);

/* The core clock measured before and after (sense/clockprobe.h); NaN in either: no drift is told. */
void watch_clock(struct watch *watch, double before_hz, double after_hz);

/* Reads the clock without a pause for duration_ns and notes where more than 1 µs is missing between two readings:
 * somebody else had the CPU (another process, an interrupt, firmware, the hypervisor). Between begin and end, outside
 * of batches; may be called several times. */
void watch_gaps(struct watch *watch, uint64_t duration_ns);

/* Adds what was seen to an array of conditions. gives_up_cpu: blocking is part of the operation, so that waiting and
 * being switched are only told, not judged. */
void watch_end(struct watch *watch, bool gives_up_cpu, struct condition **array, size_t *count);

#endif
