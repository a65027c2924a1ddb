/* vm.map: a file mapped, touched here and there, and unmapped.
 *
 * One operation: mmap the first `size` bytes of a cached file shared and writable, write one byte every 16 KiB in the
 * first tenth of it, munmap. So it is one mapping, size/160 KiB write faults, and taking it all down again. The distance
 * of 16 KiB is lmbench's, from the days of its largest pages: with larger pages than that, faults are fewer.
 *
 * Ancestry: lmbench's lat_mmap, whose table value is the one of its largest size; here the size stands in the id.
 */
#include <errno.h>
#include <sys/mman.h>

#include "harness/bench.h"
#include "kit/scratch.h"

enum { STRIDE = 16 << 10 };

struct map {
	uint64_t size;
	int fd;
	uint64_t done;
	int fault;
};

static void run(void *state, uint64_t n)
{
	struct map *s = state;

	for (; n; n--) {
		volatile char *at = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
		if (at == MAP_FAILED) {
			s->fault = -errno;
			return;
		}
		for (uint64_t i = 0; i < s->size / 10; i += STRIDE)
			at[i] = 1;
		munmap((void *)at, s->size);
		s->done++;
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct map *s = state;

	s->fd = scratch_file(env->scratch, "map", s->size, env->err);
	return s->fd < 0 ? s->fd : 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct map *s = state;

	if (s->fault)
		return err_sys(env->err, s->fault, "mapping %llu bytes of a file in %s", (unsigned long long)s->size,
			       env->scratch);
	return s->done == ops ? 0 : err_set(env->err, -EIO, "%llu mappings instead of %llu",
					    (unsigned long long)s->done, (unsigned long long)ops);
}

static const struct param params[] = {
	{ "size", "bytes mapped", PARAM_SIZE, offsetof(struct map, size), 64 << 10, UINT64_C(16) << 30, 4 << 20, NULL },
	{ 0 },
};

static const struct bench vm_map = {
	.name = "vm.map",
	.title = "map a file, write here and there, unmap it",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.needs = NEED_SCRATCH,
	.params = params,
	.state_size = sizeof(struct map),
	.setup = setup,
	.run = run,
	.check = check,
};
BENCH_REGISTER(vm_map);
