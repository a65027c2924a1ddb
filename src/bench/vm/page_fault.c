/* vm.page_fault: the first touch of a page that the system has to put in place.
 *
 * file: one operation is the read of a word of a mapped file that is in the page cache but not yet in the page table
 * (a minor fault). The kernel maps the neighbours within 64 KiB along (fault-around, mm/memory.c: madvise does not
 * stop it), so only one page of each such window is touched, in random order, and the fault pays for its window.
 * anon: the first write to a page of anonymous memory, one page in 64 KiB, huge pages off: the fault includes clearing
 * the page. As many minor faults as operations, give or take 1 %, or the figure is refused. Outside the clock, before a
 * batch: unmapping, mapping, and one touch for each page of page tables, which are not made in the figure; how many a
 * batch would need depends on its length.
 *
 * Ancestry: lmbench's lat_pagefault, which divides by pages although up to 16 come with one fault.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/order.h"
#include "kit/scratch.h"

enum { OF_FILE, OF_ANON };
enum { WINDOWS = 512, WINDOW_BYTES = 64 << 10, MOST_FAULTS = 480 /* WINDOWS less those for page tables */ };

struct fault {
	unsigned variant;
	int fd;
	char *map;
	uint32_t order[WINDOWS];  /* windows that are touched in run */
	uint32_t tables[WINDOWS]; /* windows that are touched before, so that each page of page tables is there */
	uint32_t ordered, tabled;
	uint64_t wrong; /* bytes that were not what the file holds */
	uint64_t faults; /* of all batches up to the last */
	uint64_t mark;   /* minor faults of this process when the last batch began */
	bool marked;
	struct err *err; /* for prepare */
};

static uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt;
}

static void touch(struct fault *s, uint32_t window)
{
	volatile char *page = s->map + (size_t)window * WINDOW_BYTES;

	if (s->variant == OF_ANON)
		*page = 1;
	else
		s->wrong += *(volatile uint64_t *)page != (uint64_t)window * WINDOW_BYTES / 8;
}

/* getrusage is a system call: kept out of run, at the price of the odd fault between batches. */
static void count_batch(struct fault *s)
{
	if (s->marked)
		s->faults += minor_faults() - s->mark;
	s->marked = false;
}

static int prepare(void *state, uint64_t n)
{
	struct fault *s = state;
	size_t length = (size_t)WINDOWS * WINDOW_BYTES;
	int flags = s->variant == OF_ANON ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

	(void)n;
	count_batch(s);
	if (s->map)
		munmap(s->map, length);
	s->map = mmap(NULL, length, PROT_READ | (s->variant == OF_ANON ? PROT_WRITE : 0), flags, s->fd, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return err_sys(s->err, -errno, "mapping %zu bytes", length);
	}
	if (s->variant == OF_ANON)
		madvise(s->map, length, MADV_NOHUGEPAGE);
	for (uint32_t i = 0; i < s->tabled; i++)
		touch(s, s->tables[i]);
	s->mark = minor_faults();
	s->marked = true;
	return 0;
}

static void run(void *state, uint64_t n)
{
	struct fault *s = state;

	for (uint64_t i = 0; i < n; i++)
		touch(s, s->order[i]);
}

/* A page of page tables maps page/8 pages. The mapping need not begin where one does: hence the last window too. */
static void split_windows(struct fault *s, uint64_t seed)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), each = page / 8 * page / WINDOW_BYTES;

	order_shuffle(s->order, WINDOWS, seed);
	for (uint32_t i = 0; i < WINDOWS; i++) {
		uint32_t window = s->order[i];
		if (window % each == 0 || window == WINDOWS - 1)
			s->tables[s->tabled++] = window;
		else
			s->order[s->ordered++] = window;
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct fault *s = state;

	s->variant = env->variant;
	s->err = env->err;
	split_windows(s, env->seed);
	s->fd = -1;
	if (s->variant == OF_FILE)
		s->fd = scratch_file(env->scratch, "faults", (uint64_t)WINDOWS * WINDOW_BYTES, env->err);
	return s->variant == OF_FILE && s->fd < 0 ? s->fd : 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct fault *s = state;

	count_batch(s);
	if (s->wrong)
		return err_set(env->err, -EIO, "%llu pages did not hold what was written to the file",
			       (unsigned long long)s->wrong);
	if (s->faults < ops - ops / 100 || s->faults > ops + ops / 100 + 8)
		return err_set(env->err, -EIO, "%llu page faults for %llu pages: expected one each",
			       (unsigned long long)s->faults, (unsigned long long)ops);
	return 0;
}

static const struct variant variants[] = {
	[OF_FILE] = { "file", "first read of a page of a mapped, cached file", NEED_SCRATCH },
	[OF_ANON] = { "anon", "first write to an anonymous page", 0 },
	{ 0 },
};

static const struct bench vm_page_fault = {
	.name = "vm.page_fault",
	.title = "minor page fault",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.variants = variants,
	.max_ops = MOST_FAULTS,
	.state_size = sizeof(struct fault),
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
BENCH_REGISTER(vm_page_fault);
