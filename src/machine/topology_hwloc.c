#include <errno.h>
#include <stdlib.h>

#include <hwloc.h>

#include "base/mem.h"
#include "base/root.h"
#include "machine/topology_build.h"

/* hwloc takes another file-system root from its environment only (hwloc 2: "Environment Variables"). The variables are
 * put back afterwards, so that programs started later do not inherit them. */
struct setting {
	const char *name;
	char *old;
};

static void set_variable(struct setting *setting, const char *name, const char *value)
{
	*setting = (struct setting){ name, mem_copy(getenv(name)) };
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void put_back(struct setting *setting)
{
	if (setting->old)
		setenv(setting->name, setting->old, 1);
	else
		unsetenv(setting->name);
	free(setting->old);
}

/* Caches of all levels, no I/O devices (discovering PCI takes most of hwloc's time), nothing measured or compared. */
static int load(hwloc_topology_t hwloc)
{
	hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
				 HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
	hwloc_topology_set_io_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_icache_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_ALL);
	return hwloc_topology_load(hwloc) < 0 ? -errno : 0;
}

/* Only the Linux back end: the CPUID one would describe the machine underneath a recorded tree, and on the real one it
 * moves this process over all CPUs. */
static int load_from_root(hwloc_topology_t hwloc)
{
	auto_free char *root = root_is_recorded() ? root_path("/") : NULL;
	struct setting setting[4];

	set_variable(&setting[0], "HWLOC_FSROOT", root);
	set_variable(&setting[1], "HWLOC_COMPONENTS", "linux,stop");
	set_variable(&setting[2], "HWLOC_HIDE_ERRORS", "2");
	set_variable(&setting[3], "HWLOC_XMLFILE", NULL);
	int r = load(hwloc);
	for (size_t i = countof(setting); i-- > 0;)
		put_back(&setting[i]);
	return r;
}

static void copy_set(struct cpulist *list, hwloc_const_bitmap_t set)
{
	for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
		cpulist_add(list, cpu);
}

static void copy_cpus(struct topology *topology, hwloc_topology_t hwloc)
{
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, pu)))
		cpulist_add(&topology->online, (int)pu->os_index);
	topology_make_cpus(topology);
	pu = NULL;
	while ((pu = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, pu))) {
		struct topology_cpu *row = topology_row(topology, (int)pu->os_index);
		hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_PACKAGE, pu);
		hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE, pu);
		if (package && package->os_index != HWLOC_UNKNOWN_INDEX)
			row->package = (int)package->os_index;
		if (core)
			row->core = (int)core->logical_index;
	}
	int cores = hwloc_get_nbobjs_by_type(hwloc, HWLOC_OBJ_CORE);
	topology->cores = cores > 0 ? (unsigned)cores : 0;
}

static void copy_caches(struct topology *topology, hwloc_topology_t hwloc)
{
	for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; type++) {
		hwloc_obj_t object = NULL;
		while ((object = hwloc_get_next_obj_by_type(hwloc, (hwloc_obj_type_t)type, object))) {
			const struct hwloc_cache_attr_s *attr = &object->attr->cache;
			struct cache cache = {
				.level = attr->depth,
				.type = attr->type == HWLOC_OBJ_CACHE_DATA          ? CACHE_DATA
					: attr->type == HWLOC_OBJ_CACHE_INSTRUCTION ? CACHE_INSTRUCTION
										    : CACHE_UNIFIED,
				.size_bytes = attr->size,
				.line_bytes = attr->linesize,
				/* -1 means fully associative, which sysfs cannot say and assay calls unknown */
				.ways = attr->associativity > 0 ? (unsigned)attr->associativity : 0,
			};
			copy_set(&cache.shared_by, object->cpuset);
			if (cache.shared_by.count)
				topology_add_cache(topology, &cache);
		}
	}
}

static void copy_nodes(struct topology *topology, hwloc_topology_t hwloc)
{
	hwloc_obj_t object = NULL;

	/* hwloc invents one node where the kernel names none. */
	if (!root_exists("/sys/devices/system/node/online"))
		return;
	while ((object = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE, object))) {
		struct topology_node *node = topology_add_node(topology, (int)object->os_index);
		node->memory_bytes = object->attr->numanode.local_memory;
		node->memory_known = root_exists("/sys/devices/system/node/has_memory") || node->memory_bytes > 0;
		copy_set(&node->cpus, object->cpuset);
		for (size_t i = 0; i < node->cpus.count; i++) {
			struct topology_cpu *row = topology_row(topology, node->cpus.cpu[i]);
			if (row && row->node < 0)
				row->node = node->node;
		}
	}
}

int topology_from_hwloc(struct topology *topology, struct err *err)
{
	hwloc_topology_t hwloc;

	if (hwloc_topology_init(&hwloc) < 0)
		return err_sys(err, -errno, "hwloc cannot be started");
	int r = load_from_root(hwloc);
	if (r < 0) {
		r = err_sys(err, r, "hwloc cannot read the topology");
	} else {
		topology->source = "hwloc";
		topology->online_known = true;
		copy_cpus(topology, hwloc);
		copy_caches(topology, hwloc);
		copy_nodes(topology, hwloc);
		if (!topology->cpus)
			r = err_set(err, -ENOENT, "hwloc sees no CPU");
	}
	hwloc_topology_destroy(hwloc);
	return r;
}
