/* vm.page_fault: the first touch of a page that the system has to put in place.
 *
 * file: one operation is the read of a word of a mapped file that is in the page cache but not yet in the page table
 * (a minor fault). The kernel maps the neighbours within 64 KiB along (fault-around, mm/memory.c: madvise does not
 * stop it), so only one page of each such window is touched, in random order, and the fault pays for its window.
 * anon: the first write to a page of anonymous memory, one page in 64 KiB, huge pages off: the fault includes clearing
 * the page. As many minor faults as operations, give or take 1 %, or the figure is refused. Mapping and unmapping happen
 * before a batch, outside the clock.
 *
 * Ancestry: lmbench's lat_pagefault, which divides by pages although up to 16 come with one fault.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "harness/bench.h"
#include "kit/order.h"
#include "kit/scratch.h"

enum { OF_FILE, OF_ANON };
enum { WINDOWS = 512, WINDOW_BYTES = 64 << 10 };

struct fault {
	unsigned variant;
	int fd;
	char *map;
	uint32_t order[WINDOWS];
	uint64_t wrong; /* bytes that were not what the file holds */
	uint64_t faults;
	int error;
};

static uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt;
}

static int prepare(void *state, uint64_t n)
{
	struct fault *s = state;
	size_t length = (size_t)WINDOWS * WINDOW_BYTES;
	int flags = s->variant == OF_ANON ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

	(void)n;
	if (s->map)
		munmap(s->map, length);
	s->map = mmap(NULL, length, PROT_READ | (s->variant == OF_ANON ? PROT_WRITE : 0), flags, s->fd, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return -errno;
	}
	if (s->variant == OF_ANON)
		madvise(s->map, length, MADV_NOHUGEPAGE);
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct fault *s = state;
	uint64_t before = minor_faults();

	for (uint64_t i = 0; i < n; i++) {
		volatile char *page = s->map + (size_t)s->order[i] * WINDOW_BYTES;
		if (s->variant == OF_ANON)
			*page = 1;
		else
			s->wrong += *(volatile uint64_t *)page != (uint64_t)s->order[i] * WINDOW_BYTES / 8;
	}
	s->faults += minor_faults() - before;
}

static int setup(void *state, struct bench_env *env)
{
	struct fault *s = state;

	s->variant = env->variant;
	order_shuffle(s->order, WINDOWS, env->seed);
	s->fd = -1;
	if (s->variant == OF_FILE)
		s->fd = scratch_file(env->scratch, "faults", (uint64_t)WINDOWS * WINDOW_BYTES, env->err);
	return s->variant == OF_FILE && s->fd < 0 ? s->fd : 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct fault *s = state;

	if (s->wrong)
		return err_set(env->err, -EIO, "%llu pages did not hold what was written to the file",
			       (unsigned long long)s->wrong);
	if (s->faults < ops - ops / 100 || s->faults > ops + ops / 100 + 1)
		return err_set(env->err, -EIO, "%llu page faults for %llu pages: the kernel maps several with one fault",
			       (unsigned long long)s->faults, (unsigned long long)ops);
	return 0;
}

static const struct variant variants[] = {
	[OF_FILE] = { "file", "first read of a page of a mapped, cached file" },
	[OF_ANON] = { "anon", "first write to an anonymous page" },
	{ 0 },
};

static const struct bench vm_page_fault = {
	.name = "vm.page_fault",
	.title = "minor page fault",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.needs = NEED_SCRATCH,
	.variants = variants,
	.max_ops = WINDOWS,
	.state_size = sizeof(struct fault),
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
BENCH_REGISTER(vm_page_fault);
