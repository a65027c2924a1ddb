#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void the_code_is_handed_back_and_the_sentence_kept(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, -EINVAL, "'%s' is %d", "x", 7), -EINVAL);
	assert_string_equal(err.text, "'x' is 7");
	assert_int_equal(err_sys(&err, -ENOENT, "open %s", "f"), -ENOENT);
	assert_string_equal(err.text, "open f: No such file or directory");
	assert_int_equal(err_wrap(&err, -EIO, "run %d", 3), -EIO);
	assert_string_equal(err.text, "run 3: open f: No such file or directory");
}

static void nobody_need_listen(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -EINVAL, "x"), -EINVAL);
	assert_int_equal(err_sys(NULL, -EPERM, "x"), -EPERM);
	assert_int_equal(err_wrap(NULL, -EIO, "x"), -EIO);
}

static void a_sentence_may_quote_the_one_before(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, -EINVAL, "inner");
	err_set(&err, -EINVAL, "outer (%s)", err.text);
	assert_string_equal(err.text, "outer (inner)");
	err_wrap(&err, -EINVAL, "again %s", err.text);
	assert_string_equal(err.text, "again outer (inner): outer (inner)");
}

static void endless_words_are_cut_not_overrun(void **state)
{
	static char words[5000];
	struct err err;

	(void)state;
	memset(words, 'w', sizeof words - 1);
	err_set(&err, -EINVAL, "%s", words);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	err_wrap(&err, -EINVAL, "%s", words);
	assert_true(strlen(err.text) < sizeof err.text);
	err_sys(&err, -EINVAL, "%s", words);
	assert_non_null(strstr(err.text, ": Invalid argument"));
	for (unsigned i = 0; i < 50; i++)
		err_wrap(&err, -EINVAL, "level %u of many", i);
	assert_int_equal(strncmp(err.text, "level 49 of many: level 48", 26), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_code_is_handed_back_and_the_sentence_kept),
		cmocka_unit_test(nobody_need_listen),
		cmocka_unit_test(a_sentence_may_quote_the_one_before),
		cmocka_unit_test(endless_words_are_cut_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
