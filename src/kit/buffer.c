#include "kit/buffer.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/format.h"
#include "base/mem.h"
#include "base/root.h"
#include "machine/memory.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1, include/uapi/asm-generic/mman-common.h */
#endif

/* With 64 KiB base pages a huge page has 512 MiB: to commit whole ones would eat the machine. */
enum { LARGEST_HUGE_PAGE = 32 << 20 };

const char *const buffer_page_choices[] = { "huge", "4k", NULL };

static size_t base_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Bytes of a huge page, 0 when there is none that could be used. */
static size_t huge_page(void)
{
	uint64_t bytes;

	if (root_number(&bytes, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") < 0)
		return base_page() == 4096 ? 2u << 20 : 0;
	if (bytes > LARGEST_HUGE_PAGE || bytes < base_page() || bytes & (bytes - 1))
		return 0;
	return bytes;
}

static size_t grain(const struct buffer *buffer)
{
	size_t huge = buffer->pages == BUFFER_HUGE ? huge_page() : 0;

	return huge ? huge : base_page();
}

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* Sum of AnonHugePages of the mappings inside [from, to), from /proc/self/smaps (Documentation/filesystems/proc.rst).
 * smaps_rollup would count the rest of the process too. */
static size_t huge_bytes_between(uintptr_t from, uintptr_t to)
{
	auto_free char *smaps = NULL;
	size_t total = 0;
	bool inside = false;

	if (root_read("/proc/self/smaps", &smaps) < 0)
		return 0;
	for (const char *line = smaps; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		unsigned long start, end, kib;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start < to && end > from;
		else if (inside && sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			total += (size_t)kib << 10;
	}
	return total;
}

static void count_huge_pages(struct buffer *buffer)
{
	uintptr_t from = (uintptr_t)buffer->at;

	buffer->huge_bytes = huge_bytes_between(from, from + buffer->committed);
}

int buffer_reserve(struct buffer *buffer, size_t least_bytes, size_t most_bytes, enum buffer_pages pages,
		   struct err *err)
{
	*buffer = (struct buffer){ .pages = pages };

	size_t unit = grain(buffer);
	size_t least = round_up(least_bytes, unit) + unit;
	size_t wanted = round_up(most_bytes, unit) + unit;

	for (;; wanted = wanted / 2 < least ? least : wanted / 2) {
		buffer->map = mmap(NULL, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (buffer->map != MAP_FAILED)
			break;
		if (wanted <= least) {
			char size[FORMAT_SIZE];

			buffer->map = NULL;
			return err_sys(err, -errno, "no address space for a buffer of %s bytes",
				       format_size(size, least_bytes));
		}
	}
	buffer->map_bytes = wanted;
	buffer->at = (unsigned char *)round_up((uintptr_t)buffer->map, unit);
	buffer->reserved = wanted - unit;
	return 0;
}

/* Touching more than there is wakes the OOM killer, which explains nothing to anybody. */
static int check_available(size_t more, struct err *err)
{
	char want[FORMAT_SIZE], have[FORMAT_SIZE];
	uint64_t usable = root_is_recorded() ? 0 : memory_usable_bytes();

	if (!usable || more <= usable)
		return 0;
	return err_set(err, -EOPNOTSUPP, "unavailable: %s bytes of memory are needed and %s may be used",
		       format_size(want, more), format_size(have, usable >> 20 << 20));
}

static int commit(struct buffer *buffer, size_t upto, struct err *err)
{
	unsigned char *from = buffer->at + buffer->committed;
	size_t more = upto - buffer->committed;
	char size[FORMAT_SIZE];
	int r = check_available(more, err);

	if (r < 0)
		return r;
	if (mprotect(from, more, PROT_READ | PROT_WRITE) < 0)
		return err_sys(err, -errno, "cannot get %s bytes of memory", format_size(size, more));

	/* EINVAL here means a kernel without transparent huge pages: smaps will say that none was given. */
	madvise(from, more, buffer->pages == BUFFER_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	size_t page = base_page();
	for (size_t i = 0; i < more; i += page)
		*(volatile unsigned char *)(from + i) = 0;
	buffer->committed = upto;
	count_huge_pages(buffer);

	/* A fault gives up where free memory is in small pieces, or where THP is "never"; this moves pages instead. */
	if (buffer->pages == BUFFER_HUGE && huge_page() && buffer->huge_bytes < buffer->committed &&
	    madvise(buffer->at, buffer->committed, MADV_COLLAPSE) == 0)
		count_huge_pages(buffer);
	return 0;
}

int buffer_grow(struct buffer *buffer, size_t bytes, struct err *err)
{
	char want[FORMAT_SIZE], have[FORMAT_SIZE];

	if (bytes > buffer->reserved)
		return err_set(err, -ENOMEM, "a buffer of %s bytes is wanted, but the address space limit allows %s",
			       format_size(want, bytes), format_size(have, buffer->reserved));
	if (bytes > buffer->committed) {
		int r = commit(buffer, round_up(bytes, grain(buffer)), err);

		if (r < 0)
			return r;
	}
	if (bytes > buffer->bytes)
		buffer->bytes = bytes;
	return 0;
}

int buffer_map(struct buffer *buffer, size_t bytes, enum buffer_pages pages, struct err *err)
{
	int r = buffer_reserve(buffer, bytes, bytes, pages, err);

	return r < 0 ? r : buffer_grow(buffer, bytes, err);
}

const char *buffer_remark(const struct buffer *buffer)
{
	if (buffer->pages == BUFFER_BASE)
		return buffer->huge_bytes ? "huge pages in part, although base pages were asked for" : NULL;
	if (!buffer->huge_bytes)
		return "4 KiB pages: no huge page was given";
	return buffer->huge_bytes < buffer->committed ? "4 KiB pages in part: too few huge pages were given" : NULL;
}

void buffer_done(struct buffer *buffer)
{
	if (buffer->map)
		munmap(buffer->map, buffer->map_bytes);
	*buffer = (struct buffer){ 0 };
}
