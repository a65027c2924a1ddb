#include "machine/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/root.h"
#include "machine/cgroup.h"

#define MEMINFO "/proc/meminfo"

static uint64_t kilobytes(const char *key)
{
	uint64_t value = 0;

	return root_field(MEMINFO, key, &value) < 0 ? 0 : value << 10;
}

/* Before Linux 3.14 there is no MemAvailable; what is free or can be dropped is the old approximation. */
static uint64_t available(void)
{
	uint64_t value = kilobytes("MemAvailable");

	return value ? value : kilobytes("MemFree") + kilobytes("Buffers") + kilobytes("Cached");
}

/* Without /proc the kernel still answers sysinfo(2). */
static void ask_kernel(struct memory *memory)
{
	struct sysinfo info;

	if (root_is_recorded() || sysinfo(&info) < 0)
		return;
	memory->total_bytes = (uint64_t)info.totalram * info.mem_unit;
	memory->available_bytes = ((uint64_t)info.freeram + info.bufferram) * info.mem_unit;
	memory->swap_bytes = (int64_t)((uint64_t)info.totalswap * info.mem_unit);
}

/* The least number in a file of these directories. "max" is no number, and v1 writes a huge one for "no limit" (the
 * largest multiple of the page size that fits, page_counter.h), so that anything beyond 2^60 means none. */
static uint64_t least_limit(const char *directories, const char *file)
{
	uint64_t least = UINT64_MAX, value;

	for (const char *d = directories; d && *d; d += strlen(d) + 1) {
		if (root_number(&value, "%s/%s", d, file) == 0 && value < least && value < UINT64_C(1) << 60)
			least = value;
	}
	return least;
}

static uint64_t limit(void)
{
	auto_free char *v1 = cgroup_directories("memory");
	auto_free char *v2 = cgroup_directories(NULL);
	uint64_t limits[] = {
		least_limit(v1, "memory.limit_in_bytes"),
		least_limit(v2, "memory.max"),
		least_limit(v2, "memory.high"), /* beyond it the group is throttled: as good as a limit */
	};
	uint64_t least = UINT64_MAX;
	struct rlimit space;

	for (size_t i = 0; i < countof(limits); i++)
		least = limits[i] < least ? limits[i] : least;
	if (!root_is_recorded() && getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
	    space.rlim_cur < least)
		least = space.rlim_cur;
	return least;
}

uint64_t memory_page_bytes(void)
{
	auto_free char *info = NULL;
	uint64_t size = 0;

	if (!root_is_recorded()) {
		long bytes = sysconf(_SC_PAGESIZE);
		return bytes > 0 ? (uint64_t)bytes : 0;
	}
	if (root_field("/proc/self/smaps", "KernelPageSize", &size) == 0)
		return size << 10;
	/* x86 has no other base page; elsewhere it is the kernel's choice and must be recorded. */
	if (root_read("/proc/cpuinfo", &info) == 0 && strstr(info, "vendor_id\t: ") && strstr(info, "address sizes"))
		return 4096;
	return 0;
}

/* "always [madvise] never": the word in brackets. Caller frees; NULL when the file is missing. */
static char *bracketed(const char *path)
{
	auto_free char *text = NULL;

	if (root_read(path, &text) < 0)
		return NULL;
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	return close ? mem_text("%.*s", (int)(close - open - 1), open + 1) : NULL;
}

static int64_t count_field(const char *key, unsigned shift)
{
	uint64_t value = 0;

	return root_field(MEMINFO, key, &value) < 0 ? -1 : (int64_t)(value << shift);
}

void memory_read(struct memory *memory)
{
	*memory = (struct memory){
		.total_bytes = kilobytes("MemTotal"),
		.limit_bytes = limit(),
		.page_bytes = memory_page_bytes(),
		.thp_mode = bracketed("/sys/kernel/mm/transparent_hugepage/enabled"),
		.hugepage_bytes = kilobytes("Hugepagesize"),
		.hugepages = count_field("HugePages_Total", 0),
		.hugepages_free = count_field("HugePages_Free", 0),
		.swap_bytes = count_field("SwapTotal", 10),
	};
	root_number(&memory->thp_bytes, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	if (memory->total_bytes)
		memory->available_bytes = available();
	else
		ask_kernel(memory);
	uint64_t most = memory->available_bytes ? memory->available_bytes : memory->total_bytes;
	memory->usable_bytes = most && memory->limit_bytes > most ? most : memory->limit_bytes;
	if (memory->usable_bytes == UINT64_MAX)
		memory->usable_bytes = 0; /* neither a size nor a limit is known */
}

void memory_done(struct memory *memory)
{
	free(memory->thp_mode);
	*memory = (struct memory){ 0 };
}

uint64_t memory_usable_bytes(void)
{
	struct memory memory;

	memory_read(&memory);
	uint64_t usable = memory.usable_bytes;
	memory_done(&memory);
	return usable;
}
