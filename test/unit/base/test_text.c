#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void a_zeroed_text_is_empty_and_valid(void **state)
{
	struct text text = { 0 };
	char *taken;

	(void)state;
	assert_string_equal(text_get(&text), "");
	taken = text_take(&text);
	assert_string_equal(taken, "");
	free(taken);
	text_done(&text);
}

static void additions_follow_each_other(void **state)
{
	struct text auto_text text = { 0 };

	(void)state;
	text_add(&text, "%s-%d", "a", 1);
	text_add(&text, "%s", "");
	text_bytes(&text, "bcd", 2);
	text_bytes(&text, NULL, 0);
	assert_string_equal(text_get(&text), "a-1bc");
	assert_int_equal(text.length, 5);
}

static void a_hundred_thousand_additions_lose_nothing(void **state)
{
	struct text auto_text text = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		text_add(&text, "%05u", i);
	assert_int_equal(text.length, 500000);
	assert_int_equal(strlen(text.at), 500000);
	assert_int_equal(strncmp(text.at + 5 * 4321, "04321", 5), 0);
	assert_true(text.capacity > text.length);
}

static void bytes_may_hold_zeros(void **state)
{
	struct text auto_text text = { 0 };

	(void)state;
	text_bytes(&text, "a\0b", 3);
	assert_int_equal(text.length, 3);
	assert_memory_equal(text.at, "a\0b", 4);
}

static void what_is_taken_leaves_an_empty_text(void **state)
{
	struct text auto_text text = { 0 };

	(void)state;
	text_add(&text, "one");
	char *taken = text_take(&text);
	text_add(&text, "two");
	assert_string_equal(taken, "one");
	assert_string_equal(text_get(&text), "two");
	free(taken);
	text_done(&text);
	assert_string_equal(text_get(&text), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zeroed_text_is_empty_and_valid),
		cmocka_unit_test(additions_follow_each_other),
		cmocka_unit_test(a_hundred_thousand_additions_lose_nothing),
		cmocka_unit_test(bytes_may_hold_zeros),
		cmocka_unit_test(what_is_taken_leaves_an_empty_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
