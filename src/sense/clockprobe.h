/* The clock of the core, measured without counters or privileges: a chain of dependent additions takes one cycle each.
 *
 * It is the truth about cycles only where such an addition has a latency of one cycle: x86-64, AArch64, RISC-V,
 * s390x and LoongArch cores. POWER cores take two or more, depending on the model: there it is not known (NaN).
 */
#ifndef SENSE_CLOCKPROBE_H
#define SENSE_CLOCKPROBE_H

#include <stdint.h>

/* Core clock in Hz: the fastest decile of batches of about 50 µs, for budget_ns of time (one batch at the least).
 * NaN when this architecture's chain is not known, or the clock did not move. */
double clockprobe_hz(uint64_t (*now_ns)(void *clock), void *clock, uint64_t budget_ns);

/* Sanity of the probe, since it cannot prove itself: time of a dependent multiplication over that of an addition.
 * The latency of a multiplication in cycles, 3 on most x86-64 cores, 2 to 5 elsewhere. NaN as above. */
double clockprobe_ratio_mul(uint64_t (*now_ns)(void *clock), void *clock, uint64_t budget_ns);

#endif
