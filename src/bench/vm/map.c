/* vm.map: a file mapped, touched here and there, and unmapped.
 *
 * One operation: mmap the first `size` bytes of a cached file shared and writable, write one byte every 16 KiB in the
 * first tenth of it, munmap. So it is one mapping, size/160 KiB write faults, and taking it all down again. The distance
 * of 16 KiB is lmbench's, from the days of its largest pages: with larger pages than that, faults are fewer. The bytes
 * written change from mapping to mapping, and the file must hold the last of them in the end.
 *
 * Ancestry: lmbench's lat_mmap, whose table value is the one of its largest size; here the size stands in the id.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

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

	for (; n && !s->fault; n--) {
		char byte = (char)(s->done + 1);
		volatile char *at = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
		if (at == MAP_FAILED) {
			s->fault = -errno;
			return;
		}
		for (uint64_t i = 0; i < s->size / 10; i += STRIDE)
			at[i] = byte;
		if (munmap((void *)at, s->size) < 0)
			s->fault = -errno;
		s->done++;
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct map *s = state;

	s->fd = scratch_file(env->scratch, "map", s->size, env->err);
	return s->fd < 0 ? s->fd : 0;
}

/* Bytes that are not what the last mapping wrote there. */
static uint64_t count_lost(const struct map *s)
{
	uint64_t lost = 0;

	for (uint64_t i = 0; s->done && i < s->size / 10; i += STRIDE) {
		char byte = 0;
		lost += pread(s->fd, &byte, 1, (off_t)i) != 1 || byte != (char)s->done;
	}
	return lost;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct map *s = state;

	if (s->fault)
		return err_sys(env->err, s->fault, "mapping %llu bytes of a file in %s", (unsigned long long)s->size,
			       env->scratch);
	uint64_t lost = count_lost(s);
	if (lost)
		return err_set(env->err, -EIO, "%llu bytes written through the mapping are not in the file",
			       (unsigned long long)lost);
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
