#include "machine/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/root.h"
#include "machine/cgroup.h"
#include "machine/topology_build.h"

void topology_done(struct topology *topology)
{
	if (!topology)
		return;
	cpulist_done(&topology->online);
	cpulist_done(&topology->allowed);
	cpulist_done(&topology->offline);
	for (size_t i = 0; i < topology->caches; i++)
		cpulist_done(&topology->cache[i].shared_by);
	for (size_t i = 0; i < topology->nodes; i++)
		cpulist_done(&topology->node[i].cpus);
	for (size_t i = 0; i < topology->kinds; i++) {
		free(topology->kind[i].name);
		cpulist_done(&topology->kind[i].cpus);
	}
	free(topology->cpu);
	free(topology->cache);
	free(topology->node);
	free(topology->kind);
	*topology = (struct topology){ 0 };
}

struct topology_cpu *topology_row(struct topology *topology, int cpu)
{
	size_t low = 0, high = topology->cpus;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (topology->cpu[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < topology->cpus && topology->cpu[low].cpu == cpu ? &topology->cpu[low] : NULL;
}

const struct topology_cpu *topology_cpu(const struct topology *topology, int cpu)
{
	return topology_row((struct topology *)topology, cpu);
}

void topology_make_cpus(struct topology *topology)
{
	topology->cpus = topology->online.count;
	topology->cpu = mem_new(topology->cpus ? topology->cpus : 1, sizeof *topology->cpu);
	for (size_t i = 0; i < topology->cpus; i++)
		topology->cpu[i] = (struct topology_cpu){
			.cpu = topology->online.cpu[i], .package = -1, .core = -1, .node = -1 };
}

void topology_add_cache(struct topology *topology, const struct cache *cache)
{
	topology->cache = mem_grow(topology->cache, topology->caches + 1, sizeof *topology->cache);
	topology->cache[topology->caches++] = *cache;
}

struct topology_node *topology_add_node(struct topology *topology, int node)
{
	topology->node = mem_grow(topology->node, topology->nodes + 1, sizeof *topology->node);
	topology->node[topology->nodes] = (struct topology_node){ .node = node };
	return &topology->node[topology->nodes++];
}

static int by_cache(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->shared_by.cpu[0] - y->shared_by.cpu[0];
}

static int by_node(const void *a, const void *b)
{
	return ((const struct topology_node *)a)->node - ((const struct topology_node *)b)->node;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Present but not online. "present" and not "possible": the latter counts sockets that hold nothing. */
static void find_offline(struct topology *topology)
{
	auto_free char *text = NULL;
	auto_cpulist struct cpulist present = { 0 };

	if (root_read("/sys/devices/system/cpu/present", &text) < 0 || cpulist_parse(&present, text, NULL) < 0)
		return;
	for (size_t i = 0; i < present.count; i++) {
		if (!topology_row(topology, present.cpu[i]))
			cpulist_add(&topology->offline, present.cpu[i]);
	}
}

/* The set of a cpuset group, v2 or v1. Unlike limits it need not be walked upwards: effective sets are subsets. */
static int cpuset_of_group(struct cpulist *list)
{
	static const struct {
		const char *controller, *file;
	} places[] = {
		{ NULL, "cpuset.cpus.effective" }, { "cpuset", "cpuset.effective_cpus" }, { "cpuset", "cpuset.cpus" },
	};

	for (size_t i = 0; i < countof(places); i++) {
		auto_free char *directories = cgroup_directories(places[i].controller);
		auto_free char *text = NULL;
		if (directories && *directories && root_readf(&text, "%s/%s", directories, places[i].file) == 0 &&
		    *text && cpulist_parse(list, text, NULL) == 0)
			return 0;
	}
	return -ENOENT;
}

/* What a recorded process might use: its affinity, which the kernel keeps within its cpuset, or else the cpuset. */
static int recorded_allowed(struct cpulist *list)
{
	static const char key[] = "\nCpus_allowed_list:";
	auto_free char *status = NULL;
	const char *line = root_read("/proc/self/status", &status) == 0 ? strstr(status, key) : NULL;

	if (line) {
		line += strlen(key);
		if (cpulist_parse(list, line + strspn(line, " \t"), NULL) == 0)
			return 0;
	}
	cpulist_done(list);
	return cpuset_of_group(list);
}

static void find_allowed(struct topology *topology)
{
	auto_cpulist struct cpulist list = { 0 };
	int r = root_is_recorded() ? recorded_allowed(&list) : cpulist_allowed(&list);

	topology->allowed_known = r == 0;
	const struct cpulist *from = r == 0 ? &list : &topology->online;
	for (size_t i = 0; i < from->count; i++) {
		struct topology_cpu *row = topology_row(topology, from->cpu[i]);
		if (!row)
			continue;
		row->allowed = true;
		cpulist_add(&topology->allowed, row->cpu);
	}
}

static unsigned most_threads(const struct topology *topology)
{
	auto_free unsigned *threads = mem_new(topology->cores + 1, sizeof *threads);
	unsigned most = 0;

	for (size_t i = 0; i < topology->cpus; i++) {
		int core = topology->cpu[i].core;
		if (core >= 0 && ++threads[core] > most)
			most = threads[core];
	}
	return most;
}

/* Distinct packages; 0 when one CPU's is unknown, since the others then say nothing about the whole. */
static unsigned count_packages(const struct topology *topology)
{
	auto_free int *number = mem_new(topology->cpus + 1, sizeof *number);
	unsigned count = 0;

	for (size_t i = 0; i < topology->cpus; i++) {
		number[i] = topology->cpu[i].package;
		if (number[i] < 0)
			return 0;
	}
	qsort(number, topology->cpus, sizeof *number, by_number);
	for (size_t i = 0; i < topology->cpus; i++)
		count += i == 0 || number[i] != number[i - 1];
	return count;
}

static void finish(struct topology *topology)
{
	topology->packages = count_packages(topology);
	topology->threads_per_core = most_threads(topology);
	if (topology->caches)
		qsort(topology->cache, topology->caches, sizeof *topology->cache, by_cache);
	if (topology->nodes)
		qsort(topology->node, topology->nodes, sizeof *topology->node, by_node);
	find_offline(topology);
	find_allowed(topology);
	topology_find_kinds(topology);
}

int topology_read(struct topology *topology, enum topology_source source, struct err *err)
{
	int r = -ENOENT;

	*topology = (struct topology){ 0 };
	/* Without sysfs hwloc guesses a count or asks the machine underneath; the built-in reader says what it knows. And
	 * hwloc asserts what a real kernel guarantees, which a tree that somebody recorded may not keep. */
	bool by_hwloc = source == TOPOLOGY_HWLOC || (source == TOPOLOGY_ANY && !root_is_recorded());
	if (by_hwloc && root_exists("/sys/devices/system/cpu/online"))
		r = topology_from_hwloc(topology, err);
	else if (source == TOPOLOGY_HWLOC)
		r = err_set(err, -ENOENT, "hwloc needs /sys/devices/system/cpu, and there is none");
	if (r < 0 && source != TOPOLOGY_HWLOC) {
		topology_done(topology);
		r = topology_from_sysfs(topology, err);
	}
	if (r < 0) {
		topology_done(topology);
		return r;
	}
	finish(topology);
	return 0;
}

const struct cache *topology_cache(const struct topology *topology, int cpu, unsigned level)
{
	for (size_t i = 0; i < topology->caches; i++) {
		const struct cache *cache = &topology->cache[i];
		if (cache->level == level && cache->type != CACHE_INSTRUCTION && cpulist_has(&cache->shared_by, cpu))
			return cache;
	}
	return NULL;
}

uint64_t topology_cache_bytes(const struct topology *topology, int cpu, unsigned level)
{
	const struct cache *cache = topology_cache(topology, cpu, level);

	return cache ? cache->size_bytes : 0;
}

const struct cache *topology_last_level_cache(const struct topology *topology, int cpu)
{
	for (size_t i = topology->caches; i-- > 0;) {
		const struct cache *cache = &topology->cache[i];
		if (cache->type != CACHE_INSTRUCTION && cpulist_has(&cache->shared_by, cpu))
			return cache;
	}
	return NULL;
}

uint64_t topology_last_level_cache_bytes(const struct topology *topology, int cpu)
{
	const struct cache *cache = topology_last_level_cache(topology, cpu);

	return cache ? cache->size_bytes : 0;
}

bool topology_are_siblings(const struct topology *topology, int a, int b)
{
	const struct topology_cpu *x = topology_cpu(topology, a), *y = topology_cpu(topology, b);

	return a != b && x && y && x->core >= 0 && x->core == y->core;
}

bool topology_share_last_level(const struct topology *topology, int a, int b)
{
	const struct cache *cache = topology_last_level_cache(topology, a);

	return cache && cpulist_has(&cache->shared_by, b);
}

/* How well other serves as the peer of cpu, more is better. */
static int peer_rank(const struct topology *topology, int cpu, int other)
{
	const struct topology_cpu *x = topology_cpu(topology, cpu), *y = topology_cpu(topology, other);

	if (!x || !y)
		return 1;
	if (topology_are_siblings(topology, cpu, other))
		return 2;
	if (topology_share_last_level(topology, cpu, other))
		return x->kind == y->kind ? 6 : 5;
	return x->package >= 0 && x->package == y->package ? 4 : 3;
}

int machine_pick_peer_cpu(const struct topology *topology, int cpu, const struct cpulist *allowed)
{
	int best = -1, best_rank = 0;

	for (size_t i = 0; i < allowed->count; i++) {
		int other = allowed->cpu[i];
		int rank = other == cpu ? 0 : peer_rank(topology, cpu, other);
		if (rank > best_rank) {
			best = other;
			best_rank = rank;
		}
	}
	return best;
}

const char *cache_type_name(enum cache_type type)
{
	static const char *const names[] = { "data", "instruction", "unified" };

	return names[type];
}
