/* The clock of the core while it works: dependent additions per second, each of which takes one cycle.
 *
 * One operation is one `add` of two registers that needs the sum of the one before. Register form: additions of a
 * constant, moves and zeroings are removed by the renamer of recent cores (Golden Cove, Zen). One cycle an addition is
 * an assumption that no clock can prove; cpu.op:int64_mul beside it ought to be a small whole number of cycles.
 *
 * This is the clock of this moment on this CPU, turbo included; it is neither the nominal one nor that of the time
 * stamp counter. Ancestry: lmbench's mhz.
 */
#include <errno.h>

#include "harness/bench.h"

enum { UNROLL = 128 };

struct clock {
	uint64_t sum, addend, done;
};

static int clock_setup(void *state, struct bench_env *env)
{
	struct clock *s = state;

	s->addend = env->seed | 1;
	return 0;
}

/* The empty barrier keeps the compiler from adding 128 × addend at once; it emits no instruction. */
#define ADD sum += addend; BENCH_KEEP(sum);
#define ADD8 ADD ADD ADD ADD ADD ADD ADD ADD
#define ADD64 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8

static void clock_run(void *state, uint64_t n)
{
	struct clock *s = state;
	uint64_t sum = s->sum, addend = s->addend;

	BENCH_KEEP(addend);
	s->done += n;
	for (; n; n -= UNROLL) {
		ADD64 ADD64
	}
	s->sum = sum;
}

static int clock_check(void *state, uint64_t ops, struct bench_env *env)
{
	struct clock *s = state;

	if (s->done != ops || s->sum != ops * s->addend)
		return err_set(env->err, -EIO, "%llu additions were asked for and the sum is another",
			       (unsigned long long)ops);
	return 0;
}

static const struct bench cpu_clock = {
	.name = "cpu.clock",
	.title = "dependent addition: the core clock",
	.unit = BENCH_HZ,
	.class = CLASS_CPU,
	.state_size = sizeof(struct clock),
	.granule = UNROLL,
	.setup = clock_setup,
	.run = clock_run,
	.check = clock_check,
};

BENCH_REGISTER(cpu_clock);
