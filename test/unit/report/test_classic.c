#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "fixture.h"
#include "report/classic.h"

#define auto_run __attribute__((cleanup(run_done)))

/* base/json.h and jansson.h share names; the writer is reached through this. */
char *tables_document(const struct run *run);

static void assert_found(const struct run *run, const char *pattern, const char *id)
{
	const struct point *point = classic_find(run, pattern);

	if (id) {
		assert_non_null(point);
		assert_string_equal(point->id, id);
	} else {
		assert_null(point);
	}
}

static void an_exact_id_wins(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_point(&run, "mem.bw:read/size=1g", "B/s", 1, 1);
	fixture_point(&run, "mem.bw:read", "B/s", 1, 1);
	assert_found(&run, "mem.bw:read", "mem.bw:read");
}

static void of_several_the_largest_size_wins_whatever_its_suffix(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_point(&run, "mem.bw:read/size=900k", "B/s", 1, 1);
	fixture_point(&run, "mem.bw:read/size=2g", "B/s", 1, 1);
	fixture_point(&run, "mem.bw:read/size=64m", "B/s", 1, 1);
	fixture_point(&run, "mem.bw:write/size=4g", "B/s", 1, 1);
	assert_found(&run, "mem.bw:read", "mem.bw:read/size=2g");
	assert_found(&run, "mem.bw:*", "mem.bw:write/size=4g");
	assert_found(&run, "mem.bw:read/size=*m", "mem.bw:read/size=64m");
}

static void other_params_decide_where_sizes_are_equal(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_point(&run, "a.b/size=1k,n=9", "ns", 1, 1);
	fixture_point(&run, "a.b/size=1k,n=100", "ns", 1, 1);
	assert_found(&run, "a.b", "a.b/size=1k,n=100");
}

static void named_params_must_be_so_and_others_may_be_anything(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_point(&run, "net.tcp/size=1,nodelay=1", "ns", 1, 1);
	fixture_point(&run, "net.tcp/size=16,nodelay=1", "ns", 1, 1);
	assert_found(&run, "net.tcp/size=1", "net.tcp/size=1,nodelay=1");
	assert_found(&run, "net.tcp/nodelay=1,size=16", "net.tcp/size=16,nodelay=1");
	assert_found(&run, "net.tcp/size=1,family=6", NULL);
	assert_found(&run, "net.tc", NULL);
	assert_found(&run, "net.tcp/siz=1", NULL);
}

static void placed_points_are_found_only_when_named(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_point(&run, "ipc.pipe/size=1,place=cross", "ns", 1, 1);
	fixture_point(&run, "ipc.pipe/size=1,copies=2", "ns", 1, 1);
	assert_found(&run, "ipc.pipe/size=1", NULL);
	assert_found(&run, "ipc.pipe/size=1,place=cross", "ipc.pipe/size=1,place=cross");
}

static const struct classic_table *table_titled(const char *title)
{
	for (size_t i = 0; i < classic_count; i++) {
		if (!strcmp(classic_tables[i].title, title))
			return &classic_tables[i];
	}
	fail_msg("no table \"%s\"", title);
	return NULL;
}

static void tables_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < classic_count; i++) {
		const struct classic_table *table = &classic_tables[i];
		assert_true(classic_bands(table) > 0);
		assert_true(classic_columns(table) > 0);
		for (size_t j = 0; j < classic_columns(table) * classic_bands(table); j++) {
			const struct classic_column *column = &table->column[j % classic_columns(table)];
			size_t band = j / classic_columns(table);
			assert_true(column->recorded ? column->scale > 0 && column->shown : table->scale > 0);
			assert_true(table->band[band].cross || column->id[band]);
		}
	}
	assert_int_equal(classic_columns(table_titled("Processes")), 10);
	assert_int_equal(classic_columns(table_titled("Context switch")), 7);
}

static void a_point_in_another_unit_is_not_shown_as_if_it_were_right(void **state)
{
	auto_run struct run run = { 0 };
	const struct classic_table *table = table_titled("Processes");

	(void)state;
	fixture_point(&run, "syscall.simple:null", "B/s", 231, 1);
	struct figure figure = classic_figure(&run, table, &table->column[0], 0);
	assert_false(figure.usable);
	assert_non_null(strstr(figure.reason, "unit"));
}

static const json_t *cell(const json_t *root, const char *title, const char *column, const char *row)
{
	size_t i, j;
	json_t *table, *found;

	json_array_foreach(json_object_get(root, "tables"), i, table) {
		if (strcmp(json_string_value(json_object_get(table, "title")), title))
			continue;
		json_array_foreach(json_object_get(table, "cells"), j, found) {
			const char *name = json_string_value(json_object_get(found, "row"));
			if (!strcmp(json_string_value(json_object_get(found, "column")), column) &&
			    (row ? name && !strcmp(name, row) : !name))
				return found;
		}
	}
	fail_msg("no cell %s / %s", title, column);
	return NULL;
}

static void json_tables_hold_values_in_units_of_the_record(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_run(&run);
	auto_free char *document = tables_document(&run);
	json_t *root = json_loads(document, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "tables")), classic_count);
	const json_t *null_call = cell(root, "Processes", "null call", NULL);
	assert_true(json_real_value(json_object_get(null_call, "value")) == 231.4);
	assert_string_equal(json_string_value(json_object_get(null_call, "verdict")), "ok");
	assert_true(json_is_null(json_object_get(null_call, "reason")));
	const json_t *exec = cell(root, "Processes", "exec proc", NULL);
	assert_true(json_is_null(json_object_get(exec, "value")));
	assert_string_equal(json_string_value(json_object_get(exec, "reason")), "execve: Permission denied");
	const json_t *absent = cell(root, "Processes", "sig inst", NULL);
	assert_true(json_is_null(json_object_get(absent, "point")));
	assert_string_equal(json_string_value(json_object_get(absent, "reason")), "not part of this run");
	const json_t *hop = cell(root, "Context switch", "2p/0K", "hop");
	assert_string_equal(json_string_value(json_object_get(hop, "point")), "proc.switch/procs=2,size=0");
	const json_t *far = cell(root, "Local communication latencies", "Pipe", "two CPUs");
	assert_string_equal(json_string_value(json_object_get(far, "point")), "ipc.pipe/size=1,place=cross");
	json_decref(root);
}

static void every_json_cell_without_a_value_has_a_reason(void **state)
{
	auto_run struct run run = { 0 };
	size_t i, j;
	json_t *table, *found;

	(void)state;
	fixture_run(&run);
	run_add_point(&run, "proc.signal:install"); /* a record that says nothing at all */
	auto_free char *document = tables_document(&run);
	json_t *root = json_loads(document, 0, NULL);
	json_array_foreach(json_object_get(root, "tables"), i, table) {
		json_array_foreach(json_object_get(table, "cells"), j, found) {
			if (json_is_null(json_object_get(found, "value")))
				assert_true(json_is_string(json_object_get(found, "reason")));
		}
	}
	json_decref(root);
}

static void json_survives_hostile_text_and_numbers(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	struct point *point = fixture_point(&run, "cpu.op:int_bit", "ns", INFINITY, 1);
	point->verdict = VERDICT_UNTRUSTED;
	point->reason = mem_copy("\033]0;title\a \377 \" \\ \n end");
	auto_free char *document = tables_document(&run);
	json_t *root = json_loads(document, 0, NULL);
	assert_non_null(root);
	assert_true(json_is_null(json_object_get(cell(root, "Integer operations", "bit", "32-bit"), "value")));
	assert_null(strchr(document, '\033'));
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_id_wins),
		cmocka_unit_test(of_several_the_largest_size_wins_whatever_its_suffix),
		cmocka_unit_test(other_params_decide_where_sizes_are_equal),
		cmocka_unit_test(named_params_must_be_so_and_others_may_be_anything),
		cmocka_unit_test(placed_points_are_found_only_when_named),
		cmocka_unit_test(tables_are_whole),
		cmocka_unit_test(a_point_in_another_unit_is_not_shown_as_if_it_were_right),
		cmocka_unit_test(json_tables_hold_values_in_units_of_the_record),
		cmocka_unit_test(every_json_cell_without_a_value_has_a_reason),
		cmocka_unit_test(json_survives_hostile_text_and_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
