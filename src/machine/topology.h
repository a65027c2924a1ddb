/* CPUs, cores, packages, NUMA nodes, caches: as the machine reports them, not as measured.
 *
 * Read through hwloc, or by a small reader of sysfs where hwloc fails or there is no sysfs to read. CPU numbers are the
 * kernel's: not contiguous, and they may pass 1,024. Only online CPUs appear.
 */
#ifndef MACHINE_TOPOLOGY_H
#define MACHINE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "base/err.h"

enum cache_type { CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED };

struct cache {
	unsigned level;
	enum cache_type type;
	uint64_t size_bytes;      /* 0 when unknown, as are the next two */
	unsigned line_bytes;
	unsigned ways;
	struct cpulist shared_by;
};

struct topology_cpu {
	int cpu;
	int package; /* the kernel's number; -1 when unknown */
	int core;    /* dense index over the machine; -1 when unknown */
	int node;    /* NUMA node, the kernel's number; -1 when unknown */
	int kind;    /* index into kind */
	bool allowed;
};

struct topology_node {
	int node;
	uint64_t memory_bytes; /* 0: a node without memory */
	bool memory_known;
	struct cpulist cpus;
};

/* Cores that differ from others in the same machine: P and E cores, big and LITTLE. One kind on most machines. */
struct core_kind {
	char *name;       /* "P-core", "Cortex-A76"; NULL when unknown */
	int capacity;     /* cpu_capacity, 1024 for the fastest; -1 when unknown */
	uint64_t max_hz;  /* highest cpuinfo_max_freq within the kind; 0 when unknown */
	unsigned cores;   /* 0 when unknown */
	struct cpulist cpus;
};

struct topology {
	const char *source; /* "hwloc" or "built-in"; static */
	struct cpulist online;
	bool online_known; /* false: neither /sys nor /proc tells, online is only what this process may use */
	struct cpulist allowed; /* online, within affinity and cpuset of this process */
	struct cpulist offline; /* present but switched off; empty also when unknown */
	bool allowed_known;     /* false: no source, allowed is all of online */
	struct topology_cpu *cpu; /* ascending by number */
	size_t cpus;
	struct cache *cache; /* ascending by level, then type, then first CPU */
	size_t caches;
	struct topology_node *node;
	size_t nodes; /* 0 when unknown */
	struct core_kind *kind; /* fastest first */
	size_t kinds;
	unsigned packages; /* 0 when unknown, as are the next two */
	unsigned cores;
	unsigned threads_per_core; /* the most any core has */
};

enum topology_source { TOPOLOGY_ANY, TOPOLOGY_HWLOC, TOPOLOGY_BUILT_IN };

/* 0 or a negative errno with a sentence when not even the CPUs could be counted. TOPOLOGY_ANY: hwloc,
 * else, or below a recorded root, built-in. */
int topology_read(struct topology *topology, enum topology_source source, struct err *err);
void topology_done(struct topology *topology);

const struct topology_cpu *topology_cpu(const struct topology *topology, int cpu); /* NULL when it is not online */

/* The data or unified cache of this level that serves cpu; NULL when there is none or it is unknown. */
const struct cache *topology_cache(const struct topology *topology, int cpu, unsigned level);
uint64_t topology_cache_bytes(const struct topology *topology, int cpu, unsigned level); /* 0 when unknown */

/* The cache farthest from cpu, and its size (0 when unknown): one slice of it, not the sum over the machine. */
const struct cache *topology_last_level_cache(const struct topology *topology, int cpu);
uint64_t topology_last_level_cache_bytes(const struct topology *topology, int cpu);

bool topology_are_siblings(const struct topology *topology, int a, int b); /* SMT threads of one core */
bool topology_share_last_level(const struct topology *topology, int a, int b);

/* Another CPU out of allowed for the other end of a ping-pong, best first: same last-level cache and another core of
 * the same kind; same cache; same package; any other core; an SMT sibling. -1 when allowed holds no other CPU. */
int machine_pick_peer_cpu(const struct topology *topology, int cpu, const struct cpulist *allowed);

const char *cache_type_name(enum cache_type type); /* "data", "instruction", "unified" */

#endif
