#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/root.h"
#include "machine/cpuinfo.h"
#include "machine/topology_build.h"

/* What makes a CPU of one kind: CPUs with equal traits are alike. */
struct traits {
	int type;     /* index into pmu_types, -1 when there are none */
	int capacity; /* -1 when unknown */
	int implementer, part;
};

/* A hybrid x86 has one performance-monitoring unit for every type of core (arch/x86/events/intel/core.c). Capacities are
 * not asked there: they also differ between cores of one type that boost differently. */
static const struct {
	const char *unit, *name;
} pmu_types[] = {
	{ "cpu_core", "P-core" },
	{ "cpu_atom", "E-core" },
	{ "cpu_lowpower", "LP E-core" },
};

static bool read_pmu_types(const struct topology *topology, struct traits *traits)
{
	unsigned found = 0;

	for (size_t type = 0; type < countof(pmu_types); type++) {
		auto_free char *text = NULL;
		auto_cpulist struct cpulist list = { 0 };
		if (root_readf(&text, "/sys/devices/%s/cpus", pmu_types[type].unit) < 0 ||
		    cpulist_parse(&list, text, NULL) < 0)
			continue;
		found++;
		for (size_t i = 0; i < topology->cpus; i++) {
			if (cpulist_has(&list, topology->cpu[i].cpu))
				traits[i].type = (int)type;
		}
	}
	return found > 1;
}

static void read_capacities(const struct topology *topology, struct traits *traits)
{
	uint64_t value;

	for (size_t i = 0; i < topology->cpus; i++) {
		int cpu = topology->cpu[i].cpu;
		if (root_number(&value, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu) == 0)
			traits[i].capacity = (int)value;
	}
}

/* MIDR_EL1: implementer in bits 31–24, part number in bits 15–4. 32-bit Arm has it in /proc/cpuinfo only. */
static void read_parts(const struct topology *topology, struct traits *traits)
{
	auto_free struct cpuinfo_cpu *info = NULL;
	uint64_t midr;
	bool missing = false;

	for (size_t i = 0; i < topology->cpus; i++) {
		int cpu = topology->cpu[i].cpu;
		if (root_number(&midr, "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu) == 0) {
			traits[i].implementer = (int)(midr >> 24 & 0xff);
			traits[i].part = (int)(midr >> 4 & 0xfff);
		} else {
			missing = true;
			break; /* x86 and others have none, and /proc/cpuinfo need be read only once */
		}
	}
	size_t rows = missing ? cpuinfo_read(&info) : 0;
	for (size_t i = 0; i < rows; i++) {
		const struct topology_cpu *row = info[i].part < 0 ? NULL : topology_cpu(topology, info[i].cpu);
		if (!row)
			continue;
		traits[row - topology->cpu].implementer = info[i].implementer;
		traits[row - topology->cpu].part = info[i].part;
	}
}

static bool alike(const struct traits *a, const struct traits *b)
{
	return a->type == b->type && a->capacity == b->capacity && a->implementer == b->implementer &&
	       a->part == b->part;
}

static const char *kind_name(const struct traits *traits)
{
	return traits->type >= 0 ? pmu_types[traits->type].name
				 : cpuinfo_arm_name(traits->implementer, traits->part);
}

/* Puts the CPU at index i into the kind with its traits, which may be a new one. */
static void sort_in(struct topology *topology, struct traits *kinds, const struct traits *own, size_t i)
{
	size_t k = 0;

	while (k < topology->kinds && !alike(&kinds[k], own))
		k++;
	if (k == topology->kinds) {
		topology->kind = mem_grow(topology->kind, k + 1, sizeof *topology->kind);
		topology->kind[k] = (struct core_kind){ .name = mem_copy(kind_name(own)), .capacity = own->capacity };
		kinds[k] = *own;
		topology->kinds++;
	}
	cpulist_add(&topology->kind[k].cpus, topology->cpu[i].cpu);
}

static void measure_kind(struct topology *topology, struct core_kind *kind)
{
	auto_free bool *seen = mem_new(topology->cores + 1, sizeof *seen);
	uint64_t khz;

	for (size_t i = 0; i < kind->cpus.count; i++) {
		const struct topology_cpu *row = topology_row(topology, kind->cpus.cpu[i]);
		if (row->core >= 0 && !seen[row->core]) {
			seen[row->core] = true;
			kind->cores++;
		}
		if (root_number(&khz, "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", row->cpu) == 0 &&
		    khz * 1000 > kind->max_hz)
			kind->max_hz = khz * 1000;
	}
}

static int fastest_first(const void *a, const void *b)
{
	const struct core_kind *x = a, *y = b;

	if (x->capacity != y->capacity)
		return y->capacity - x->capacity;
	if (x->max_hz != y->max_hz)
		return x->max_hz < y->max_hz ? 1 : -1;
	return x->cpus.cpu[0] - y->cpus.cpu[0];
}

void topology_find_kinds(struct topology *topology)
{
	auto_free struct traits *traits = mem_new(topology->cpus + 1, sizeof *traits);
	auto_free struct traits *kinds = mem_new(topology->cpus + 1, sizeof *kinds);

	for (size_t i = 0; i < topology->cpus; i++)
		traits[i] = (struct traits){ -1, -1, -1, -1 };
	if (!read_pmu_types(topology, traits)) {
		for (size_t i = 0; i < topology->cpus; i++)
			traits[i].type = -1;
		read_capacities(topology, traits);
		read_parts(topology, traits);
	}
	for (size_t i = 0; i < topology->cpus; i++)
		sort_in(topology, kinds, &traits[i], i);
	for (size_t k = 0; k < topology->kinds; k++)
		measure_kind(topology, &topology->kind[k]);
	if (topology->kinds > 1)
		qsort(topology->kind, topology->kinds, sizeof *topology->kind, fastest_first);
	for (size_t k = 0; k < topology->kinds; k++) {
		for (size_t i = 0; i < topology->kind[k].cpus.count; i++)
			topology_row(topology, topology->kind[k].cpus.cpu[i])->kind = (int)k;
	}
}
