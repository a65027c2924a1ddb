/* The bench that others are copied from is one that works. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drive.h"

static void test_it_does_what_it_says_in_each_variant(void **state)
{
	(void)state;
	for (unsigned variant = 0; variant < 2; variant++) {
		struct drive drive;
		uint64_t size = 200;

		assert_int_equal(drive_begin(&drive, "example.random", variant, NULL, &size, 1), 0);
		drive_run(&drive, 3);
		drive_run(&drive, 40);
		assert_int_equal(drive_check(&drive, 43), 0);
		assert_int_equal(drive_check(&drive, 44), -EIO);
		assert_string_equal(drive.err.text, "8600 random bytes instead of 8800");
		drive_end(&drive);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_it_does_what_it_says_in_each_variant) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
