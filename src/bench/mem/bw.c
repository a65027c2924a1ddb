/* Memory bandwidth of one core: how fast bytes are read, written or copied by loops that do nothing else.
 *
 * One operation is one block (32 KiB; the whole buffer for libc_copy or where it is smaller); blocks follow each other through the
 * buffer, round and round, so a buffer beyond the last cache comes from memory each time. bytes are those requested:
 * a copy counts each byte once, as lmbench's bw_mem does, although it is read and written.
 *
 * Bytes moved between cache and memory are more: read 1×; write 2× (the line is read first) or 1× with streaming
 * stores; copy 3×, or 2× with streaming stores. Buffers larger than the last cache are written with streaming stores
 * unless `stores` says otherwise; the remark names loop and stores. libc_copy is libc's memcpy, one call for the whole
 * buffer, so that its own change to streaming stores, which depends on the length of a call, is part of the figure.
 *
 * Checked: the sum of all words read, the words written, the copy against its source. Ancestry: lmbench's bw_mem (whose
 * rd, wr and cp touch one word in four, and whose loops are scalar), likwid-bench, STREAM (whose rules these loops do
 * not follow: don't call them that).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/bench.h"
#include "kit/buffer.h"
#include "kit/kernels.h"

enum { BLOCK = 32 << 10 };
enum { READ, WRITE, COPY, LIBC_COPY };
enum { STORES_AUTO, STORES_CACHED, STORES_STREAMING };

static const uint64_t PATTERN = UINT64_C(0x9e3779b97f4a7c15);

struct bw {
	uint64_t size, page, kernel, stores;
	struct buffer buffer; /* source, then target */
	unsigned char *source, *target;
	size_t block, used; /* used: the part of size that whole blocks fill */
	size_t position;    /* of the next block */
	uint64_t sum, done;
	const struct kernels *loops;
	bool streaming;
	unsigned variant;
	char remark[128];
};

static int choose_loops(struct bw *s, struct bench_env *env)
{
	const char *name = kernel_choices[s->kernel];
	bool beyond = s->size > kernels_last_cache_bytes();

	s->loops = kernels_choose((unsigned)s->kernel, beyond);
	if (!s->loops)
		return err_set(env->err, -EOPNOTSUPP, "unavailable: this CPU or build has no %s loops", name);
	s->streaming = s->stores == STORES_STREAMING ||
		       (s->stores == STORES_AUTO && s->loops->copy_streaming && beyond);
	if (s->streaming && !s->loops->copy_streaming)
		return err_set(env->err, -EOPNOTSUPP, "unavailable: the %s loops have no streaming stores",
			       s->loops->name);
	return 0;
}

static void make_remark(struct bw *s)
{
	const char *pages = buffer_remark(&s->buffer);
	bool stores = s->variant == WRITE || s->variant == COPY;

	if (s->variant == LIBC_COPY)
		snprintf(s->remark, sizeof s->remark, "%s", pages ? pages : "");
	else
		snprintf(s->remark, sizeof s->remark, "%s loop%s%s%s%s", s->loops->name, stores ? ", " : "",
			 !stores ? "" : s->streaming ? "streaming stores" : "stores through the cache",
			 pages ? "; " : "", pages ? pages : "");
}

static int bw_setup(void *state, struct bench_env *env)
{
	struct bw *s = state;
	bool two = env->variant == COPY || env->variant == LIBC_COPY;
	/* An odd number of lines between the two: at the same offset into their pages, loads would be taken for
	 * dependent on earlier stores (4 KiB aliasing), and the copy measured at its worst. */
	size_t gap = two ? 1088 : 0;
	int r = choose_loops(s, env);

	if (r < 0)
		return r;
	s->variant = env->variant;
	s->block = (s->size < BLOCK || s->variant == LIBC_COPY ? s->size : BLOCK) / KERNEL_STEP * KERNEL_STEP;
	s->used = s->size / s->block * s->block;
	r = buffer_map(&s->buffer, two ? 2 * s->used + gap : s->used, (enum buffer_pages)s->page, env->err);
	if (r < 0)
		return r;
	s->source = s->target = s->buffer.at;
	if (two)
		s->target += s->used + gap;
	for (size_t i = 0; i < s->used / 8; i++)
		((uint64_t *)s->source)[i] = i * PATTERN;
	make_remark(s);
	return 0;
}

static size_t step(struct bw *s)
{
	size_t at = s->position;

	s->position = at + s->block == s->used ? 0 : at + s->block;
	return at;
}

static void bw_run(void *state, uint64_t n)
{
	struct bw *s = state;
	const struct kernels *k = s->loops;
	void (*write)(void *, size_t, uint64_t) = s->streaming ? k->write_streaming : k->write;
	void (*copy)(void *, const void *, size_t) = s->streaming ? k->copy_streaming : k->copy;

	s->done += n;
	switch (s->variant) {
	case READ:
		while (n--)
			s->sum += k->read(s->source + step(s), s->block);
		break;
	case WRITE:
		while (n--)
			write(s->target + step(s), s->block, PATTERN);
		break;
	case COPY:
		while (n--) {
			size_t at = step(s);

			copy(s->target + at, s->source + at, s->block);
		}
		break;
	case LIBC_COPY:
		while (n--) {
			size_t at = step(s);

			memcpy(s->target + at, s->source + at, s->block);
		}
		break;
	}
	if (s->streaming && k->fence)
		k->fence();
}

/* What ops blocks of the pattern add up to, word by word: not the way the loops add. */
static uint64_t expected_sum(const struct bw *s, uint64_t ops)
{
	uint64_t blocks = s->used / s->block, whole = 0, part = 0;

	for (uint64_t i = 0; i < s->used / 8; i++) {
		whole += i * PATTERN;
		if (i < ops % blocks * (s->block / 8))
			part += i * PATTERN;
	}
	return ops / blocks * whole + part;
}

static int bw_check(void *state, uint64_t ops, struct bench_env *env)
{
	struct bw *s = state;
	uint64_t blocks = s->used / s->block;
	size_t words = (ops < blocks ? ops : blocks) * (s->block / 8);

	if (s->done != ops)
		return err_set(env->err, -EIO, "%llu blocks were asked for and %llu moved", (unsigned long long)ops,
			       (unsigned long long)s->done);
	if (s->variant == READ)
		return s->sum == expected_sum(s, ops) ? 0 : err_set(env->err, -EIO,
			"the words read by the %s loop do not add up: some were not loaded", s->loops->name);
	for (size_t i = 0; i < words; i++) {
		uint64_t want = s->variant == WRITE ? PATTERN : i * PATTERN;

		if (((uint64_t *)s->target)[i] != want)
			return err_set(env->err, -EIO, "byte %zu of the target is not what was stored there", i * 8);
	}
	return 0;
}

static void bw_teardown(void *state)
{
	buffer_done(&((struct bw *)state)->buffer);
}

static uint64_t bw_bytes(const void *state)
{
	return ((const struct bw *)state)->block;
}

static const char *bw_remark(const void *state)
{
	const struct bw *s = state;

	return s->remark[0] ? s->remark : NULL;
}

static const char *const stores[] = { "auto", "cached", "streaming", NULL };

static const struct param params[] = {
	{ "size", "bytes of each buffer", PARAM_SIZE, offsetof(struct bw, size), KERNEL_STEP, UINT64_C(64) << 30,
	  PARAM_MEMORY, NULL },
	{ "page", "kind of pages", PARAM_CHOICE, offsetof(struct bw, page), 0, 1, BUFFER_HUGE, buffer_page_choices },
	{ "kernel", "loop to use; auto: the widest that helps", PARAM_CHOICE, offsetof(struct bw, kernel), 0, 5,
	  0, kernel_choices },
	{ "stores", "auto: streaming when a buffer exceeds the last cache", PARAM_CHOICE, offsetof(struct bw, stores),
	  0, 2, STORES_AUTO, stores },
	{ 0 },
};

static const struct variant variants[] = {
	{ "read", "read a block of up to 32 KiB" },
	{ "write", "write a block of up to 32 KiB" },
	{ "copy", "copy a block of up to 32 KiB" },
	{ "libc_copy", "copy the whole buffer with libc's memcpy" },
	{ 0 },
};

static const struct bench mem_bw = {
	.name = "mem.bw",
	.title = "read, write or copy a block of up to 32 KiB",
	.unit = BENCH_BYTES_PER_SEC,
	.class = CLASS_CPU,
	.params = params,
	.variants = variants,
	.state_size = sizeof(struct bw),
	.setup = bw_setup,
	.run = bw_run,
	.check = bw_check,
	.teardown = bw_teardown,
	.bytes = bw_bytes,
	.remark = bw_remark,
};

BENCH_REGISTER(mem_bw);
