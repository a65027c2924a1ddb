/* The monotonic clock that measurements read, and what reading it costs.
 *
 * CLOCK_MONOTONIC_RAW is preferred, since nobody slews it; old kernels and some architectures serve it by a real system
 * call only, and then CLOCK_MONOTONIC (slewed by up to 500 ppm, adjtimex(2)) is the lesser evil. The choice is made
 * once in a process, on first use, from a few hundred reads.
 */
#ifndef MACHINE_TIMER_H
#define MACHINE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

struct timer_facts {
	const char *name;       /* "CLOCK_MONOTONIC_RAW" or "CLOCK_MONOTONIC"; static */
	bool vdso;              /* a read does not enter the kernel */
	double cost_ns;         /* of one timer_now_ns, median */
	double grain_ns;        /* smallest positive step seen; NaN when the clock did not step within 20 ms */
	double syscall_cost_ns; /* of the same clock read by a forced system call, median */
};

/* Nanoseconds since some point in the past; never goes backwards. */
uint64_t timer_now_ns(void);

/* Measures the chosen clock; takes 1 to 25 ms. */
void timer_self_test(struct timer_facts *ret_facts);

#endif
