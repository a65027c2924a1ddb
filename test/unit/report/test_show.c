/* Whole reports against expectations in golden/. ASSAY_GOLDEN=rewrite writes them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "fixture.h"
#include "report/grid.h"
#include "report/plain.h"
#include "report/show.h"

#define auto_run __attribute__((cleanup(run_done)))

/* Beside this file: the compiler was given its path from the build folder or from the top of the source. */
static FILE *open_golden(const char *name, const char *mode)
{
	const char *here = __FILE__;
	FILE *file = NULL;

	while (here && !file) {
		const char *slash = strrchr(here, '/');
		auto_free char *path = mem_text("%.*s/golden/%s.txt", slash ? (int)(slash - here) : 1, slash ? here : ".", name);
		file = fopen(path, mode);
		here = strncmp(here, "../", 3) ? NULL : here + 3;
	}
	return file;
}

static void read_all(FILE *file, struct text *out)
{
	char part[4096];
	size_t length;

	while ((length = fread(part, 1, sizeof part, file)) > 0)
		text_bytes(out, part, length);
}

static void assert_golden(const char *name, const char *report)
{
	const char *mode = getenv("ASSAY_GOLDEN");
	bool rewrite = mode && !strcmp(mode, "rewrite");
	auto_text struct text expected = { 0 };
	FILE *file = open_golden(name, rewrite ? "w" : "r");

	if (!file)
		fail_msg("golden/%s.txt cannot be opened beside %s", name, __FILE__);
	if (rewrite)
		fputs(report, file);
	else
		read_all(file, &expected);
	fclose(file);
	if (!rewrite)
		assert_string_equal(report, text_get(&expected));
}

static char *shown(const struct run *run, const struct show_style *style)
{
	struct text out = { 0 };

	assert_int_equal(show_run(run, style, &out), 0);
	return text_take(&out);
}

static void assert_report(const char *name, const char *locale, const struct show_style *style)
{
	auto_run struct run run = { 0 };

	if (!setlocale(LC_CTYPE, locale))
		skip();
	fixture_run(&run);
	auto_free char *report = shown(&run, style);
	setlocale(LC_CTYPE, "C");
	assert_golden(name, report);
}

static void a_report_at_80_columns_in_utf8(void **state)
{
	(void)state;
	assert_report("show-80-utf8", "C.UTF-8", &(struct show_style){ .width = 80, .utf8 = true });
}

static void a_report_at_120_columns_in_utf8(void **state)
{
	(void)state;
	assert_report("show-120-utf8", "C.UTF-8", &(struct show_style){ .width = 120, .utf8 = true });
}

static void a_report_at_80_columns_in_the_c_locale(void **state)
{
	(void)state;
	/* asked for UTF-8 and refused by the locale */
	assert_report("show-80-c", "C", &(struct show_style){ .width = 80, .utf8 = true });
}

static void a_report_at_120_columns_in_the_c_locale(void **state)
{
	(void)state;
	assert_report("show-120-c", "C", &(struct show_style){ .width = 120 });
}

static void a_report_on_a_narrow_terminal(void **state)
{
	(void)state;
	assert_report("show-50-utf8", "C.UTF-8", &(struct show_style){ .width = 50, .utf8 = true });
}

static void a_long_report(void **state)
{
	(void)state;
	assert_report("show-long-utf8", "C.UTF-8",
		      &(struct show_style){ .width = 120, .utf8 = true, .long_form = true });
}

static void a_report_of_points(void **state)
{
	(void)state;
	assert_report("show-points-c", "C", &(struct show_style){ .width = 120, .points = true });
}

static void assert_selection(const char *name, unsigned width)
{
	auto_run struct run run = { 0 };

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	fixture_selection(&run);
	auto_free char *report = shown(&run, &(struct show_style){ .width = width, .utf8 = true });
	setlocale(LC_CTYPE, "C");
	assert_golden(name, report);
}

static void a_report_of_a_selection(void **state)
{
	(void)state;
	assert_selection("show-selection-100", 100);
}

static void a_report_of_a_selection_on_a_narrow_terminal(void **state)
{
	(void)state;
	assert_selection("show-selection-60", 60);
}

/* A path or a word without a blank may be longer than the terminal; nothing else may. */
static void assert_fits(const char *report, size_t width)
{
	auto_free char *copy = mem_copy(report);
	char *rest = copy;

	for (char *line; (line = strsep(&rest, "\n"));) {
		if (plain_width(line) > width && strchr(line + strspn(line, " "), ' '))
			fail_msg("wider than %zu columns: %s", width, line);
	}
}

static void reports_keep_to_their_width(void **state)
{
	auto_run struct run run = { 0 }, selection = { 0 };

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	fixture_run(&run);
	fixture_selection(&selection);
	/* wide in every column */
	struct point *wide = fixture_point(&run, "proc.switch/procs=96,size=64m,place=cross", "ns", 123456.7, 0.0001);
	wide->cycles = 369753.5;
	wide->cycles_low = 369753.1;
	wide->cycles_high = 369753.9;
	wide->verdict = VERDICT_UNTRUSTED;
	for (unsigned width = 70; width <= 160; width += 5) {
		struct show_style style = { .width = width, .utf8 = true };
		for (unsigned form = 0; form < 4; form++) {
			style.long_form = form & 1;
			style.points = form & 2;
			auto_free char *report = shown(&run, &style), *selected = shown(&selection, &style);
			assert_fits(report, width);
			assert_fits(selected, width);
		}
	}
	setlocale(LC_CTYPE, "C");
}

static size_t times(const char *text, const char *words)
{
	size_t count = 0;

	while ((text = strstr(text, words))) {
		count++;
		text++;
	}
	return count;
}

static void reasons_that_differ_in_numbers_are_said_once(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_selection(&run);
	auto_free char *report = shown(&run, &(struct show_style){ .width = 200 });
	/* once for the curves, once for the figure that a table has too */
	assert_int_equal(times(report, "noisy - disturbances took"), 2);
	assert_non_null(strstr(report, "all 13: noisy - disturbances took 6 .. 12 % of the time"));
}

static void of_many_figures_four_are_named(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		auto_free char *id = mem_text("a.b:v%c", 'a' + i);
		struct point *point = fixture_point(&run, id, "ns", 10, i < 7 ? -1 : 1);
		point->reason = i < 7 ? mem_copy("3 processes: too few for an interval") : NULL;
		point->verdict = i < 7 ? VERDICT_NOISY : VERDICT_OK;
	}
	auto_free char *report = shown(&run, &(struct show_style){ .width = 200, .points = true });
	assert_non_null(strstr(report, "a.b:va, a.b:vb, a.b:vc, a.b:vd .. and 3 more: no interval: it needs 6"));
	assert_null(strstr(report, "too few"));
}

static void numbers_inside_names_are_no_numbers(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_point(&run, "a.b:v", "ns", 10, 1)->note = mem_copy("127.0.0.1:4711 took 3 of L1, n=5");
	fixture_point(&run, "a.b:w", "ns", 10, 1)->note = mem_copy("127.0.0.1:4712 took 4 of L1, n=5");
	fixture_point(&run, "a.b:x", "ns", 10, 1)->note = mem_copy("127.0.0.1:4712 took 5 of L1, n=5");
	auto_free char *report = shown(&run, &(struct show_style){ .width = 200, .points = true });
	assert_non_null(strstr(report, "a.b:v: 127.0.0.1:4711 took 3 of L1, n=5"));
	assert_non_null(strstr(report, "a.b:w, a.b:x: 127.0.0.1:4712 took 4 .. 5 of L1, n=5"));
}

static void a_selection_shows_only_what_was_selected(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	run.selection = mem_copy("cpu.op:int_add");
	fixture_point(&run, "cpu.op:int_add", "ns", 0.27, 1);
	auto_free char *report = shown(&run, &(struct show_style){ .width = 80 });
	assert_non_null(strstr(report, "add"));
	assert_null(strstr(report, "mul"));
	assert_null(strstr(report, "ot part of this run"));
}

static void hints_can_be_pasted(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	fixture_selection(&run);
	auto_free char *plain = shown(&run, &(struct show_style){ .width = 200 });
	assert_non_null(strstr(plain, "More: assay show 01890a5d-ac96 --long"));
	auto_free char *called = shown(&run, &(struct show_style){ .width = 200, .program = "build/assay", .book = "my.db" });
	assert_non_null(strstr(called, "More: build/assay show 01890a5d-ac96 --book my.db --long"));
	auto_free char *odd = shown(&run, &(struct show_style){ .width = 200, .book = "a; b" });
	assert_null(strstr(odd, "--book"));
}

static void colours_are_the_only_difference_they_make(void **state)
{
	auto_run struct run run = { 0 };
	auto_text struct text stripped = { 0 };

	(void)state;
	fixture_run(&run);
	auto_free char *bare = shown(&run, &(struct show_style){ .width = 80 });
	auto_free char *colored = shown(&run, &(struct show_style){ .width = 80, .color = true });
	assert_null(strchr(bare, '\033'));
	assert_non_null(strstr(colored, "\033["));
	for (const char *at = colored; *at; at++) {
		if (*at == '\033')
			at += strcspn(at, "m");
		else
			text_bytes(&stripped, at, 1);
	}
	assert_string_equal(text_get(&stripped), bare);
}

static void assert_harmless(const char *report)
{
	for (const unsigned char *at = (const unsigned char *)report; *at; at++) {
		if ((*at < 0x20 && *at != '\n') || *at == 0x7f)
			fail_msg("byte 0x%02x reached the report", *at);
	}
	assert_null(strstr(report, "\302\233")); /* C1 CSI */
	assert_null(strstr(report, "\342\200\256"));
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = mem_copy(with);
}

static void nothing_hostile_reaches_the_terminal(void **state)
{
	static const char hostile[] = "\033]0;owned\a\033[2J\r\nx\302\233" "31m\342\200\256\377\177";
	auto_run struct run run = { 0 };

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	fixture_run(&run);
	replace(&run.name, hostile);
	replace(&run.set, hostile);
	replace(&run.version, hostile);
	replace(&run.machine, "{\"hostname\":\"h\\u001b[31m\",\"cpu\":{\"model\":\"m\\u009b\\u202e\"}}");
	run.complete = false;
	replace(&run.reason, hostile);
	run.label = mem_new(1, sizeof *run.label);
	run.label[run.labels++] = (struct label){ mem_copy(hostile), mem_copy(hostile) };
	replace(&run.condition[1].id, hostile);
	replace(&run.condition[1].unit, hostile);
	replace(&run.condition[1].text, hostile);
	for (size_t i = 0; i < run.points; i++) {
		replace(&run.point[i].reason, hostile);
		replace(&run.point[i].note, hostile);
		replace(&run.point[i].title, hostile);
	}
	fixture_point(&run, hostile, hostile, 1, 1);
	for (unsigned form = 0; form < 8; form++) {
		struct show_style style = { .width = 80, .utf8 = form & 1, .long_form = form & 2, .points = form & 4 };
		auto_free char *report = shown(&run, &style);
		assert_harmless(report);
		assert_non_null(strstr(report, "\\x1b"));
	}
	setlocale(LC_CTYPE, "C");
}

static double odd_number(struct random *random)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, 0, -1, 1e300, 1e-300, 64 };

	return odd[random_below(random, countof(odd))];
}

static void odd_numbers_never_reach_the_report(void **state)
{
	struct random random = { .state = 7 };

	(void)state;
	for (unsigned turn = 0; turn < 50; turn++) {
		auto_run struct run run = { 0 };
		fixture_run(&run);
		for (size_t i = 0; i < run.points; i++) {
			struct point *point = &run.point[i];
			double *const number[] = { &point->value,  &point->low,        &point->high, &point->noise,
						   &point->cycles, &point->cycles_low, &point->cycles_high };
			for (size_t j = 0; j < countof(number); j++)
				*number[j] = odd_number(&random);
		}
		run.condition[0].value = odd_number(&random);
		run.condition[1].threshold = odd_number(&random);
		struct show_style style = { .width = 100, .long_form = turn & 1, .points = turn & 2 };
		auto_free char *report = shown(&run, &style);
		assert_null(strstr(report, "nan"));
		assert_null(strstr(report, "inf "));
		assert_harmless(report);
	}
}

static void a_failed_point_shows_no_number_even_if_the_record_has_one(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	struct point *point = fixture_point(&run, "syscall.simple:null", "ns", 777777, 1);
	point->verdict = VERDICT_FAILED;
	point->reason = mem_copy("getppid said no");
	auto_free char *report = shown(&run, &(struct show_style){ .width = 80 });
	assert_null(strstr(report, "777"));
	assert_non_null(strstr(report, "null call: failed - getppid said no"));
}

static void an_empty_run_says_so(void **state)
{
	auto_run struct run run = { 0 };

	(void)state;
	auto_free char *report = shown(&run, &(struct show_style){ .width = 80 });
	assert_non_null(strstr(report, "0 figures"));
	assert_non_null(strstr(report, "Nothing was measured."));
	assert_non_null(strstr(report, "not complete"));
	assert_non_null(strstr(report, "no description"));
}

static void broken_machine_descriptions_do_no_harm(void **state)
{
	static const char *const machines[] = { "", "[", "[]", "null", "{\"cpu\":3,\"caches\":{}}",
						"{\"caches\":[1,null,{\"level\":\"1\",\"size_bytes\":-5}]}" };

	(void)state;
	for (size_t i = 0; i < countof(machines); i++) {
		auto_run struct run run = { 0 };
		fixture_run(&run);
		replace(&run.machine, machines[i]);
		auto_free char *report = shown(&run, &(struct show_style){ .width = 80 });
		assert_non_null(strstr(report, "the kernel reports no size"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_at_80_columns_in_utf8),
		cmocka_unit_test(a_report_at_120_columns_in_utf8),
		cmocka_unit_test(a_report_at_80_columns_in_the_c_locale),
		cmocka_unit_test(a_report_at_120_columns_in_the_c_locale),
		cmocka_unit_test(a_report_on_a_narrow_terminal),
		cmocka_unit_test(a_long_report),
		cmocka_unit_test(a_report_of_points),
		cmocka_unit_test(a_report_of_a_selection),
		cmocka_unit_test(a_report_of_a_selection_on_a_narrow_terminal),
		cmocka_unit_test(reports_keep_to_their_width),
		cmocka_unit_test(reasons_that_differ_in_numbers_are_said_once),
		cmocka_unit_test(of_many_figures_four_are_named),
		cmocka_unit_test(numbers_inside_names_are_no_numbers),
		cmocka_unit_test(a_selection_shows_only_what_was_selected),
		cmocka_unit_test(hints_can_be_pasted),
		cmocka_unit_test(colours_are_the_only_difference_they_make),
		cmocka_unit_test(nothing_hostile_reaches_the_terminal),
		cmocka_unit_test(odd_numbers_never_reach_the_report),
		cmocka_unit_test(a_failed_point_shows_no_number_even_if_the_record_has_one),
		cmocka_unit_test(an_empty_run_says_so),
		cmocka_unit_test(broken_machine_descriptions_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
