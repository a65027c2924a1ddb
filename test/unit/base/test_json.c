#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The reader's constructors have names that the writer has too (base/json.h); they are not needed here. */
#define json_object jansson_object
#define json_array jansson_array
#define json_null jansson_null
#include <jansson.h>
#undef json_object
#undef json_array
#undef json_null

#include "base/json.h"
#include "base/random.h"

static json_t *load(const struct text *text)
{
	json_error_t error;
	json_t *root = json_loads(text_get(text), 0, &error);

	if (!root)
		fail_msg("line %d: %s in\n%s", error.line, error.text, text_get(text));
	return root;
}

static void write_everything(struct json *json)
{
	json_object(json, NULL);
	json_text(json, "text", "quote \" slash \\ tab \t end");
	json_text(json, "none", NULL);
	json_double(json, "third", 1 / 3.);
	json_int(json, "low", INT64_MIN);
	json_uint(json, "count", INT64_MAX);
	json_bool(json, "yes", true);
	json_null(json, "nothing");
	json_raw(json, "raw", "{\"a\":[1,2]}");
	json_array(json, "list");
	json_object(json, NULL);
	json_end(json);
	json_array(json, NULL);
	json_end(json);
	json_int(json, NULL, 1);
	json_end(json);
	json_object(json, "empty");
	json_end(json);
	json_end(json);
}

static void what_is_written_reads_back_the_same(void **state)
{
	(void)state;
	for (int pretty = 0; pretty < 2; pretty++) {
		struct json json;
		struct text auto_text out = { 0 };
		json_init(&json, &out, pretty);
		write_everything(&json);
		assert_int_equal(json.depth, 0);
		json_t *root = load(&out);
		assert_string_equal(json_string_value(json_object_get(root, "text")), "quote \" slash \\ tab \t end");
		assert_true(json_is_null(json_object_get(root, "none")));
		assert_true(json_real_value(json_object_get(root, "third")) == 1 / 3.);
		assert_true(json_integer_value(json_object_get(root, "low")) == INT64_MIN);
		assert_true(json_integer_value(json_object_get(root, "count")) == INT64_MAX);
		assert_true(json_is_true(json_object_get(root, "yes")));
		assert_true(json_is_null(json_object_get(root, "nothing")));
		assert_int_equal(json_array_size(json_object_get(json_object_get(root, "raw"), "a")), 2);
		assert_int_equal(json_array_size(json_object_get(root, "list")), 3);
		assert_int_equal(json_object_size(json_object_get(root, "empty")), 0);
		assert_int_equal(json_object_size(root), 10);
		json_decref(root);
	}
}

static void keys_stay_in_the_order_written(void **state)
{
	struct json json;
	struct text auto_text out = { 0 };

	(void)state;
	json_init(&json, &out, false);
	json_object(&json, NULL);
	json_int(&json, "z", 1);
	json_int(&json, "a", 2);
	json_end(&json);
	assert_string_equal(text_get(&out), "{\"z\":1,\"a\":2}");
}

static void pretty_means_two_spaces_and_line_ends(void **state)
{
	struct json json;
	struct text auto_text out = { 0 };

	(void)state;
	json_init(&json, &out, true);
	json_object(&json, NULL);
	json_array(&json, "a");
	json_int(&json, NULL, 1);
	json_end(&json);
	json_array(&json, "b");
	json_end(&json);
	json_end(&json);
	assert_string_equal(text_get(&out), "{\n  \"a\": [\n    1\n  ],\n  \"b\": []\n}");
}

static void what_was_not_measured_is_null(void **state)
{
	static const double value[] = { NAN, INFINITY, -INFINITY };
	struct json json;
	struct text auto_text out = { 0 };

	(void)state;
	json_init(&json, &out, false);
	json_array(&json, NULL);
	for (size_t i = 0; i < 3; i++)
		json_double(&json, NULL, value[i]);
	json_end(&json);
	assert_string_equal(text_get(&out), "[null,null,null]");
}

static void assert_text(const char *value, const char *written)
{
	struct json json;
	struct text auto_text out = { 0 };

	json_init(&json, &out, false);
	json_array(&json, NULL);
	json_text(&json, NULL, value);
	json_end(&json);
	json_decref(load(&out));
	assert_int_equal(out.length, strlen(written) + 4);
	assert_memory_equal(out.at + 2, written, strlen(written));
}

static void bad_utf8_becomes_the_replacement_character(void **state)
{
	(void)state;
	assert_text("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_text("\xff", "\\ufffd");
	assert_text("a\x80z", "a\\ufffdz");
	assert_text("\xc3", "\\ufffd");                          /* cut short by the end */
	assert_text("\xe2\x82", "\\ufffd\\ufffd");
	assert_text("\xf0\x9f\x98", "\\ufffd\\ufffd\\ufffd");
	assert_text("\xc0\xaf", "\\ufffd\\ufffd");              /* overlong */
	assert_text("\xe0\x80\x80", "\\ufffd\\ufffd\\ufffd");
	assert_text("\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd");   /* a surrogate */
	assert_text("\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"); /* beyond U+10FFFF */
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	assert_text("\x01\x1f\n\x7f", "\\u0001\\u001f\\u000a\\u007f");
}

static void random_bytes_always_give_valid_json(void **state)
{
	struct random random = { 21 };

	(void)state;
	for (unsigned run = 0; run < 5000; run++) {
		char bytes[40];
		size_t length = random_below(&random, sizeof bytes);
		for (size_t i = 0; i < length; i++)
			bytes[i] = (char)(1 + random_below(&random, 255));
		bytes[length] = '\0';
		struct json json;
		struct text auto_text out = { 0 };
		json_init(&json, &out, run % 2);
		json_object(&json, NULL);
		json_text(&json, bytes, bytes);
		json_end(&json);
		json_decref(load(&out));
	}
}

static void sixty_levels_nest(void **state)
{
	struct json json;
	struct text auto_text out = { 0 };

	(void)state;
	json_init(&json, &out, true);
	for (unsigned i = 0; i < 60; i++) {
		json_array(&json, NULL);
		json_int(&json, NULL, i);
	}
	for (unsigned i = 0; i < 60; i++)
		json_end(&json);
	json_decref(load(&out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back_the_same),
		cmocka_unit_test(keys_stay_in_the_order_written),
		cmocka_unit_test(pretty_means_two_spaces_and_line_ends),
		cmocka_unit_test(what_was_not_measured_is_null),
		cmocka_unit_test(bad_utf8_becomes_the_replacement_character),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(random_bytes_always_give_valid_json),
		cmocka_unit_test(sixty_levels_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
