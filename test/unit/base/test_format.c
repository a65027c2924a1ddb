#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/format.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/random.h"

static double random_double(struct random *random)
{
	for (;;) {
		uint64_t bits = random_next(random);
		double value;
		memcpy(&value, &bits, sizeof value);
		if (isfinite(value))
			return value;
	}
}

/* It reads back the same, and one digit less would not (or be longer, as 1e+02 is beside 100). */
static void assert_shortest(double value)
{
	char out[FORMAT_DOUBLE], shorter[64];
	int digits = 0;

	format_double(out, value);
	assert_true(strtod(out, NULL) == value);
	for (const char *s = out; *s && *s != 'e'; s++)
		digits += *s >= '0' && *s <= '9' && (digits || *s != '0');
	if (digits < 2)
		return;
	snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
	if (strtod(shorter, NULL) == value && strlen(shorter) <= strlen(out))
		fail_msg("%s could have been %s", out, shorter);
}

static void doubles_read_back_as_they_were(void **state)
{
	static const double special[] = { 0, -0., 1, 0.1, 1e22, 1e23, 5e-324, 2.2250738585072014e-308,
					  1.7976931348623157e308, 9007199254740992, 123456789012345680,
					  -1.5, 1 / 3., 100, 1e5, 1e15 };
	struct random random = { 11 };

	(void)state;
	for (size_t i = 0; i < countof(special); i++)
		assert_shortest(special[i]);
	for (unsigned i = 0; i < 100000; i++)
		assert_shortest(random_double(&random));
}

static void everyday_numbers_look_everyday(void **state)
{
	static const struct {
		double value;
		const char *text;
	} row[] = { { 0.1, "0.1" }, { 0.3, "0.3" }, { 2, "2" }, { -1.25, "-1.25" }, { 100, "100" }, { -50, "-50" },
		    { 1234.5, "1234.5" }, { 3e9, "3000000000" }, { 0, "0" }, { 0.001, "0.001" }, { 1e22, "1e+22" } };
	char out[FORMAT_DOUBLE];

	(void)state;
	for (size_t i = 0; i < countof(row); i++)
		assert_string_equal(format_double(out, row[i].value), row[i].text);
}

static void digits_are_rounded_and_filled_with_zeros(void **state)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} row[] = { { 1234.5, 3, "1230" }, { 9.996, 3, "10.0" }, { 0.001234, 2, "0.0012" }, { 99.95, 3, "100" },
		    { 999.9, 3, "1000" }, { 12, 3, "12.0" }, { -1234.5, 2, "-1200" }, { 0, 3, "0" }, { 1, 1, "1" },
		    { 0.35, 1, "0.3" }, /* the double is below 0.35 */
		    { 1e15, 4, "1000000000000000" }, { 123456789012., 3, "123000000000" }, { 5e-7, 2, "0.00000050" },
		    { NAN, 3, "-" }, { INFINITY, 3, "-" }, { 9.9999e20, 2, "1000000000000000000000" },
		    { 1.5e300, 3, "1.50e+300" }, { 5e-324, 3, "4.94e-324" },
		    { 1.7976931348623157e308, 2, "1.8e+308" } };
	char out[FORMAT_DOUBLE];

	(void)state;
	for (size_t i = 0; i < countof(row); i++)
		assert_string_equal(format_digits(out, row[i].value, row[i].digits), row[i].text);
}

static void digits_are_right_to_half_a_last_place_for_any_value(void **state)
{
	struct random random = { 12 };
	char out[FORMAT_DOUBLE];

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		double value = random_double(&random);
		int digits = 1 + (int)random_below(&random, 9);
		double got = strtod(format_digits(out, value, digits), NULL);
		assert_true(strlen(out) < FORMAT_DOUBLE);
		/* Subnormals have fewer bits than the digits ask for. */
		double slack = fabs(value) * 0.5000001 * pow(10, 1 - digits) + 5e-324;
		assert_true(fabs(got - value) <= slack || isinf(got));
	}
}

static void sizes_take_the_largest_exact_suffix(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} row[] = { { 0, "0" }, { 1, "1" }, { 1000, "1000" }, { 1024, "1k" }, { 65536, "64k" }, { 1 << 20, "1m" },
		    { 1536, "1536" }, { 3 << 20, "3m" }, { UINT64_C(5) << 30, "5g" }, { UINT64_C(1) << 50, "1024t" },
		    { UINT64_MAX, "18446744073709551615" } };
	struct random random = { 13 };
	char out[FORMAT_SIZE];

	(void)state;
	for (size_t i = 0; i < countof(row); i++)
		assert_string_equal(format_size(out, row[i].bytes), row[i].text);
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t bytes = random_next(&random) << random_below(&random, 64), back;
		assert_int_equal(parse_size(format_size(out, bytes), &back, NULL), 0);
		assert_true(back == bytes);
	}
}

static void durations_never_round_into_the_next_unit(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} row[] = { { 0, "0 ns" }, { 999, "999 ns" }, { 1000, "1 µs" }, { 999499, "999 µs" }, { 999600, "1 ms" },
		    { 50000000, "50 ms" }, { 999700000, "1 s" }, { 1500000000, "1.5 s" }, { 2000000000, "2 s" },
		    { 9960000000, "10 s" }, { 30400000000, "30 s" }, { 59600000000, "1 min 00 s" },
		    { 125000000000, "2 min 05 s" }, { UINT64_MAX, "307445734 min 34 s" } };
	char out[FORMAT_DURATION];

	(void)state;
	for (size_t i = 0; i < countof(row); i++)
		assert_string_equal(format_duration(out, row[i].ns), row[i].text);
}

/* A locale of this name: installed, or made in a directory of our own by localedef(1). */
static bool use_locale(const char *name, const char *source)
{
	char directory[] = "/tmp/assay-locale-XXXXXX";

	if (setlocale(LC_NUMERIC, name))
		return true;
	if (!mkdtemp(directory))
		return false;
	auto_free char *make = mem_text("localedef -i %s -f UTF-8 %s/%s >/dev/null 2>&1", source, directory, name);
	auto_free char *remove = mem_text("rm -rf %s", directory);
	bool done = false;
	if (system(make) == 0) {
		setenv("LOCPATH", directory, 1);
		done = setlocale(LC_NUMERIC, name) != NULL;
		unsetenv("LOCPATH");
	}
	return system(remove) == 0 && done;
}

static void assert_dots_only(const char *name, const char *source)
{
	char out[FORMAT_DOUBLE], plain[FORMAT_DOUBLE], duration[FORMAT_DURATION];
	struct random random = { 14 };

	if (!use_locale(name, source))
		skip();
	assert_string_not_equal(localeconv()->decimal_point, ".");
	for (unsigned i = 0; i < 1000; i++) {
		double value = random_double(&random);
		setlocale(LC_NUMERIC, name);
		format_double(out, value);
		setlocale(LC_NUMERIC, "C");
		assert_string_equal(out, format_double(plain, value));
	}
	setlocale(LC_NUMERIC, name);
	assert_string_equal(format_digits(out, 3.14159, 3), "3.14");
	assert_string_equal(format_digits(out, 31415.9, 3), "31400");
	assert_string_equal(format_duration(duration, 1500000000), "1.5 s");
	double value = 0;
	assert_int_equal(parse_double("1.25", &value, NULL), 0);
	assert_true(value == 1.25);
	setlocale(LC_NUMERIC, "C");
}

static void a_locale_with_a_comma_changes_nothing(void **state)
{
	(void)state;
	assert_dots_only("de_DE.UTF-8", "de_DE");
}

static void a_locale_with_a_separator_of_two_bytes_changes_nothing(void **state)
{
	(void)state;
	assert_dots_only("ps_AF.UTF-8", "ps_AF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubles_read_back_as_they_were),
		cmocka_unit_test(everyday_numbers_look_everyday),
		cmocka_unit_test(digits_are_rounded_and_filled_with_zeros),
		cmocka_unit_test(digits_are_right_to_half_a_last_place_for_any_value),
		cmocka_unit_test(sizes_take_the_largest_exact_suffix),
		cmocka_unit_test(durations_never_round_into_the_next_unit),
		cmocka_unit_test(a_locale_with_a_comma_changes_nothing),
		cmocka_unit_test(a_locale_with_a_separator_of_two_bytes_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
