/* Memory: how much there is, how much of it this process may use, and in which pages. */
#ifndef MACHINE_MEMORY_H
#define MACHINE_MEMORY_H

#include <stdint.h>

/* 0 in a number and NULL in a text mean unknown, unless said otherwise. */
struct memory {
	uint64_t total_bytes;     /* MemTotal */
	uint64_t available_bytes; /* MemAvailable, or free + buffers + page cache on kernels before 3.14 */
	uint64_t limit_bytes;     /* tightest limit of cgroups (v1 and v2, walked upwards) and RLIMIT_AS;
				     UINT64_MAX when there is none */
	uint64_t usable_bytes;    /* min(available, limit), or min(total, limit) where available is unknown */
	uint64_t page_bytes;
	char *thp_mode;           /* "always", "madvise" or "never"; NULL also when the kernel has none */
	uint64_t thp_bytes;
	uint64_t hugepage_bytes;  /* default size of hugetlbfs */
	int64_t hugepages;        /* reserved pages of that size; -1 when unknown */
	int64_t hugepages_free;
	int64_t swap_bytes;       /* -1 when unknown */
};

void memory_read(struct memory *memory); /* fills a struct of any content; what is unknown stays unknown */
void memory_done(struct memory *memory);

/* The two that others ask for most, read anew; 0 when unknown. */
uint64_t memory_usable_bytes(void);
uint64_t memory_page_bytes(void);

#endif
