/* Lists of CPU numbers, any size, ascending and without doubles: the kernel's "0-3,8,10-11" form.
 *
 * Numbers are not contiguous and may pass 1,024; nothing here assumes otherwise.
 */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct cpulist {
	int *cpu;
	size_t count;
	size_t capacity;
};

void cpulist_add(struct cpulist *list, int cpu); /* keeps the order; a double is ignored */
bool cpulist_has(const struct cpulist *list, int cpu);
int cpulist_parse(struct cpulist *list, const char *text, struct err *err); /* list must be empty; "" is empty */
char *cpulist_format(const struct cpulist *list);                          /* caller frees */
void cpulist_done(struct cpulist *list);

/* The calling thread's affinity: what the scheduler may use. 0 or -errno. */
int cpulist_allowed(struct cpulist *list);
int cpulist_apply(const struct cpulist *list);

#define auto_cpulist __attribute__((cleanup(cpulist_done)))

#endif
