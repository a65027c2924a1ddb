#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/parse.h"

static void sizes_are_binary(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} row[] = { { "0", 0 }, { "1000", 1000 }, { "64k", 65536 }, { "64K", 65536 }, { "3m", 3 << 20 },
		    { "1g", 1 << 30 }, { "2T", UINT64_C(2) << 40 }, { "18446744073709551615", UINT64_MAX },
		    { "18014398509481983k", UINT64_C(18014398509481983) << 10 } };

	(void)state;
	for (size_t i = 0; i < countof(row); i++) {
		uint64_t bytes = 42;
		assert_int_equal(parse_size(row[i].text, &bytes, NULL), 0);
		assert_true(bytes == row[i].bytes);
	}
}

static void what_is_no_size_is_said_and_nothing_written(void **state)
{
	static const char *const wrong[] = { "", " ", "k", "-1", "+1", " 1", "1 ", "1.5k", "1kb", "1kk", "1p", "0x10",
					     "1e3", "64\xc2\xb5", "\xff", "1k\n", "nan" };

	(void)state;
	for (size_t i = 0; i < countof(wrong); i++) {
		struct err err = { "" };
		uint64_t bytes = 42;
		assert_int_equal(parse_size(wrong[i], &bytes, &err), -EINVAL);
		assert_true(bytes == 42);
		assert_non_null(strstr(err.text, "is not a size"));
	}
}

static void numbers_beyond_64_bits_are_too_large(void **state)
{
	static const char *const large[] = { "18446744073709551616", "18014398509481984k", "17179869184g", "16777216t",
					     "99999999999999999999999999999999999999" };

	(void)state;
	for (size_t i = 0; i < countof(large); i++) {
		struct err err = { "" };
		uint64_t bytes = 42;
		assert_int_equal(parse_size(large[i], &bytes, &err), -ERANGE);
		assert_true(bytes == 42);
		assert_non_null(strstr(err.text, "too large"));
	}
}

static void counts_are_whole_decimal_numbers(void **state)
{
	static const char *const wrong[] = { "", "-1", "1k", "1.0", "0x1", "1 ", " 1", "one" };
	uint64_t value = 42;

	(void)state;
	for (size_t i = 0; i < countof(wrong); i++)
		assert_int_equal(parse_count(wrong[i], &value, NULL), -EINVAL);
	assert_int_equal(parse_count("18446744073709551616", &value, NULL), -ERANGE);
	assert_true(value == 42);
	assert_int_equal(parse_count("18446744073709551615", &value, NULL), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(parse_count("007", &value, NULL), 0);
	assert_true(value == 7);
}

static void durations_are_numbers_with_a_unit(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} row[] = { { "0s", 0 }, { "7ns", 7 }, { "50us", 50000 }, { "50µs", 50000 }, { "1.5ms", 1500000 },
		    { "0.3s", 300000000 }, { "30s", UINT64_C(30000000000) }, { "5m", UINT64_C(300000000000) },
		    { "5min", UINT64_C(300000000000) }, { "0.5h", UINT64_C(1800000000000) },
		    { "1.0000000000000000000000000000000000000000000001ns", 1 }, { "0.6ns", 1 } };
	static const char *const wrong[] = { "", "5", "s", "-5s", "5 s", "5S", "5ss", "1..5s", ".5s", "5.s", "1,5s",
					     "1e3s", "infs", "nans", "0x5s", "5s " };

	(void)state;
	for (size_t i = 0; i < countof(row); i++) {
		uint64_t ns = 42;
		assert_int_equal(parse_duration(row[i].text, &ns, NULL), 0);
		assert_true(ns == row[i].ns);
	}
	for (size_t i = 0; i < countof(wrong); i++) {
		struct err err = { "" };
		uint64_t ns = 42;
		assert_int_equal(parse_duration(wrong[i], &ns, &err), -EINVAL);
		assert_true(ns == 42 && strstr(err.text, "is not a duration"));
	}
}

static void durations_of_more_than_thirty_years_are_too_large(void **state)
{
	uint64_t ns = 42;

	(void)state;
	assert_int_equal(parse_duration("999999h", &ns, NULL), -ERANGE);
	assert_int_equal(parse_duration("18446744073709551616ns", &ns, NULL), -ERANGE);
	assert_int_equal(parse_duration("18446744073709551615h", &ns, NULL), -ERANGE);
	assert_true(ns == 42);
}

static void doubles_are_the_nearest_to_what_was_written(void **state)
{
	static const struct {
		const char *text;
		double value;
	} row[] = { { "0", 0 }, { "0.1", 0.1 }, { "0.2", 0.2 }, { "0.3", 0.3 }, { "0.7", 0.7 }, { "2.675", 2.675 },
		    { "5%", 5 }, { "0.05%", 0.05 }, { "123456.789", 123456.789 }, { "1.10", 1.1 },
		    { "0.000001", 1e-6 }, { "3.14159265358979311600", 3.141592653589793 } };

	(void)state;
	for (size_t i = 0; i < countof(row); i++) {
		double value = -1;
		assert_int_equal(parse_double(row[i].text, &value, NULL), 0);
		assert_true(value == row[i].value);
	}
}

static void every_number_of_three_decimals_is_read_exactly(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		auto_free char *text = mem_text("%u.%03u", i / 1000, i % 1000);
		double value = -1;
		assert_int_equal(parse_double(text, &value, NULL), 0);
		assert_true(value == i / 1000.);
	}
}

static void what_is_no_double_is_refused(void **state)
{
	static const char *const wrong[] = { "", ".", ".5", "1.", "1,5", "nan", "NaN", "inf", "-inf", "1e5", "0x1p3",
					     "%", "1%%", "1 %", "--1", "1.2.3" };

	(void)state;
	for (size_t i = 0; i < countof(wrong); i++) {
		struct err err = { "" };
		double value = -1;
		assert_int_equal(parse_double(wrong[i], &value, &err), -EINVAL);
		assert_true(value == -1 && strstr(err.text, "is not a number"));
	}
}

static void an_endless_text_is_quoted_in_part(void **state)
{
	static char text[100000];
	struct err err;
	uint64_t value;
	double number;

	(void)state;
	memset(text, 'x', sizeof text - 1);
	assert_int_equal(parse_size(text, &value, &err), -EINVAL);
	assert_true(strlen(err.text) < 200);
	memset(text, '1', sizeof text - 1);
	text[1] = '.';
	assert_int_equal(parse_double(text, &number, &err), 0);
	assert_true(fabs(number - 10 / 9.) < 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_binary),
		cmocka_unit_test(what_is_no_size_is_said_and_nothing_written),
		cmocka_unit_test(numbers_beyond_64_bits_are_too_large),
		cmocka_unit_test(counts_are_whole_decimal_numbers),
		cmocka_unit_test(durations_are_numbers_with_a_unit),
		cmocka_unit_test(durations_of_more_than_thirty_years_are_too_large),
		cmocka_unit_test(doubles_are_the_nearest_to_what_was_written),
		cmocka_unit_test(every_number_of_three_decimals_is_read_exactly),
		cmocka_unit_test(what_is_no_double_is_refused),
		cmocka_unit_test(an_endless_text_is_quoted_in_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
