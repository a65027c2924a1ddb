/* Derivations of memory over curves as they were recorded on a guest of a Zen 4 server (32 KiB L1, 1 MiB L2, a part of a
 * 32 MiB L3 that neighbours leave; 72 entries in the first-level data TLB), and over curves that show nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"
#include "base/mem.h"
#include "harness/derive.h"

static const struct {
	uint64_t size;
	double ns;
} latency[] = {
	{ 512, 1.0827 }, { 640, 1.0828 }, { 768, 1.0827 }, { 1024, 1.0827 }, { 1280, 1.0827 }, { 1536, 1.0827 },
	{ 2048, 1.0827 }, { 2560, 1.0827 }, { 3072, 1.0827 }, { 4096, 1.0827 }, { 5120, 1.0827 },
	{ 6144, 1.0827 }, { 8192, 1.0827 }, { 10240, 1.0827 }, { 12288, 1.0827 }, { 16384, 1.0827 },
	{ 20480, 1.0827 }, { 24576, 1.0828 }, { 32768, 1.2161 }, { 40960, 3.7207 }, { 49152, 3.7899 },
	{ 65536, 3.8008 }, { 81920, 3.8002 }, { 98304, 3.802 }, { 131072, 3.7996 }, { 163840, 3.7996 },
	{ 196608, 3.8002 }, { 262144, 3.8026 }, { 327680, 4.0209 }, { 393216, 4.3528 }, { 524288, 4.7422 },
	{ 655360, 4.9927 }, { 786432, 5.1621 }, { 1048576, 6.8264 }, { 1310720, 10.1957 }, { 1572864, 12.1299 },
	{ 2097152, 13.9294 }, { 2621440, 14.7485 }, { 3145728, 14.2642 }, { 4194304, 15.3181 },
	{ 5242880, 19.1289 }, { 6291456, 117.3596 }, { 8388608, 130.623 }, { 10485760, 132.0117 },
	{ 12582912, 132.502 }, { 16777216, 142.5762 }, { 20971520, 144.7852 }, { 25165824, 145.6875 },
	{ 33554432, 148.4648 }, { 41943040, 158.6934 }, { 50331648, 154.334 }, { 67108864, 158.0703 },
	{ 83886080, 156.4824 }, { 100663296, 157.7715 }, { 134217728, 157.4414 }, { 167772160, 163.0156 },
	{ 201326592, 163.5664 }, { 268435456, 169.627 },
};

static const struct {
	unsigned pages;
	double spread, packed;
} tlb[] = {
	{ 8, 1.0827, 1.0828 }, { 10, 1.0827, 1.0827 }, { 12, 1.1201, 1.0827 }, { 14, 1.0828, 1.0827 },
	{ 16, 1.0827, 1.0828 }, { 20, 1.0827, 1.0827 }, { 24, 1.0827, 1.0827 }, { 28, 1.0827, 1.0827 },
	{ 32, 1.0828, 1.0827 }, { 40, 1.0827, 1.0827 }, { 48, 1.0905, 1.0828 }, { 56, 1.0828, 1.0827 },
	{ 64, 1.0827, 1.0827 }, { 80, 2.9775, 1.0827 }, { 96, 2.9774, 1.0827 }, { 112, 3., 1.0827 },
	{ 128, 2.9781, 1.0827 }, { 160, 2.9775, 1.0827 }, { 192, 2.9775, 1.0827 }, { 224, 2.9775, 1.0827 },
	{ 256, 2.9777, 1.0827 }, { 320, 2.9778, 1.0827 }, { 384, 2.9778, 1.0827 }, { 448, 2.9817, 1.0826 },
	{ 512, 2.9799, 1.0818 }, { 640, 5.9635, 3.7929 }, { 768, 5.9622, 3.7996 }, { 896, 5.969, 3.7898 },
	{ 1024, 5.9775, 3.8015 }, { 1280, 5.9916, 3.8009 }, { 1536, 6.9579, 3.8046 }, { 1792, 5.9781, 3.8027 },
	{ 2048, 5.9763, 3.8027 }, { 2560, 6.5529, 3.8026 }, { 3072, 10.2913, 3.8038 }, { 3584, 13.3425, 3.8051 },
	{ 4096, 16.3987, 3.8052 }, { 5120, 19.2229, 4.0356 }, { 6144, 21.0054, 4.3625 },
	{ 7168, 33.6631, 4.5844 }, { 8192, 25.2427, 4.7556 },
};

static void add(struct run *run, double value, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void add(struct run *run, double value, const char *fmt, ...)
{
	char id[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(id, sizeof id, fmt, args);
	va_end(args);
	struct point *point = run_add_point(run, id);
	struct process process = { .outcome = VERDICT_OK, .location = value, .clock_hz = NAN };
	point->unit = mem_copy("ns");
	point_add_process(point, &process);
}

static void add_latency(struct run *run, const char *page, uint64_t largest)
{
	for (size_t i = 0; i < countof(latency) && latency[i].size <= largest; i++) {
		char size[FORMAT_SIZE];
		add(run, latency[i].ns, "mem.latency:random/size=%s,page=%s,spacing=64",
		    format_size(size, latency[i].size), page);
	}
}

static const struct process *derived(struct run *run, const char *id)
{
	const struct point *point = run_find_point(run, id);

	assert_non_null(point);
	assert_true(point->derived);
	assert_int_equal(point->processes, 1);
	return &point->process[0];
}

static void derive(struct run *run)
{
	derive_plan(run);
	derive_round(run, 0);
}

static void assert_value(struct run *run, const char *id, double low, double high)
{
	const struct process *process = derived(run, id);

	assert_int_equal(process->outcome, VERDICT_OK);
	assert_true(process->location >= low && process->location <= high);
}

static void assert_refused(struct run *run, const char *id, const char *words)
{
	const struct process *process = derived(run, id);

	assert_int_equal(process->outcome, VERDICT_SKIPPED);
	assert_true(isnan(process->location));
	assert_non_null(strstr(process->reason, words));
}

static void a_recorded_curve_gives_its_levels(void **state)
{
	struct run run = { 0 };

	(void)state;
	add_latency(&run, "huge", UINT64_MAX);
	add_latency(&run, "4k", UINT64_MAX);
	derive(&run);
	assert_value(&run, "mem.level:l1", 1.08, 1.09);
	assert_value(&run, "mem.level:l2", 3.7, 4.4);
	assert_value(&run, "mem.level:l3", 13, 16);
	assert_value(&run, "mem.level:main", 169.627, 169.627);
	assert_value(&run, "mem.level:random", 169.627, 169.627);
	assert_value(&run, "mem.cache:l1", 32 << 10, 32 << 10);
	assert_value(&run, "mem.cache:l2", 768 << 10, 1280 << 10);
	assert_value(&run, "mem.cache:l3", 4 << 20, 6 << 20);
	run_done(&run);
}

static void a_level_that_does_not_show_is_refused_in_words(void **state)
{
	struct run run = { 0 };

	(void)state;
	add_latency(&run, "huge", 512 << 10);
	derive(&run);
	assert_value(&run, "mem.level:l1", 1.08, 1.09);
	assert_refused(&run, "mem.level:l2", "no second level visible");
	assert_refused(&run, "mem.cache:l3", "between 32k and 512k");
	assert_refused(&run, "mem.level:main", "512k");
	run_done(&run);
}

static void without_the_whole_curve_no_level_is_planned(void **state)
{
	struct run run = { 0 };

	(void)state;
	add(&run, 5, "mem.latency:random/size=256k,page=huge,spacing=64");
	add(&run, 150, "mem.latency:random/size=64m,page=huge,spacing=64");
	derive(&run);
	assert_null(run_find_point(&run, "mem.level:l1"));
	run_done(&run);
}

static void tlb_reach_is_where_spread_lines_begin_to_cost_more(void **state)
{
	struct run run = { 0 }, flat = { 0 };

	(void)state;
	for (size_t i = 0; i < countof(tlb); i++) {
		add(&run, tlb[i].spread, "mem.tlb:spread/pages=%u", tlb[i].pages);
		add(&run, tlb[i].packed, "mem.tlb:packed/pages=%u", tlb[i].pages);
		add(&flat, tlb[i].packed, "mem.tlb:spread/pages=%u", tlb[i].pages);
		add(&flat, tlb[i].packed, "mem.tlb:packed/pages=%u", tlb[i].pages);
	}
	derive(&run);
	derive(&flat);
	assert_value(&run, "mem.tlb_reach", 64, 64); /* the next point of the grid is 80 */
	assert_refused(&flat, "mem.tlb_reach", "no end of the TLB visible");
	run_done(&run);
	run_done(&flat);
}

static void line_size_and_parallelism_find_their_curves(void **state)
{
	static const unsigned distance[] = { 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512 };
	struct run run = { 0 }, flat = { 0 };

	(void)state;
	for (size_t i = 0; i < countof(distance); i++) {
		add(&run, distance[i] < 64 ? 5.486 : 7.58, "mem.line/distance=%u,size=192k", distance[i]);
		add(&flat, 7.58, "mem.line/distance=%u,size=192k", distance[i]);
	}
	for (unsigned chains = 1; chains <= 16; chains++)
		add(&run, 160.0 / (chains < 10 ? chains : 10), "mem.parallel/chains=%u,size=256m", chains);
	add(&flat, 20, "mem.parallel/chains=8,size=256m");
	derive(&run);
	derive(&flat);
	assert_value(&run, "mem.line_size", 64, 64);
	assert_value(&run, "mem.parallelism", 9.99, 10.01);
	assert_refused(&flat, "mem.line_size", "no end of a line visible");
	assert_refused(&flat, "mem.parallelism", "one chain");
	run_done(&run);
	run_done(&flat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_curve_gives_its_levels),
		cmocka_unit_test(a_level_that_does_not_show_is_refused_in_words),
		cmocka_unit_test(without_the_whole_curve_no_level_is_planned),
		cmocka_unit_test(tlb_reach_is_where_spread_lines_begin_to_cost_more),
		cmocka_unit_test(line_size_and_parallelism_find_their_curves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
