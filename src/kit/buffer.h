/* Memory that is the workload: mapped, its page size chosen and verified, touched before any clock starts.
 *
 * A buffer can be reserved large and grown bit by bit at the same addresses, which is what a pointer chain of growing
 * size needs. Failure is an error with a sentence, never an exit.
 */
#ifndef KIT_BUFFER_H
#define KIT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The order is that of buffer_page_choices, so that a PARAM_CHOICE can be used as it is. */
enum buffer_pages {
	BUFFER_HUGE, /* transparent huge pages (2 MiB on x86-64): asked for, then looked up in smaps */
	BUFFER_BASE, /* the kernel's base pages (4 KiB on x86-64), huge ones forbidden by MADV_NOHUGEPAGE */
};

extern const char *const buffer_page_choices[]; /* "huge", "4k", NULL */

struct buffer {
	unsigned char *at; /* aligned to a huge page where there are any, else to a page */
	size_t bytes;      /* usable and touched */
	size_t committed;  /* bytes, rounded up to whole pages of the wanted kind */
	size_t reserved;   /* address space from at on; bytes may grow to this */
	size_t huge_bytes; /* of the committed ones, those that lie on huge pages */
	enum buffer_pages pages;
	void *map;
	size_t map_bytes;
};

/* Reserves address space for most_bytes (or, under RLIMIT_AS, for as many as can be had, but least_bytes). Nothing is
 * usable yet. */
int buffer_reserve(struct buffer *buffer, size_t least_bytes, size_t most_bytes, enum buffer_pages pages,
		   struct err *err);

/* Makes the first `bytes` usable, zero where they are new, every page touched. Smaller than now: nothing to do.
 * -ENOMEM with a sentence when the machine has not that much. */
int buffer_grow(struct buffer *buffer, size_t bytes, struct err *err);

/* Reserve and grow in one. */
int buffer_map(struct buffer *buffer, size_t bytes, enum buffer_pages pages, struct err *err);

/* NULL when the pages are as wanted, else a static sentence fit for a bench's remark. */
const char *buffer_remark(const struct buffer *buffer);

void buffer_done(struct buffer *buffer);

#endif
