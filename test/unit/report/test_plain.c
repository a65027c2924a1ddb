#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <locale.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/grid.h"
#include "report/plain.h"

static void assert_plain(const char *raw, bool utf8, const char *expected)
{
	auto_free char *plain = plain_copy(raw, utf8);

	assert_string_equal(plain, expected);
}

static void what_a_terminal_would_obey_becomes_visible(void **state)
{
	(void)state;
	assert_plain("a\033[31mb", true, "a\\x1b[31mb");
	assert_plain("bell\a del\177 null", true, "bell\\x07 del\\x7f null");
	assert_plain("C1 \302\233" "31m", true, "C1 \\u009b31m");
	assert_plain("line\nbreak\ttab\rreturn", true, "line break tab return");
	assert_plain("right\342\200\256left", true, "right\\u202eleft");
	assert_plain("zero\342\200\213width", true, "zero\\u200bwidth");
	assert_plain("separator\342\200\250", true, "separator\\u2028");
}

static void bytes_that_are_not_utf8_become_visible(void **state)
{
	(void)state;
	assert_plain("\377\376", true, "\\xff\\xfe");
	assert_plain("\300\200", true, "\\xc0\\x80");         /* overlong NUL */
	assert_plain("\355\240\200", true, "\\xed\\xa0\\x80"); /* surrogate */
	assert_plain("cut \342\200", true, "cut \\xe2\\x80");
	assert_plain("\364\220\200\200", true, "\\xf4\\x90\\x80\\x80"); /* past U+10FFFF */
}

static void good_text_stays(void **state)
{
	(void)state;
	assert_plain("7 µs ± 3 % – naïve 中", true, "7 µs ± 3 % – naïve 中");
	assert_plain(NULL, true, "");
	assert_plain("", false, "");
}

static void ascii_spells_what_it_lacks(void **state)
{
	(void)state;
	assert_plain("7 µs ± 3 % – 1 … 2 × 中", false, "7 us +- 3 % - 1 .. 2 x ?");
}

static void width_counts_columns_not_bytes(void **state)
{
	(void)state;
	assert_int_equal(plain_width("abc"), 3);
	assert_int_equal(plain_width("µs –"), 4);
	if (setlocale(LC_CTYPE, "C.UTF-8")) {
		assert_int_equal(plain_width("µs –"), 4);
		assert_int_equal(plain_width("中"), 2);
	}
	setlocale(LC_CTYPE, "C");
}

static void paragraphs_wrap_and_hang(void **state)
{
	const struct show_style style = { .width = 20 };
	auto_text struct text out = { 0 };

	(void)state;
	paragraph_add(&out, &style, 2, 4, "one two three four five six");
	assert_string_equal(text_get(&out), "  one two three four\n    five six\n");
}

static void words_longer_than_the_width_are_not_cut(void **state)
{
	const struct show_style style = { .width = 10 };
	auto_text struct text out = { 0 };

	(void)state;
	paragraph_add(&out, &style, 0, 2, "a abcdefghijklmnop b");
	assert_string_equal(text_get(&out), "a\n  abcdefghijklmnop\n  b\n");
}

static void grids_align_and_have_no_trailing_blanks(void **state)
{
	static const bool right[] = { false, true };
	const struct show_style style = { .width = 80 };
	auto_grid struct grid grid = { .columns = 2, .right = right };
	auto_text struct text out = { 0 };

	(void)state;
	grid_add(&grid, &style, TONE_HEAD, "name");
	grid_add(&grid, &style, TONE_HEAD, "value");
	grid_add(&grid, &style, TONE_NONE, "a\033b");
	grid_add(&grid, &style, TONE_NONE, "1");
	grid_add(&grid, &style, TONE_NONE, "last");
	grid_add(&grid, &style, TONE_NONE, "");
	assert_int_equal(grid_width(&grid), 6 + 2 + 5);
	assert_int_equal(grid_draw(&grid, &style, 1, &out), 0);
	assert_string_equal(text_get(&out), " name    value\n a\\x1bb      1\n last\n");
}

static void a_column_wraps_between_words(void **state)
{
	const struct show_style style = { .width = 30 };
	auto_grid struct grid grid = { .columns = 2, .wrap = 2 };
	auto_text struct text out = { 0 };

	(void)state;
	grid_add(&grid, &style, TONE_NONE, "name");
	grid_add(&grid, &style, TONE_NONE, "several words that do not fit one line");
	grid_add(&grid, &style, TONE_NONE, "next");
	grid_add(&grid, &style, TONE_NONE, "a-word-that-is-longer-than-the-room alone");
	grid_add(&grid, &style, TONE_NONE, "last");
	grid_add(&grid, &style, TONE_NONE, NULL);
	assert_int_equal(grid_draw(&grid, &style, 0, &out), 0);
	assert_string_equal(text_get(&out), "name  several words that do\n"
					    "      not fit one line\n"
					    "next  a-word-that-is-longer-than-the-room\n"
					    "      alone\n"
					    "last\n");
}

static void colours_appear_only_when_asked_for(void **state)
{
	struct show_style style = { .width = 80 };
	auto_text struct text bare = { 0 }, toned = { 0 };

	(void)state;
	tone_add(&bare, &style, TONE_BAD, "word");
	assert_string_equal(text_get(&bare), "word");
	style.color = true;
	tone_add(&toned, &style, TONE_BAD, "word");
	assert_string_equal(text_get(&toned), "\033[31mword\033[0m");
}

static void utf8_is_not_used_in_another_locale(void **state)
{
	const struct show_style wanted = { .utf8 = true };

	(void)state;
	setlocale(LC_CTYPE, "C");
	assert_false(style_effective(&wanted).utf8);
	assert_int_equal(style_effective(&wanted).width, 80);
	if (setlocale(LC_CTYPE, "C.UTF-8"))
		assert_true(style_effective(&wanted).utf8);
	setlocale(LC_CTYPE, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_terminal_would_obey_becomes_visible),
		cmocka_unit_test(bytes_that_are_not_utf8_become_visible),
		cmocka_unit_test(good_text_stays),
		cmocka_unit_test(ascii_spells_what_it_lacks),
		cmocka_unit_test(width_counts_columns_not_bytes),
		cmocka_unit_test(paragraphs_wrap_and_hang),
		cmocka_unit_test(words_longer_than_the_width_are_not_cut),
		cmocka_unit_test(grids_align_and_have_no_trailing_blanks),
		cmocka_unit_test(a_column_wraps_between_words),
		cmocka_unit_test(colours_appear_only_when_asked_for),
		cmocka_unit_test(utf8_is_not_used_in_another_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
