/* /proc/cpuinfo: a block of "key : value" lines for every CPU on most architectures, another form on each. */
#ifndef MACHINE_CPUINFO_H
#define MACHINE_CPUINFO_H

#include <stddef.h>

struct cpuinfo_cpu {
	int cpu;
	int package, core;     /* "physical id" and "core id"; -1 when absent */
	int implementer, part; /* Arm's MIDR fields; -1 when absent */
};

/* One row for every CPU the file lists, in its order. 0 rows when it is unreadable or lists none. Caller frees. */
size_t cpuinfo_read(struct cpuinfo_cpu **ret_rows);

/* Value of the first line with one of these keys (NULL-terminated, tried in order). Caller frees; NULL: none. */
char *cpuinfo_value(const char *text, const char *const *keys);

/* Name of an Arm core by MIDR implementer and part number, NULL when the table has none. Static. */
const char *cpuinfo_arm_name(int implementer, int part);
const char *cpuinfo_arm_vendor(int implementer);

#endif
