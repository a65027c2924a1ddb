/* self.faulty: fails in every way a bench can fail, to see that none of them becomes a number. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "harness/bench.h"

enum { IN_SETUP, IN_CHECK, UNAVAILABLE, CRASH, LEAVE };

struct faulty {
	uint64_t ops;
	unsigned variant;
};

static int setup(void *state, struct bench_env *env)
{
	struct faulty *faulty = state;

	faulty->variant = env->variant;
	if (env->variant == IN_SETUP)
		return err_set(env->err, -EIO, "the set-up failed, as asked");
	if (env->variant == UNAVAILABLE)
		return err_set(env->err, -EOPNOTSUPP, "unavailable: as asked");
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct faulty *faulty = state;

	faulty->ops += n;
	for (uint64_t i = n; i; i--)
		BENCH_KEEP(i);
	if (faulty->ops < 100000)
		return;
	if (faulty->variant == CRASH)
		raise(SIGSEGV);
	if (faulty->variant == LEAVE)
		_exit(7);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct faulty *faulty = state;

	(void)ops;
	return faulty->variant == IN_CHECK ? err_set(env->err, -EIO, "the work was not done, as asked") : 0;
}

static const struct variant variants[] = {
	[IN_SETUP] = { "setup", "setup fails" },
	[IN_CHECK] = { "check", "check fails" },
	[UNAVAILABLE] = { "unavailable", "the machine cannot" },
	[CRASH] = { "crash", "the worker is ended by a signal" },
	[LEAVE] = { "exit", "the worker leaves in mid-measurement" },
	{ 0 },
};

static const struct bench self_faulty = {
	.name = "self.faulty",
	.title = "an operation that fails",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.hidden = true,
	.variants = variants,
	.state_size = sizeof(struct faulty),
	.setup = setup,
	.run = run,
	.check = check,
};
BENCH_REGISTER(self_faulty);
