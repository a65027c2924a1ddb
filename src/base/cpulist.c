#include "base/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Linux allows 8,192 CPUs (CONFIG_NR_CPUS_RANGE_END on x86-64); the bound stops "0-4000000000" from eating memory. */
enum { MAX_CPU = 1 << 16 };

/* Where cpu is or belongs. Searched by halves: a range repeated in a hostile text must not cost its square. */
static size_t place(const struct cpulist *list, int cpu)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->cpu[middle] < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void cpulist_add(struct cpulist *list, int cpu)
{
	size_t at = place(list, cpu);

	if (at < list->count && list->cpu[at] == cpu)
		return;
	list->cpu = mem_room(list->cpu, list->count, &list->capacity, sizeof *list->cpu);
	memmove(list->cpu + at + 1, list->cpu + at, (list->count - at) * sizeof *list->cpu);
	list->cpu[at] = cpu;
	list->count++;
}

bool cpulist_has(const struct cpulist *list, int cpu)
{
	size_t at = place(list, cpu);

	return at < list->count && list->cpu[at] == cpu;
}

static int number(const char **cursor)
{
	char *end;

	if (!isdigit((unsigned char)**cursor))
		return -1;
	long value = strtol(*cursor, &end, 10);
	*cursor = end;
	return value >= 0 && value < MAX_CPU ? (int)value : -1;
}

int cpulist_parse(struct cpulist *list, const char *text, struct err *err)
{
	const char *s = text;

	while (*s && strcmp(s, "\n")) {
		int first = number(&s);
		int last = first;
		if (first >= 0 && *s == '-') {
			s++;
			last = number(&s);
		}
		bool more = *s == ',' && s[1];
		if (first < 0 || last < first || (*s && !more && strcmp(s, "\n"))) {
			cpulist_done(list);
			return err_set(err, -EINVAL, "'%.60s' is not a list of CPUs like 0-3,8", text);
		}
		for (int cpu = first; cpu <= last; cpu++)
			cpulist_add(list, cpu);
		s += more;
	}
	return 0;
}

char *cpulist_format(const struct cpulist *list)
{
	struct text out = { 0 };

	for (size_t i = 0; i < list->count;) {
		size_t last = i;
		while (last + 1 < list->count && list->cpu[last + 1] == list->cpu[last] + 1)
			last++;
		text_add(&out, i ? ",%d" : "%d", list->cpu[i]);
		if (last > i)
			text_add(&out, "-%d", list->cpu[last]);
		i = last + 1;
	}
	return text_take(&out);
}

void cpulist_done(struct cpulist *list)
{
	free(list->cpu);
	*list = (struct cpulist){ 0 };
}

int cpulist_allowed(struct cpulist *list)
{
	/* The kernel answers EINVAL while the mask is shorter than its own (sched_setaffinity(2), notes). */
	for (int cpus = 1024; cpus <= MAX_CPU; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)cpus);
		size_t size = CPU_ALLOC_SIZE((size_t)cpus);
		if (!set)
			return -ENOMEM;
		CPU_ZERO_S(size, set);
		int r = sched_getaffinity(0, size, set) < 0 ? -errno : 0;
		for (int cpu = 0; r == 0 && cpu < cpus; cpu++) {
			if (CPU_ISSET_S((size_t)cpu, size, set))
				cpulist_add(list, cpu);
		}
		CPU_FREE(set);
		if (r != -EINVAL)
			return r;
	}
	return -EINVAL;
}

int cpulist_apply(const struct cpulist *list)
{
	if (!list->count)
		return -EINVAL;
	size_t cpus = (size_t)list->cpu[list->count - 1] + 1;
	cpu_set_t *set = CPU_ALLOC(cpus);
	size_t size = CPU_ALLOC_SIZE(cpus);
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < list->count; i++)
		CPU_SET_S((size_t)list->cpu[i], size, set);
	int r = sched_setaffinity(0, size, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return r;
}
