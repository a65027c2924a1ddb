#include "machine/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/root.h"
#include "recorded.h"

static struct topology read_by(enum topology_source source)
{
	struct topology topology;
	struct err err = { "" };

	if (topology_read(&topology, source, &err) < 0)
		fail_msg("%s", err.text);
	return topology;
}

static void assert_list(const struct cpulist *list, const char *expected)
{
	auto_free char *text = cpulist_format(list);

	assert_string_equal(text, expected);
}

struct counts {
	const char *name;
	size_t cpus, caches, nodes, kinds;
	unsigned packages, cores, threads_per_core;
	const char *allowed, *offline;
};

static void assert_counts(const struct topology *topology, const struct counts *want)
{
	assert_int_equal(topology->cpus, want->cpus);
	assert_int_equal(topology->online.count, want->cpus);
	assert_int_equal(topology->caches, want->caches);
	assert_int_equal(topology->nodes, want->nodes);
	assert_int_equal(topology->kinds, want->kinds);
	assert_int_equal(topology->packages, want->packages);
	assert_int_equal(topology->cores, want->cores);
	assert_int_equal(topology->threads_per_core, want->threads_per_core);
	assert_list(&topology->allowed, want->allowed);
	assert_list(&topology->offline, want->offline);
}

/* Rows of two readings must say the same, not only their totals. */
static void assert_alike(const struct topology *a, const struct topology *b)
{
	for (size_t i = 0; i < a->cpus; i++) {
		assert_int_equal(a->cpu[i].cpu, b->cpu[i].cpu);
		assert_int_equal(a->cpu[i].package, b->cpu[i].package);
		assert_int_equal(a->cpu[i].node, b->cpu[i].node);
		assert_int_equal(a->cpu[i].kind, b->cpu[i].kind);
		assert_int_equal(a->cpu[i].allowed, b->cpu[i].allowed);
		for (size_t j = i > 64 ? i - 64 : 0; j < i; j++)
			assert_int_equal(a->cpu[i].core == a->cpu[j].core, b->cpu[i].core == b->cpu[j].core);
	}
	for (size_t i = 0; i < a->caches; i++) {
		auto_free char *shared = cpulist_format(&b->cache[i].shared_by);
		assert_int_equal(a->cache[i].level, b->cache[i].level);
		assert_int_equal(a->cache[i].type, b->cache[i].type);
		assert_int_equal(a->cache[i].size_bytes, b->cache[i].size_bytes);
		assert_int_equal(a->cache[i].line_bytes, b->cache[i].line_bytes);
		assert_int_equal(a->cache[i].ways, b->cache[i].ways);
		assert_list(&a->cache[i].shared_by, shared);
	}
	for (size_t i = 0; i < a->nodes; i++) {
		assert_int_equal(a->node[i].node, b->node[i].node);
		assert_int_equal(a->node[i].memory_bytes, b->node[i].memory_bytes);
	}
}

static const struct counts expected[] = {
	{ "two-socket", 32, 50, 2, 1, 2, 16, 2, "0-31", "" },
	{ "hybrid", 20, 37, 1, 2, 1, 14, 2, "0-19", "" },
	{ "big-little", 6, 14, 0, 2, 1, 6, 1, "0-5", "" },
	{ "guest", 1, 4, 1, 1, 1, 1, 1, "0", "" },
	{ "container-v2", 4, 0, 1, 1, 1, 2, 2, "0-1", "" },
	{ "container-v1", 4, 0, 0, 1, 1, 4, 1, "0-3", "" },
	{ "cpuset", 8, 9, 1, 1, 1, 4, 2, "3,5", "" },
	{ "offline", 6, 5, 1, 1, 1, 4, 2, "0,2-3,5-7", "1,4" },
	{ "no-cpufreq", 4, 0, 0, 1, 1, 4, 1, "0-3", "" },
	{ "no-proc", 4, 1, 1, 1, 1, 2, 2, "0-3", "" },
	{ "riscv", 4, 9, 0, 1, 0, 4, 1, "0-3", "" },
	{ "sparse", 1152, 72, 72, 1, 8, 1152, 1, "0-15,1024-1039,2272-2287", "" },
};

static void hwloc_and_the_built_in_reader_agree_on_every_machine(void **state)
{
	(void)state;
	for (size_t i = 0; i < countof(expected); i++) {
		print_message("  %s\n", expected[i].name);
		recorded_begin(expected[i].name);
		struct topology hwloc = read_by(TOPOLOGY_HWLOC), own = read_by(TOPOLOGY_BUILT_IN);
		assert_string_equal(hwloc.source, "hwloc");
		assert_string_equal(own.source, "built-in");
		assert_counts(&hwloc, &expected[i]);
		assert_counts(&own, &expected[i]);
		assert_alike(&hwloc, &own);
		topology_done(&hwloc);
		topology_done(&own);
		recorded_end();
	}
}

static void without_sys_the_cpus_come_from_proc_cpuinfo(void **state)
{
	(void)state;
	recorded_begin("no-sys");
	struct topology topology = read_by(TOPOLOGY_ANY), refused;
	assert_string_equal(topology.source, "built-in");
	/* "physical id" alternates and "core id" is 0 for all: two packages of one core with two threads. */
	assert_int_equal(topology.cpus, 4);
	assert_int_equal(topology.packages, 2);
	assert_int_equal(topology.cores, 2);
	assert_int_equal(topology.threads_per_core, 2);
	assert_true(topology_are_siblings(&topology, 0, 2));
	assert_int_equal(topology.caches, 0);
	assert_int_equal(topology.nodes, 0);
	assert_false(topology.allowed_known);
	assert_true(topology_read(&refused, TOPOLOGY_HWLOC, NULL) < 0);
	topology_done(&topology);
	recorded_end();
}

static void without_sys_and_core_numbers_the_cores_stay_unknown(void **state)
{
	(void)state;
	recorded_begin("s390x");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_int_equal(topology.cpus, 2);
	assert_int_equal(topology.cores, 0);
	assert_int_equal(topology.packages, 0);
	assert_list(&topology.allowed, "0-1");
	topology_done(&topology);
	recorded_end();
}

static void without_proc_all_online_cpus_count_as_allowed_but_not_as_known(void **state)
{
	(void)state;
	recorded_begin("no-proc");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_false(topology.allowed_known);
	assert_list(&topology.allowed, "0-3");
	topology_done(&topology);
	recorded_end();
}

static void an_empty_tree_is_an_error_with_a_sentence(void **state)
{
	struct topology topology;
	struct err err = { "" };
	char directory[] = "/tmp/assay-empty-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(directory));
	root_set(directory);
	assert_true(topology_read(&topology, TOPOLOGY_ANY, &err) < 0);
	assert_non_null(strstr(err.text, "cannot count CPUs"));
	assert_int_equal(topology.cpus, 0);
	root_set(NULL);
	assert_int_equal(remove(directory), 0);
}

static void caches_are_found_by_cpu_and_level(void **state)
{
	(void)state;
	recorded_begin("hybrid");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_int_equal(topology_cache_bytes(&topology, 0, 1), 48 << 10);
	assert_int_equal(topology_cache_bytes(&topology, 12, 1), 32 << 10);
	assert_int_equal(topology_cache_bytes(&topology, 0, 2), 1280 << 10);
	assert_int_equal(topology_cache_bytes(&topology, 19, 2), 2048 << 10);
	assert_int_equal(topology_cache_bytes(&topology, 0, 4), 0);
	assert_int_equal(topology_cache_bytes(&topology, 99, 1), 0);
	assert_int_equal(topology_last_level_cache_bytes(&topology, 19), 24576 << 10);
	assert_int_equal(topology_cache(&topology, 0, 1)->ways, 12);
	assert_int_equal(topology_cache(&topology, 0, 1)->type, CACHE_DATA);
	assert_list(&topology_cache(&topology, 13, 2)->shared_by, "12-15");
	topology_done(&topology);
	recorded_end();
}

static void a_cache_without_a_size_is_there_but_of_unknown_size(void **state)
{
	(void)state;
	recorded_begin("big-little");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_non_null(topology_last_level_cache(&topology, 4));
	assert_list(&topology_last_level_cache(&topology, 4)->shared_by, "4-5");
	assert_int_equal(topology_last_level_cache_bytes(&topology, 4), 0);
	topology_done(&topology);
	recorded_end();
}

static void hybrid_cores_are_told_apart_by_their_counter_units(void **state)
{
	(void)state;
	recorded_begin("hybrid");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_string_equal(topology.kind[0].name, "P-core");
	assert_int_equal(topology.kind[0].cores, 6);
	assert_int_equal(topology.kind[0].max_hz, 4700000000);
	assert_list(&topology.kind[0].cpus, "0-11");
	assert_string_equal(topology.kind[1].name, "E-core");
	assert_int_equal(topology.kind[1].cores, 8);
	assert_list(&topology.kind[1].cpus, "12-19");
	assert_int_equal(topology_cpu(&topology, 13)->kind, 1);
	topology_done(&topology);
	recorded_end();
}

static void arm_cores_are_told_apart_by_capacity_and_part_fastest_first(void **state)
{
	(void)state;
	recorded_begin("big-little");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_string_equal(topology.kind[0].name, "Cortex-A72");
	assert_int_equal(topology.kind[0].capacity, 1024);
	assert_list(&topology.kind[0].cpus, "4-5");
	assert_string_equal(topology.kind[1].name, "Cortex-A53");
	assert_int_equal(topology.kind[1].cores, 4);
	topology_done(&topology);
	recorded_end();
}

static void siblings_and_shared_caches_follow_the_tree(void **state)
{
	(void)state;
	recorded_begin("two-socket");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_true(topology_are_siblings(&topology, 3, 19));
	assert_false(topology_are_siblings(&topology, 3, 3));
	assert_false(topology_are_siblings(&topology, 3, 4));
	assert_true(topology_share_last_level(&topology, 0, 23));
	assert_false(topology_share_last_level(&topology, 0, 8));
	assert_int_equal(topology_cpu(&topology, 24)->node, 1);
	assert_int_equal(topology.node[0].memory_bytes, UINT64_C(131603000) << 10);
	assert_null(topology_cpu(&topology, 32));
	topology_done(&topology);
	recorded_end();
}

static int pick(const struct topology *topology, int cpu, const char *allowed)
{
	auto_cpulist struct cpulist list = { 0 };

	assert_int_equal(cpulist_parse(&list, allowed, NULL), 0);
	return machine_pick_peer_cpu(topology, cpu, &list);
}

static void a_peer_shares_the_last_level_cache_but_not_the_core(void **state)
{
	(void)state;
	recorded_begin("two-socket");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_int_equal(pick(&topology, 0, "0-31"), 1);
	assert_int_equal(pick(&topology, 0, "0,8-9,16,20"), 20); /* same socket before the other, sibling 16 last */
	assert_int_equal(pick(&topology, 0, "0,9,16"), 9);
	assert_int_equal(pick(&topology, 0, "0,16"), 16);
	assert_int_equal(pick(&topology, 0, "0"), -1);
	assert_int_equal(pick(&topology, 0, ""), -1);
	topology_done(&topology);
	recorded_end();
}

static void a_peer_is_of_the_same_kind_where_that_is_possible(void **state)
{
	(void)state;
	recorded_begin("hybrid");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_int_equal(pick(&topology, 12, "0-19"), 13);
	assert_int_equal(pick(&topology, 12, "0-12"), 0);
	topology_done(&topology);
	recorded_end();
}

static void a_peer_is_never_a_cpu_that_may_not_be_used(void **state)
{
	(void)state;
	recorded_begin("cpuset");
	struct topology topology = read_by(TOPOLOGY_ANY);
	assert_int_equal(machine_pick_peer_cpu(&topology, 3, &topology.allowed), 5);
	assert_int_equal(machine_pick_peer_cpu(&topology, 5, &topology.allowed), 3);
	topology_done(&topology);
	recorded_end();
}

static void reading_a_recorded_tree_leaves_the_environment_as_it_was(void **state)
{
	(void)state;
	setenv("HWLOC_COMPONENTS", "-x86", 1);
	unsetenv("HWLOC_FSROOT");
	recorded_begin("guest");
	struct topology topology = read_by(TOPOLOGY_HWLOC);
	assert_string_equal(getenv("HWLOC_COMPONENTS"), "-x86");
	assert_null(getenv("HWLOC_FSROOT"));
	topology_done(&topology);
	recorded_end();
	unsetenv("HWLOC_COMPONENTS");
}

static void on_this_machine_both_readers_agree_and_allowed_is_the_affinity(void **state)
{
	auto_cpulist struct cpulist affinity = { 0 };

	(void)state;
	if (!root_exists("/sys/devices/system/cpu/online"))
		skip();
	struct topology hwloc = read_by(TOPOLOGY_HWLOC), own = read_by(TOPOLOGY_BUILT_IN);
	assert_int_equal(hwloc.cpus, own.cpus);
	assert_int_equal(hwloc.cores, own.cores);
	assert_int_equal(hwloc.packages, own.packages);
	assert_int_equal(cpulist_allowed(&affinity), 0);
	auto_free char *text = cpulist_format(&affinity);
	assert_list(&own.allowed, text);
	topology_done(&hwloc);
	topology_done(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hwloc_and_the_built_in_reader_agree_on_every_machine),
		cmocka_unit_test(without_sys_the_cpus_come_from_proc_cpuinfo),
		cmocka_unit_test(without_sys_and_core_numbers_the_cores_stay_unknown),
		cmocka_unit_test(without_proc_all_online_cpus_count_as_allowed_but_not_as_known),
		cmocka_unit_test(an_empty_tree_is_an_error_with_a_sentence),
		cmocka_unit_test(caches_are_found_by_cpu_and_level),
		cmocka_unit_test(a_cache_without_a_size_is_there_but_of_unknown_size),
		cmocka_unit_test(hybrid_cores_are_told_apart_by_their_counter_units),
		cmocka_unit_test(arm_cores_are_told_apart_by_capacity_and_part_fastest_first),
		cmocka_unit_test(siblings_and_shared_caches_follow_the_tree),
		cmocka_unit_test(a_peer_shares_the_last_level_cache_but_not_the_core),
		cmocka_unit_test(a_peer_is_of_the_same_kind_where_that_is_possible),
		cmocka_unit_test(a_peer_is_never_a_cpu_that_may_not_be_used),
		cmocka_unit_test(reading_a_recorded_tree_leaves_the_environment_as_it_was),
		cmocka_unit_test(on_this_machine_both_readers_agree_and_allowed_is_the_affinity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
