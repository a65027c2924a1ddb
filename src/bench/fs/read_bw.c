/* fs.read_bw: a file that is in the page cache, read again and summed.
 *
 * One operation: pread of the next 64 KiB of a file of `size` bytes, and the sum of its 8-byte words; the file is gone
 * through in order, round and round. bytes are counted once, although they are copied out of the page cache and then
 * loaded. The file was just written, so it is in the cache unless memory is short: what comes from a disk is counted,
 * and more than 1 % of it fails the point.
 *
 * Ancestry: lmbench's bw_file_rd io_only.
 */
#include <errno.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/scratch.h"
#include "kit/sum.h"

enum { BLOCK = 64 << 10 };

struct read_bw {
	uint64_t size;
	int fd;
	uint64_t at, sum, done;
	int fault;
	uint64_t disk_bytes; /* that this process had read from storage before the first batch */
	uint64_t block[BLOCK / 8];
};

static void run(void *state, uint64_t n)
{
	struct read_bw *s = state;

	for (; n; n--) {
		ssize_t got = pread(s->fd, s->block, BLOCK, (off_t)s->at);
		if (got != BLOCK) {
			s->fault = got < 0 ? -errno : -EIO;
			return;
		}
		s->sum += sum_words(s->block, BLOCK / 8);
		s->done++;
		s->at = s->at + BLOCK < s->size ? s->at + BLOCK : 0;
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct read_bw *s = state;

	if (s->size % BLOCK)
		return err_set(env->err, -EINVAL, "size is %llu bytes, but must be a multiple of 64k",
			       (unsigned long long)s->size);
	s->fd = scratch_file(env->scratch, "read", s->size, env->err);
	s->disk_bytes = scratch_disk_bytes();
	return s->fd < 0 ? s->fd : 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct read_bw *s = state;
	uint64_t blocks = s->size / BLOCK, words = BLOCK / 8;
	uint64_t expected = ops / blocks * scratch_sum(0, s->size / 8) + scratch_sum(0, ops % blocks * words);

	if (s->fault)
		return err_sys(env->err, s->fault, "reading a file in %s", env->scratch);
	if (s->done != ops || s->sum != expected)
		return err_set(env->err, -EIO, "the words read do not add up to what was written");
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
	{ "size", "bytes of the file", PARAM_SIZE, offsetof(struct read_bw, size), BLOCK, UINT64_C(16) << 30, 64 << 20,
	  NULL },
	{ 0 },
};

static const struct bench fs_read_bw = {
	.name = "fs.read_bw",
	.title = "read 64 KiB of a cached file and sum them",
	.unit = BENCH_BYTES_PER_SEC,
	.class = CLASS_OS,
	.needs = NEED_SCRATCH,
	.params = params,
	.state_size = sizeof(struct read_bw),
	.setup = setup,
	.run = run,
	.check = check,
	.bytes = bytes,
};
BENCH_REGISTER(fs_read_bw);
