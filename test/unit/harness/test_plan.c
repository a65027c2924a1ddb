/* Ids, selectors and sets, over every bench of the registry. */
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "harness/derive.h"
#include "harness/plan.h"
#include "harness/registry.h"
#include "harness/sets.h"
#include "harness/slab.h"
#include "report/classic.h"

static const struct plan_facts facts = { .memory_bytes = UINT64_C(1) << 28, .two_cpus = true };

static void add(struct plan *plan, const char *selector)
{
	struct err err = { { 0 } };

	if (plan_add(plan, selector, &facts, &err) < 0)
		fail_msg("%s: %s", selector, err.text);
}

static void assert_same_spec(const struct spec *a, const struct spec *b)
{
	assert_ptr_equal(a->bench, b->bench);
	assert_int_equal(a->variant, b->variant);
	assert_int_equal(a->cross, b->cross);
	for (unsigned i = 0; a->bench->params && a->bench->params[i].name; i++)
		assert_int_equal(a->value[i], b->value[i]);
}

static void assert_parses(const char *id, struct spec *ret_spec)
{
	struct err err = { { 0 } };

	if (spec_parse(id, ret_spec, &err) < 0)
		fail_msg("%s: %s", id, err.text);
}

static void assert_refused(const char *id, int code, const char *words)
{
	struct err err = { { 0 } };
	struct spec spec;

	assert_int_equal(spec_parse(id, &spec, &err), code);
	if (!strstr(err.text, words))
		fail_msg("'%s' is not in: %s", words, err.text);
}

static void there_are_benches_and_each_is_found_by_its_name(void **state)
{
	(void)state;
	assert_true(registry_count() > 20);
	for (size_t i = 0; i < registry_count(); i++) {
		assert_ptr_equal(registry_find(registry_at(i)->name), registry_at(i));
		if (i > 0)
			assert_true(strcmp(registry_at(i - 1)->name, registry_at(i)->name) < 0);
	}
	assert_null(registry_at(registry_count()));
	assert_null(registry_find("self"));
	assert_null(registry_find(""));
}

/* What the harness takes for granted of a bench. */
static void every_bench_keeps_the_contract(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		unsigned params = 0;
		assert_non_null(bench->title);
		assert_non_null(bench->run);
		assert_true(bench->unit != BENCH_BYTES_PER_SEC || bench->bytes);
		assert_true(!bench->curve == !bench->move);
		assert_true(bench->per_octave <= 4);
		assert_true(!bench->max_ops || bench->max_ops >= (bench->granule ? bench->granule : 1));
		for (; bench->params && bench->params[params].name; params++) {
			const struct param *param = &bench->params[params];
			assert_non_null(param->help);
			assert_true(param->offset + sizeof(uint64_t) <= bench->state_size);
			assert_true((param->type == PARAM_CHOICE) == (param->choices != NULL));
			assert_true(param->initial == PARAM_MEMORY || param->choices ||
				    (param->low <= param->initial && param->initial <= param->high));
			assert_string_not_equal(param->name, "place");
		}
		assert_true(params <= MAX_PARAMS);
		struct spec spec = { .bench = bench };
		assert_true(!bench->curve || spec_curve_index(&spec) >= 0);
	}
}

static void check_job(const struct job *job)
{
	int curve = spec_curve_index(&job->spec[0]);

	assert_in_range(job->specs, 1, SLAB_POINTS);
	for (size_t i = 0; i < job->specs; i++) {
		struct spec again = { 0 };
		auto_free char *id = spec_format(&job->spec[i]);
		auto_free char *job_name = spec_job(&job->spec[i]);
		assert_parses(id, &again);
		assert_same_spec(&job->spec[i], &again);
		assert_string_equal(job_name, job->name);
		assert_true(strlen(id) < sizeof((struct slab_point *)NULL)->id);
		if (i > 0)
			assert_true(job->spec[i].value[curve] > job->spec[i - 1].value[curve]);
	}
}

/* Written and read again, each point of every bench is the same; also where memory is tiny or huge. */
static void every_point_can_be_written_and_read_again(void **state)
{
	static const uint64_t memories[] = { UINT64_C(1) << 20, UINT64_C(3) << 20, UINT64_C(1) << 28, UINT64_C(3) << 33,
					     UINT64_C(1) << 40 };

	(void)state;
	for (size_t i = 0; i < countof(memories); i++) {
		struct plan_facts here = { .memory_bytes = memories[i], .two_cpus = true };
		for (size_t j = 0; j < registry_count(); j++) {
			struct plan plan = { 0 };
			struct err err = { { 0 } };
			assert_int_equal(plan_add(&plan, registry_at(j)->name, &here, &err), 0);
			assert_true(plan.jobs > 0);
			for (size_t k = 0; k < plan.jobs; k++)
				check_job(&plan.job[k]);
			plan_done(&plan);
		}
	}
}

static void params_that_are_not_named_have_their_defaults(void **state)
{
	struct spec spec;

	(void)state;
	assert_parses("self.known", &spec);
	auto_free char *id = spec_format(&spec);
	assert_string_equal(id, "self.known/adds=1000");
	assert_parses("self.known/adds=7", &spec);
	assert_int_equal(spec.value[0], 7);
	auto_free char *other = spec_format(&spec);
	assert_string_equal(other, "self.known/adds=7");
	uint64_t state_of_bench[8] = { 0 };
	spec_assign(&spec, state_of_bench);
	assert_int_equal(state_of_bench[registry_find("self.known")->params[0].offset / sizeof(uint64_t)], 7);
}

static void sizes_are_written_with_the_largest_exact_suffix(void **state)
{
	static const struct {
		const char *given, *written;
	} sizes[] = { { "1024", "1k" }, { "1536", "1536" }, { "1m", "1m" }, { "2048k", "2m" }, { "0x400", NULL }, { "1K", "1k" } };

	(void)state;
	for (size_t i = 0; i < countof(sizes); i++) {
		auto_free char *id = mem_text("mem.latency:random/size=%s", sizes[i].given);
		struct spec spec;
		if (!sizes[i].written) {
			assert_refused(id, -EINVAL, "size");
			continue;
		}
		assert_parses(id, &spec);
		auto_free char *wanted = mem_text("mem.latency:random/size=%s,", sizes[i].written);
		auto_free char *written = spec_format(&spec);
		assert_memory_equal(written, wanted, strlen(wanted));
	}
}

static void hostile_ids_are_refused_with_words(void **state)
{
	static char endless[100000];

	(void)state;
	memset(endless, 'a', sizeof endless - 1);
	assert_refused("", -ENOENT, "there is no bench ''");
	assert_refused("/", -ENOENT, "there is no bench");
	assert_refused(":", -ENOENT, "there is no bench");
	assert_refused(endless, -ENOENT, "there is no bench");
	assert_refused("self.known/", -EINVAL, "'' is not key=value");
	assert_refused("self.known/adds", -EINVAL, "'adds' is not key=value");
	assert_refused("self.known/adds=", -EINVAL, "adds");
	assert_refused("self.known/adds=1,", -EINVAL, "'' is not key=value");
	assert_refused("self.known/=1", -EINVAL, "no parameter ''");
	assert_refused("self.known/adds=0", -EINVAL, "outside 1…1000000");
	assert_refused("self.known/adds=1000001", -EINVAL, "outside 1…1000000");
	assert_refused("self.known/adds=-1", -EINVAL, "adds");
	assert_refused("self.known/adds=1e3", -EINVAL, "adds");
	assert_refused("self.known/adds=99999999999999999999", -EINVAL, "adds");
	assert_refused("self.known/adds=18446744073709551615", -EINVAL, "outside");
	assert_refused("self.known/adds=1/adds=2", -EINVAL, "adds");
	assert_refused("self.known/adds=%s%n", -EINVAL, "adds");
	assert_refused("self.known/subs=1", -EINVAL, "no parameter 'subs' (see assay help self.known)");
	assert_refused("self.known:x", -EINVAL, "no variant 'x' (see assay help self.known)");
	assert_refused("self.faulty:", -EINVAL, "no variant ''");
	assert_refused("self.faulty:crash:exit", -EINVAL, "no variant 'crash:exit'");
	assert_refused("mem.latency:random/page=1g5", -EINVAL, "page has no choice '1g5'");
	assert_refused("mem.latency:random/size=0", -EINVAL, "size");
	assert_refused("mem.latency:random/size=16777216t", -EINVAL, "size");
}

static void place_cross_is_for_benches_with_a_peer(void **state)
{
	struct spec spec;

	(void)state;
	assert_parses("ipc.pipe/place=cross", &spec);
	assert_true(spec.cross);
	auto_free char *id = spec_format(&spec);
	assert_non_null(strstr(id, "place=cross"));
	auto_free char *job = spec_job(&spec);
	assert_string_equal(job, id);
	assert_parses("ipc.pipe/place=same", &spec);
	assert_false(spec.cross);
	auto_free char *same = spec_format(&spec);
	assert_null(strstr(same, "place"));
	assert_refused("ipc.pipe/place=far", -EINVAL, "place is 'same' or 'cross', not 'far'");
	assert_refused("self.known/place=cross", -EINVAL, "self.known runs in one process: place=cross has no meaning");
	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		auto_free char *crossing = mem_text("%s/place=cross", bench->name);
		if (!bench->peers)
			assert_refused(crossing, -EINVAL, "place=cross has no meaning");
	}
}

static void a_selector_names_a_bench_a_folder_or_a_glob(void **state)
{
	static const struct {
		const char *selector;
		const char *bench; /* that is in it */
		const char *other; /* that is not */
	} rows[] = {
		{ "mem.latency", "mem.latency", "mem.bw" }, { "mem", "mem.bw", "cpu.op" },    { "mem.*", "mem.bw", "cpu.op" },
		{ "*", "cpu.op", "self.known" },	    { "all", "cpu.op", "self.known" }, { "self", "self.known", "cpu.op" },
		{ "self.k*", "self.known", "self.null" },   { "*.op", "cpu.op", "cpu.clock" },
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct plan plan = { 0 };
		bool bench = false, other = false;
		add(&plan, rows[i].selector);
		for (size_t j = 0; j < plan.jobs; j++) {
			bench |= !strcmp(plan.job[j].spec[0].bench->name, rows[i].bench);
			other |= !strcmp(plan.job[j].spec[0].bench->name, rows[i].other);
		}
		assert_true(bench);
		assert_false(other);
		plan_done(&plan);
	}
}

static void selectors_that_name_nothing_say_so_and_add_nothing(void **state)
{
	static const char *const selectors[] = { "", ".", "mem.", "me", "memory", "mem.latenc", "[", "mem.latency:*x", "nothing:x",
						 "nothing/x=1", "self.faulty/x=1", "self.faulty:nothing", " mem", "mem ",
						 "mem.latency,mem.bw", "--", "hidden" };
	struct plan plan = { 0 };

	(void)state;
	for (size_t i = 0; i < countof(selectors); i++) {
		struct err err = { { 0 } };
		if (plan_add(&plan, selectors[i], &facts, &err) == 0)
			fail_msg("'%s' was taken", selectors[i]);
		assert_true(err.text[0] != '\0');
		assert_int_equal(plan.jobs, 0);
	}
	plan_done(&plan);
}

static void what_is_named_twice_is_planned_once(void **state)
{
	struct plan plan = { 0 };

	(void)state;
	add(&plan, "mem");
	add(&plan, "self.known");
	size_t jobs = plan.jobs, points = plan.points;
	add(&plan, "mem.latency");
	add(&plan, "mem.*");
	add(&plan, "self.known/adds=1000");
	assert_int_equal(plan.jobs, jobs);
	assert_int_equal(plan.points, points);
	add(&plan, "self.known/adds=1001");
	assert_int_equal(plan.jobs, jobs + 1);
	for (size_t i = 0; i < plan.jobs; i++) {
		check_job(&plan.job[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(plan.job[i].name, plan.job[j].name);
	}
	plan_done(&plan);
}

static void a_bench_without_a_variant_means_all_of_them(void **state)
{
	struct plan plan = { 0 };

	(void)state;
	add(&plan, "self.faulty");
	assert_int_equal(plan.points, 5);
	plan_done(&plan);
	add(&plan, "mem.latency/size=4k");
	const struct variant *variants = registry_find("mem.latency")->variants;
	for (size_t i = 0; i < plan.jobs; i++)
		assert_int_equal(plan.job[i].spec[0].variant, i);
	assert_null(variants[plan.jobs].name);
	plan_done(&plan);
}

static void a_curve_climbs_from_low_to_its_default(void **state)
{
	unsigned curves = 0;

	(void)state;
	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		struct plan plan = { 0 };
		if (!bench->curve)
			continue;
		curves++;
		add(&plan, bench->name);
		const struct job *job = &plan.job[0];
		int curve = spec_curve_index(&job->spec[0]);
		const struct param *param = &bench->params[curve];
		uint64_t last = param->initial == PARAM_MEMORY ? facts.memory_bytes : param->initial;
		assert_int_equal(job->spec[0].value[curve], param->low);
		assert_int_equal(job->spec[job->specs - 1].value[curve], last);
		for (size_t j = 1; j < job->specs; j++) {
			uint64_t before = job->spec[j - 1].value[curve], now = job->spec[j].value[curve];
			assert_true(now > before);
			assert_true(bench->per_octave ? now <= 2 * before : now == before + 1);
		}
		plan_done(&plan);
	}
	assert_true(curves > 0);
}

static void one_size_of_a_curve_joins_the_others_in_their_place(void **state)
{
	struct plan plan = { 0 };

	(void)state;
	add(&plan, "mem.latency:random/size=64m");
	add(&plan, "mem.latency:random/size=16k");
	add(&plan, "mem.latency:random/size=4m");
	add(&plan, "mem.latency:random/size=16k");
	assert_int_equal(plan.jobs, 1);
	assert_int_equal(plan.points, 3);
	check_job(&plan.job[0]);
	add(&plan, "mem.latency:random");
	assert_int_equal(plan.jobs, 1);
	check_job(&plan.job[0]);
	/* A curve with other params is another one. */
	add(&plan, "mem.latency:random/page=4k,size=16k");
	assert_int_equal(plan.jobs, 2);
	plan_done(&plan);
}

static void memory_means_the_bytes_of_this_machine(void **state)
{
	struct plan plan = { 0 };

	(void)state;
	add(&plan, "mem.latency:random/page=4k,size=memory");
	assert_int_equal(plan.points, 1);
	auto_free char *id = spec_format(&plan.job[0].spec[0]);
	assert_non_null(strstr(id, "size=256m"));
	plan_done(&plan);
}

static void every_line_of_a_set_names_something(void **state)
{
	static const char *const sets[] = { "classic", "quick" };

	(void)state;
	for (size_t i = 0; i < countof(sets); i++) {
		assert_non_null(strstr(set_names(), sets[i]));
		assert_true(set_budget_ns(sets[i]) > 0);
		for (const char *const *member = set_members(sets[i]); *member; member++) {
			struct plan plan = { 0 };
			add(&plan, *member);
			for (size_t j = 0; j < plan.jobs; j++)
				assert_false(plan.job[j].spec[0].bench->hidden);
			plan_done(&plan);
		}
	}
	assert_null(set_members("all"));
	assert_int_equal(set_budget_ns("all"), 0);
}

static void sets_are_planned_with_and_without_a_second_cpu(void **state)
{
	struct plan one = { 0 }, two = { 0 };
	struct err err = { { 0 } };
	struct plan_facts alone = { .memory_bytes = UINT64_C(1) << 28 };
	size_t crossing = 0;

	(void)state;
	assert_int_equal(plan_add_set(&one, "classic", &alone, &err), 0);
	assert_int_equal(plan_add_set(&two, "classic", &facts, &err), 0);
	for (size_t i = 0; i < one.jobs; i++)
		assert_false(one.job[i].spec[0].cross);
	for (size_t i = 0; i < two.jobs; i++) {
		check_job(&two.job[i]);
		crossing += two.job[i].spec[0].cross;
	}
	assert_true(crossing > 0);
	assert_int_equal(two.jobs, one.jobs + crossing);
	assert_int_equal(plan_add_set(&one, "none", &alone, &err), -ENOENT);
	assert_string_equal(err.text, "there is no set 'none' (sets: classic, quick)");
	plan_done(&one);
	plan_done(&two);
}

static void quick_is_about_thirty_points(void **state)
{
	struct plan plan = { 0 };
	struct err err = { { 0 } };

	(void)state;
	assert_int_equal(plan_add_set(&plan, "quick", &facts, &err), 0);
	assert_in_range(plan.points, 20, 45);
	plan_done(&plan);
}

static bool in_plan(const struct plan *plan, const char *pattern)
{
	for (size_t i = 0; i < plan->jobs; i++) {
		for (size_t j = 0; j < plan->job[i].specs; j++) {
			auto_free char *id = spec_format(&plan->job[i].spec[j]);
			if (fnmatch(pattern, id, 0) == 0)
				return true;
		}
	}
	return false;
}

/* A pattern that matches nothing would leave the figure out without a word. */
static void the_classic_set_has_all_that_is_derived(void **state)
{
	const struct derivation *const tables[] = { derivations_os, derivations_mem };
	struct plan plan = { 0 };
	struct err err = { { 0 } };

	(void)state;
	assert_int_equal(plan_add_set(&plan, "classic", &facts, &err), 0);
	for (size_t i = 0; i < countof(tables); i++) {
		for (const struct derivation *row = tables[i]; row->id; row++) {
			for (size_t j = 0; j < countof(row->sources) && row->sources[j]; j++) {
				if (!in_plan(&plan, row->sources[j]))
					fail_msg("%s: the classic set has no %s", row->id, row->sources[j]);
			}
		}
	}
	plan_done(&plan);
}

/* A set that is named after the tables must fill them; only what it may go without is left out. */
static void the_classic_set_fills_the_classic_tables(void **state)
{
	struct plan plan = { 0 };
	struct run run = { 0 };
	struct err err = { { 0 } };
	size_t cells = 0;

	(void)state;
	assert_int_equal(plan_add_set(&plan, "classic", &facts, &err), 0);
	for (size_t i = 0; i < plan.jobs; i++) {
		for (size_t j = 0; j < plan.job[i].specs; j++) {
			auto_free char *id = spec_format(&plan.job[i].spec[j]);
			run_add_point(&run, id);
		}
	}
	derive_plan(&run);
	for (size_t i = 0; i < classic_count; i++) {
		const struct classic_table *table = &classic_tables[i];
		for (size_t j = 0; j < classic_columns(table); j++) {
			const char *pattern = table->column[j].id[0];
			if (pattern && !classic_find(&run, pattern))
				fail_msg("%s, %s: the classic set has no %s", table->title, table->column[j].heading, pattern);
			cells += pattern != NULL;
		}
	}
	assert_true(cells > 50);
	plan_done(&plan);
	run_done(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_are_benches_and_each_is_found_by_its_name),
		cmocka_unit_test(every_bench_keeps_the_contract),
		cmocka_unit_test(every_point_can_be_written_and_read_again),
		cmocka_unit_test(params_that_are_not_named_have_their_defaults),
		cmocka_unit_test(sizes_are_written_with_the_largest_exact_suffix),
		cmocka_unit_test(hostile_ids_are_refused_with_words),
		cmocka_unit_test(place_cross_is_for_benches_with_a_peer),
		cmocka_unit_test(a_selector_names_a_bench_a_folder_or_a_glob),
		cmocka_unit_test(selectors_that_name_nothing_say_so_and_add_nothing),
		cmocka_unit_test(what_is_named_twice_is_planned_once),
		cmocka_unit_test(a_bench_without_a_variant_means_all_of_them),
		cmocka_unit_test(a_curve_climbs_from_low_to_its_default),
		cmocka_unit_test(one_size_of_a_curve_joins_the_others_in_their_place),
		cmocka_unit_test(memory_means_the_bytes_of_this_machine),
		cmocka_unit_test(every_line_of_a_set_names_something),
		cmocka_unit_test(sets_are_planned_with_and_without_a_second_cpu),
		cmocka_unit_test(quick_is_about_thirty_points),
		cmocka_unit_test(the_classic_set_has_all_that_is_derived),
		cmocka_unit_test(the_classic_set_fills_the_classic_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
