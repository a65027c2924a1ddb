#include "harness/registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The linker makes these for a section whose name is a C identifier; weak, since a program may hold no bench. */
extern const struct bench *const first[] __asm__("__start_assay_benches") __attribute__((weak));
extern const struct bench *const last[] __asm__("__stop_assay_benches") __attribute__((weak));

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct bench *const *)a)->name, (*(const struct bench *const *)b)->name);
}

size_t registry_count(void)
{
	return first ? (size_t)(last - first) : 0;
}

const struct bench *registry_at(size_t index)
{
	static const struct bench **sorted; /* made once, kept for the life of the program */
	size_t count = registry_count();

	if (!sorted) {
		sorted = mem_new(count, sizeof(struct bench *));
		memcpy(sorted, first, count * sizeof *sorted);
		qsort(sorted, count, sizeof *sorted, by_name);
	}
	return index < count ? sorted[index] : NULL;
}

const struct bench *registry_find(const char *name)
{
	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		if (!strcmp(bench->name, name))
			return bench;
	}
	return NULL;
}
