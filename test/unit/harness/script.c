#include "script.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "harness/bench.h"

struct script script;

static uint64_t now_ns(void *arg)
{
	struct script *s = arg;

	s->now_ns += (double)s->clock.cost_ns;
	uint64_t now = (uint64_t)s->now_ns;
	return now / s->clock.grain_ns * s->clock.grain_ns;
}

static double exponential(double mean)
{
	return -mean * log(1 - random_unit(&script.random));
}

void script_begin(void)
{
	script = (struct script){ .op_ns = 10,
				  .factor = 1,
				  .clock = { .now_ns = now_ns, .arg = &script, .cost_ns = 40, .grain_ns = 20 } };
	script_process(1);
}

void script_process(uint64_t seed)
{
	script.random.state = seed;
	script.level = 1 + script.between * random_normal(&script.random);
	script.began_ns = script.now_ns;
	script.last_jitter = script.jitter * random_normal(&script.random);
	script.next_interrupt_ns = script.interrupts_hz > 0 ? exponential(1e9 / script.interrupts_hz) : INFINITY;
	script.batches = 0;
	script.prepared = 0;
	script.prepared_right = true;
	script.factor = 1;
}

void script_work(double ns)
{
	while (ns >= script.next_interrupt_ns) {
		ns -= script.next_interrupt_ns;
		script.now_ns += script.next_interrupt_ns + exponential(script.interrupt_ns);
		script.next_interrupt_ns = exponential(1e9 / script.interrupts_hz);
	}
	script.next_interrupt_ns -= ns;
	script.now_ns += ns;
}

/* What an operation costs in this batch: what drifts is taken in the middle of it. */
static double cost_ns(uint64_t n)
{
	double cost = script.op_ns * script.level * script.factor, memory = script.jitter_memory;
	double age_ns = script.now_ns - script.began_ns + cost * (double)n / 2;

	if (script.jitter > 0) {
		script.last_jitter = memory * script.last_jitter +
				     sqrt(1 - memory * memory) * script.jitter * random_normal(&script.random);
		cost *= 1 + script.last_jitter;
	}
	if (script.warm_extra > 0)
		cost *= 1 + script.warm_extra * exp(-age_ns / script.warm_ns);
	cost *= 1 + script.ramp * age_ns / 1e9;
	if (script.slow_share > 0 && random_unit(&script.random) < script.slow_share)
		cost *= script.slow_factor;
	return cost;
}

void script_run(void *state, uint64_t n)
{
	double begin = script.now_ns;

	(void)state;
	script_work(script.batch_ns + (double)n * cost_ns(n));
	script.n[script.batches % SCRIPT_LOG] = n;
	script.length_ns[script.batches % SCRIPT_LOG] = script.now_ns - begin;
	script.batches++;
	script.prepared_right &= script.prepared == script.batches && script.prepared_n == n;
}

int script_prepare(void *state, uint64_t n)
{
	(void)state;
	script_work(script.prepare_ns);
	script.prepared++;
	script.prepared_n = n;
	return script.fail_prepare;
}

struct scripted {
	uint64_t machine, size;
};

static void visit(unsigned machine, uint64_t seed)
{
	script.seed[script.visits % SCRIPT_LOG] = seed;
	script.order[script.visits++ % SCRIPT_LOG] = machine;
	script_process(seed);
	script.now_ns += script.setup_ns;
	script.began_ns = script.now_ns;
	if (script.visits == script.interrupt_at)
		kill(getpid(), SIGTERM);
}

static int op_setup(void *state, struct bench_env *env)
{
	const struct scripted *scripted = state;

	visit((unsigned)scripted->machine, env->seed);
	if (script.unavailable[scripted->machine])
		return err_set(env->err, -EOPNOTSUPP, "unavailable: as scripted");
	if (!script.fail_setup[scripted->machine])
		return 0;
	script.fail_setup[scripted->machine]--;
	return err_set(env->err, -EIO, "the set-up failed, as scripted");
}

static int op_check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct scripted *scripted = state;

	(void)ops;
	if (!script.fail_check[scripted->machine])
		return 0;
	script.fail_check[scripted->machine]--;
	return err_set(env->err, -EIO, "the check failed, as scripted");
}

static const struct param op_params[] = {
	{ "machine", "which of many machines", PARAM_COUNT, offsetof(struct scripted, machine), 0, SCRIPT_MACHINES - 1, 0,
	  NULL },
	{ 0 },
};

static const struct bench script_op = {
	.name = "script.op",
	.title = "an operation of known cost",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.hidden = true,
	.params = op_params,
	.state_size = sizeof(struct scripted),
	.setup = op_setup,
	.run = script_run,
	.check = op_check,
};
BENCH_REGISTER(script_op);

static int curve_move(void *state, struct bench_env *env)
{
	const struct scripted *scripted = state;

	script.factor = (double)scripted->size;
	if (!script.fail_size || scripted->size < script.fail_size)
		return 0;
	return err_set(env->err, script.fail_code, "no room for %llu, as scripted", (unsigned long long)scripted->size);
}

static int curve_setup(void *state, struct bench_env *env)
{
	visit(SCRIPT_MACHINES, env->seed);
	return curve_move(state, env);
}

static const struct param curve_params[] = {
	{ "size", "how much of it", PARAM_SIZE, offsetof(struct scripted, size), 1, 1024, 16, NULL },
	{ 0 },
};

static const struct bench script_curve = {
	.name = "script.curve",
	.title = "an operation whose cost is proportional to its size",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.hidden = true,
	.params = curve_params,
	.curve = "size",
	.per_octave = 1,
	.state_size = sizeof(struct scripted),
	.setup = curve_setup,
	.move = curve_move,
	.run = script_run,
};
BENCH_REGISTER(script_curve);
