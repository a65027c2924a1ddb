/* fs.mmap_bw: a file that is in the page cache, summed through a mapping.
 *
 * One operation: the sum of the 8-byte words of the next 64 KiB of a shared read-only mapping of `size` bytes, gone
 * through in order, round and round. Set-up touches every page once, so that page faults are not in the figure. What
 * comes from a disk is counted, and more than 1 % of it fails the point.
 *
 * Ancestry: lmbench's bw_mmap_rd mmap_only.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/scratch.h"
#include "kit/sum.h"

enum { BLOCK = 64 << 10 };

struct mmap_bw {
	uint64_t size;
	const uint64_t *map;
	uint64_t at, sum, done;
	uint64_t disk_bytes; /* that this process had read from storage before the first batch */
};

static void run(void *state, uint64_t n)
{
	struct mmap_bw *s = state;

	s->done += n;
	for (; n; n--) {
		s->sum += sum_words(s->map + s->at / 8, BLOCK / 8);
		s->at = s->at + BLOCK < s->size ? s->at + BLOCK : 0;
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct mmap_bw *s = state;

	if (s->size % BLOCK)
		return err_set(env->err, -EINVAL, "size is %llu bytes, but must be a multiple of 64k",
			       (unsigned long long)s->size);
	int fd = scratch_file(env->scratch, "map", s->size, env->err);
	if (fd < 0)
		return fd;
	void *map = mmap(NULL, s->size, PROT_READ, MAP_SHARED, fd, 0);
	int r = map == MAP_FAILED ? -errno : 0;
	close(fd);
	if (r < 0)
		return err_sys(env->err, r, "mapping %llu bytes of a file", (unsigned long long)s->size);
	s->map = map;
	uint64_t sum = sum_words(s->map, s->size / 8);
	BENCH_KEEP(sum);
	s->disk_bytes = scratch_disk_bytes();
	return 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct mmap_bw *s = state;
	uint64_t blocks = s->size / BLOCK, words = BLOCK / 8;
	uint64_t expected = ops / blocks * scratch_sum(0, s->size / 8) + scratch_sum(0, ops % blocks * words);

	if (s->done != ops || s->sum != expected)
		return err_set(env->err, -EIO, "the words mapped do not add up to what was written");
	if (scratch_disk_bytes() - s->disk_bytes > ops * BLOCK / 100)
		return err_set(env->err, -EIO, "%llu bytes came from the disk: the file does not stay in the page cache; "
			       "choose a smaller size", (unsigned long long)(scratch_disk_bytes() - s->disk_bytes));
	return 0;
}

static uint64_t bytes(const void *state)
{
	(void)state;
	return BLOCK;
}

static const struct param params[] = {
	{ "size", "bytes of the file", PARAM_SIZE, offsetof(struct mmap_bw, size), BLOCK, UINT64_C(16) << 30, 64 << 20,
	  NULL },
	{ 0 },
};

static const struct bench fs_mmap_bw = {
	.name = "fs.mmap_bw",
	.title = "sum 64 KiB of a mapped, cached file",
	.unit = BENCH_BYTES_PER_SEC,
	.class = CLASS_OS,
	.needs = NEED_SCRATCH,
	.params = params,
	.state_size = sizeof(struct mmap_bw),
	.setup = setup,
	.run = run,
	.check = check,
	.bytes = bytes,
};
BENCH_REGISTER(fs_mmap_bw);
