#include "sense/clockprobe.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
	UNROLL = 64, /* the loop around the chain runs beside it where two instructions are issued in a cycle;
			elsewhere it costs 2 of 66 cycles */
	BATCH_NS = 50000,
	MAX_BATCHES = 4096,
	MAX_LOOPS = 1 << 22, /* a clock that has not moved after so many (0.1 s) will not */
};

/* Loop and chain are one piece of assembly, so that no compiler flag, not even -O0 or a sanitizer, can change what is
 * timed. Register + register with a value that is not known: adding an immediate, moving and clearing are done away
 * with by the renamer of recent cores. */
#if defined(__x86_64__)
#define LOOP(op) "1:\n\t.rept 64\n\t" op "\n\t.endr\n\tdec %1\n\tjnz 1b"
#define ADD "add %0, %0"
#define MUL "imul %0, %0"
#elif defined(__aarch64__)
#define LOOP(op) "1:\n\t.rept 64\n\t" op "\n\t.endr\n\tsubs %1, %1, #1\n\tb.ne 1b"
#define ADD "add %0, %0, %0"
#define MUL "mul %0, %0, %0"
#elif defined(__riscv) && __riscv_xlen == 64
#define LOOP(op) "1:\n\t.rept 64\n\t" op "\n\t.endr\n\taddi %1, %1, -1\n\tbnez %1, 1b"
#define ADD "add %0, %0, %0"
#define MUL "mul %0, %0, %0"
#elif defined(__s390x__)
#define LOOP(op) "1:\n\t.rept 64\n\t" op "\n\t.endr\n\tbrctg %1, 1b"
#define ADD "agr %0, %0"
#define MUL "msgr %0, %0"
#elif defined(__loongarch__) && __loongarch_grlen == 64
#define LOOP(op) "1:\n\t.rept 64\n\t" op "\n\t.endr\n\taddi.d %1, %1, -1\n\tbnez %1, 1b"
#define ADD "add.d %0, %0, %0"
#define MUL "mul.d %0, %0, %0"
#elif defined(__powerpc64__)
#define LOOP(op) "1:\n\t.rept 64\n\t" op "\n\t.endr\n\taddic. %1, %1, -1\n\tbne 1b"
#define ADD "add %0, %0, %0"
#define MUL "mulld %0, %0, %0"
#define ADD_CYCLES_UNKNOWN /* 2 on POWER8 and POWER9, more on POWER10 */
#endif

#ifdef LOOP
#if defined(__powerpc64__)
#define CLOBBERS "cr0", "xer", "memory"
#else
#define CLOBBERS "cc", "memory"
#endif
static void add_chain(uint64_t loops)
{
	uint64_t value = loops | 1;

	__asm__ volatile(LOOP(ADD) : "+r"(value), "+r"(loops) : : CLOBBERS);
}

static void mul_chain(uint64_t loops)
{
	uint64_t value = loops | 1;

	__asm__ volatile(LOOP(MUL) : "+r"(value), "+r"(loops) : : CLOBBERS);
}

typedef void chain_function(uint64_t loops);

static uint64_t elapsed(chain_function *chain, uint64_t loops, uint64_t (*now_ns)(void *clock), void *clock)
{
	uint64_t begin = now_ns(clock);

	chain(loops);
	uint64_t end = now_ns(clock);
	return end > begin ? end - begin : 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nanoseconds of one operation of the chain: delays only ever add, so the fast end of the batches is the clock; the
 * decile rather than the minimum, which a single misread clock would own. NaN when the clock stands still. */
static double step_ns(chain_function *chain, uint64_t (*now_ns)(void *clock), void *clock, uint64_t budget_ns)
{
	auto_free double *batch = mem_new(MAX_BATCHES, sizeof *batch);
	uint64_t loops = 16, begin = now_ns(clock);
	size_t count = 0;

	while (elapsed(chain, loops, now_ns, clock) < BATCH_NS) {
		loops *= 2;
		if (loops > MAX_LOOPS)
			return NAN;
	}
	do {
		uint64_t took = elapsed(chain, loops, now_ns, clock);
		batch[count++] = took ? (double)took / ((double)loops * UNROLL) : INFINITY;
	} while (count < MAX_BATCHES && now_ns(clock) - begin < budget_ns);
	qsort(batch, count, sizeof *batch, ascending);
	return isfinite(batch[count / 10]) ? batch[count / 10] : NAN;
}
#endif

double clockprobe_hz(uint64_t (*now_ns)(void *clock), void *clock, uint64_t budget_ns)
{
#if defined(LOOP) && !defined(ADD_CYCLES_UNKNOWN)
	return 1e9 / step_ns(add_chain, now_ns, clock, budget_ns);
#else
	(void)now_ns, (void)clock, (void)budget_ns;
	return NAN;
#endif
}

double clockprobe_ratio_mul(uint64_t (*now_ns)(void *clock), void *clock, uint64_t budget_ns)
{
#ifdef LOOP
	double add = step_ns(add_chain, now_ns, clock, budget_ns / 2);

	return step_ns(mul_chain, now_ns, clock, budget_ns / 2) / add;
#else
	(void)now_ns, (void)clock, (void)budget_ns;
	return NAN;
#endif
}
