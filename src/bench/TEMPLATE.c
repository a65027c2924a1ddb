/* example.random: some bytes from the kernel's random number generator.
 *
 * (This file is a bench that works, to be copied to src/bench/FOLDER/FILE.c; doc/adding-a-benchmark.md goes through it.
 * The build compiles it and a test runs it, but assay does not have it. This comment becomes the documentation.)
 *
 * One operation: one getrandom of `size` bytes (getrandom), or one read of as many from /dev/urandom (device).
 * Counted: the libc function, the system call, making the bytes.
 * Not counted: opening the device.
 * Distortions: newer kernels with a getrandom in the vDSO, and a libc that uses it, need no system call for it.
 * Ancestor: none; lmbench has nothing of the kind.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/bench.h"

enum { GETRANDOM, DEVICE };
enum { MOST_BYTES = 256 }; /* so much getrandom gives in one piece, whatever signals come: getrandom(2) */

/* Everything the bench knows. It begins zeroed, with the params in place. */
struct example {
	uint64_t size;
	void (*loop)(struct example *example, uint64_t n);
	int fd;
	bool is_open; /* 0 is a descriptor like any other: a zeroed state must not look open */
	uint64_t bytes_got;
	uint64_t failed;
	int first_errno;
	unsigned char block[MOST_BYTES];
};

/* Neither forgiven nor told here: run has no time for it. check tells. */
static inline void note(struct example *example, ssize_t got)
{
	if (__builtin_expect(got >= 0, 1))
		example->bytes_got += (uint64_t)got;
	else if (example->failed++ == 0)
		example->first_errno = errno;
}

/* The variant is chosen before the clock starts: a loop of its own for each, and no question inside. */
static void loop_getrandom(struct example *example, uint64_t n)
{
	for (; n; n--)
		note(example, getrandom(example->block, example->size, 0));
}

static void loop_device(struct example *example, uint64_t n)
{
	for (; n; n--)
		note(example, read(example->fd, example->block, example->size));
}

static int setup(void *state, struct bench_env *env)
{
	struct example *example = state;

	example->loop = env->variant == DEVICE ? loop_device : loop_getrandom;
	if (env->variant != DEVICE)
		return 0;
	example->fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (example->fd < 0) /* this machine cannot: the point is skipped, with these words */
		return err_set(env->err, -EOPNOTSUPP, "unavailable: cannot open /dev/urandom: %s", strerror(errno));
	example->is_open = true;
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct example *example = state;

	example->loop(example, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct example *example = state;

	if (example->failed)
		return err_sys(env->err, -example->first_errno, "random bytes were refused %llu times in %llu",
			       (unsigned long long)example->failed, (unsigned long long)ops);
	if (example->bytes_got != ops * example->size)
		return err_set(env->err, -EIO, "%llu random bytes instead of %llu",
			       (unsigned long long)example->bytes_got, (unsigned long long)(ops * example->size));
	return 0;
}

/* Also called after a setup that failed half way. */
static void teardown(void *state)
{
	struct example *example = state;

	if (example->is_open)
		close(example->fd);
	example->is_open = false;
}

static const struct param params[] = {
	{ "size", "bytes asked for", PARAM_SIZE, offsetof(struct example, size), 1, MOST_BYTES, 16, NULL },
	{ 0 },
};

static const struct variant variants[] = {
	[GETRANDOM] = { "getrandom", "a getrandom" },
	[DEVICE] = { "device", "a read from /dev/urandom" },
	{ 0 },
};

static const struct bench example_random = {
	.name = "example.random",
	.title = "some bytes from the kernel's random number generator",
	.unit = BENCH_NS, /* for BENCH_BYTES_PER_SEC also .bytes: how many one operation moves */
	.class = CLASS_OS,
	.params = params,
	.variants = variants,
	.state_size = sizeof(struct example),
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	/* What few need (.needs, .curve, .peers, .granule, .prepare, .remark …) stands in harness/bench.h. */
};
BENCH_REGISTER(example_random);
