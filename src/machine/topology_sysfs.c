#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/root.h"
#include "machine/cpuinfo.h"
#include "machine/topology_build.h"

#define CPUS "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

static int read_list(struct cpulist *list, const char *path)
{
	auto_free char *text = NULL;
	int r = root_read(path, &text);

	return r < 0 ? r : cpulist_parse(list, text, NULL);
}

/* Lines "cpu3 …" of /proc/stat: only online CPUs have one. */
static void online_from_stat(struct cpulist *list)
{
	auto_free char *text = NULL;
	int cpu;

	if (root_read("/proc/stat", &text) < 0)
		return;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "cpu", 3) && isdigit((unsigned char)line[3]) && sscanf(line, "cpu%d", &cpu) == 1)
			cpulist_add(list, cpu);
	}
}

static void find_online(struct topology *topology, const struct cpuinfo_cpu *row, size_t rows)
{
	struct cpulist *list = &topology->online;

	topology->online_known = read_list(list, CPUS "/online") == 0 && list->count;
	if (topology->online_known)
		return;
	cpulist_done(list);
	for (size_t i = 0; i < rows; i++)
		cpulist_add(list, row[i].cpu);
	if (!list->count)
		online_from_stat(list);
	topology->online_known = list->count > 0;
	if (!list->count && !root_is_recorded())
		cpulist_allowed(list); /* no /proc either: at least those this process may use */
}

/* The first online CPU of a list file, which names the set; cpu itself when the file is missing or senseless. */
static int leader(struct topology *topology, const struct cpulist *list, int cpu)
{
	if (!cpulist_has(list, cpu))
		return cpu;
	for (size_t i = 0; i < list->count; i++) {
		if (topology_row(topology, list->cpu[i]))
			return list->cpu[i];
	}
	return cpu;
}

static bool core_leader(struct topology *topology, int cpu, int *ret_leader)
{
	auto_cpulist struct cpulist list = { 0 };
	auto_free char *text = NULL;

	/* core_cpus_list since Linux 5.3, with the older name kept beside it (Documentation/admin-guide/cputopology). */
	if (root_readf(&text, CPUS "/cpu%d/topology/core_cpus_list", cpu) < 0 &&
	    root_readf(&text, CPUS "/cpu%d/topology/thread_siblings_list", cpu) < 0)
		return false;
	if (cpulist_parse(&list, text, NULL) < 0)
		return false;
	*ret_leader = leader(topology, &list, cpu);
	return true;
}

/* Packages and cores as sysfs has them; a core's index is given when its first CPU passes. */
static bool cores_from_sysfs(struct topology *topology)
{
	for (size_t i = 0; i < topology->cpus; i++) {
		struct topology_cpu *row = &topology->cpu[i];
		uint64_t package;
		int first;

		if (root_number(&package, CPUS "/cpu%d/topology/physical_package_id", row->cpu) == 0)
			row->package = (int)package; /* "-1" is refused as no number: the firmware did not say */
		if (!core_leader(topology, row->cpu, &first))
			return false;
		const struct topology_cpu *lead = topology_row(topology, first);
		row->core = lead && lead->cpu < row->cpu ? lead->core : (int)topology->cores++;
	}
	return true;
}

static const struct cpuinfo_cpu *info_of(const struct cpuinfo_cpu *row, size_t rows, int cpu)
{
	for (size_t i = 0; i < rows; i++) {
		if (row[i].cpu == cpu)
			return &row[i];
	}
	return NULL;
}

/* Without sysfs: "physical id" and "core id" where the architecture has them (x86, LoongArch). */
static void cores_from_cpuinfo(struct topology *topology, const struct cpuinfo_cpu *info, size_t rows)
{
	topology->cores = 0;
	for (size_t i = 0; i < topology->cpus; i++) {
		struct topology_cpu *row = &topology->cpu[i];
		const struct cpuinfo_cpu *own = info_of(info, rows, row->cpu);
		row->core = -1;
		if (!own || own->package < 0 || own->core < 0) {
			topology->cores = 0;
			for (size_t j = 0; j < i; j++)
				topology->cpu[j].core = -1;
			return;
		}
		row->package = own->package;
		for (size_t j = 0; j < i && row->core < 0; j++) {
			const struct cpuinfo_cpu *other = info_of(info, rows, topology->cpu[j].cpu);
			if (other->package == own->package && other->core == own->core)
				row->core = topology->cpu[j].core;
		}
		if (row->core < 0)
			row->core = (int)topology->cores++;
	}
}

/* "512K", as cacheinfo writes it; the kernel knows no other suffix (drivers/base/cacheinfo.c). */
static uint64_t cache_size(int cpu, int index)
{
	auto_free char *text = NULL;
	char *end;

	if (root_readf(&text, CPUS "/cpu%d/cache/index%d/size", cpu, index) < 0)
		return 0;
	uint64_t size = strtoull(text, &end, 10);
	return size << (*end == 'K' ? 10 : *end == 'M' ? 20 : 0);
}

static unsigned cache_number(int cpu, int index, const char *file)
{
	uint64_t value = 0;

	root_number(&value, CPUS "/cpu%d/cache/index%d/%s", cpu, index, file);
	return (unsigned)value;
}

/* Adds the cache when cpu is the first that shares it. False when cpu has no such index. */
static bool read_cache(struct topology *topology, int cpu, int index)
{
	auto_free char *type = NULL, *shared = NULL;
	struct cache cache = { 0 };
	auto_cpulist struct cpulist list = { 0 };

	cache.level = cache_number(cpu, index, "level");
	if (!cache.level || root_readf(&type, CPUS "/cpu%d/cache/index%d/type", cpu, index) < 0)
		return false;
	if (root_readf(&shared, CPUS "/cpu%d/cache/index%d/shared_cpu_list", cpu, index) == 0)
		cpulist_parse(&list, shared, NULL);
	if (leader(topology, &list, cpu) != cpu)
		return true;
	for (size_t i = 0; i < list.count; i++) {
		if (topology_row(topology, list.cpu[i]))
			cpulist_add(&cache.shared_by, list.cpu[i]);
	}
	cpulist_add(&cache.shared_by, cpu);
	cache.type = *type == 'D' ? CACHE_DATA : *type == 'I' ? CACHE_INSTRUCTION : CACHE_UNIFIED;
	cache.size_bytes = cache_size(cpu, index);
	cache.line_bytes = cache_number(cpu, index, "coherency_line_size");
	cache.ways = cache_number(cpu, index, "ways_of_associativity");
	topology_add_cache(topology, &cache);
	return true;
}

static void find_nodes(struct topology *topology)
{
	auto_cpulist struct cpulist online = { 0 };

	if (read_list(&online, NODES "/online") < 0)
		return;
	for (size_t i = 0; i < online.count; i++) {
		struct topology_node *node = topology_add_node(topology, online.cpu[i]);
		auto_free char *path = mem_text(NODES "/node%d/cpulist", node->node);
		auto_free char *info = mem_text(NODES "/node%d/meminfo", node->node);
		auto_free char *key = mem_text("Node %d MemTotal", node->node);
		auto_cpulist struct cpulist cpus = { 0 };
		uint64_t kb;

		node->memory_known = root_field(info, key, &kb) == 0;
		node->memory_bytes = node->memory_known ? kb << 10 : 0;
		if (read_list(&cpus, path) < 0)
			continue;
		for (size_t j = 0; j < cpus.count; j++) {
			struct topology_cpu *row = topology_row(topology, cpus.cpu[j]);
			if (!row)
				continue;
			row->node = node->node;
			cpulist_add(&node->cpus, row->cpu);
		}
	}
}

int topology_from_sysfs(struct topology *topology, struct err *err)
{
	auto_free struct cpuinfo_cpu *info = NULL;
	bool sysfs = root_exists(CPUS "/online");
	size_t rows = sysfs ? 0 : cpuinfo_read(&info);

	topology->source = "built-in";
	find_online(topology, info, rows);
	if (!topology->online.count)
		return err_set(err, -ENOENT, "cannot count CPUs: neither /sys/devices/system/cpu/online, /proc/cpuinfo nor "
			       "/proc/stat can be read");
	topology_make_cpus(topology);
	if (!cores_from_sysfs(topology)) {
		if (sysfs)
			rows = cpuinfo_read(&info);
		cores_from_cpuinfo(topology, info, rows);
	}
	for (size_t i = 0; i < topology->cpus; i++) {
		for (int index = 0; read_cache(topology, topology->cpu[i].cpu, index); index++)
			;
	}
	find_nodes(topology);
	return 0;
}
