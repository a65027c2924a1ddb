/* Command lines into config structs, by rows. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cmd/options.h"

struct config {
	bool quiet, loud;
	const char *set, *text;
	uint64_t rounds, any, budget_ns;
	double precision_pct;
	struct texts labels;
};

#define AT(field) offsetof(struct config, field)
static const struct option_row rows[] = {
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "", 0, 0, NULL },
	{ "loud", 'o', OPTION_FLAG, AT(loud), NULL, "", 0, 0, NULL },
	{ "set", 's', OPTION_TEXT, AT(set), "SET", "", 0, 0, "quick classic" },
	{ "text", 0, OPTION_TEXT, AT(text), "TEXT", "", 0, 0, NULL },
	{ "rounds", 'r', OPTION_COUNT, AT(rounds), "N", "", 1, 1000, NULL },
	{ "any", 0, OPTION_COUNT, AT(any), "N", "", 0, 0, NULL },
	{ "budget", 'b', OPTION_DURATION, AT(budget_ns), "DUR", "", 100000000, UINT64_C(86400000000000), NULL },
	{ "precision", 'p', OPTION_PERCENT, AT(precision_pct), "PCT", "", 0, 0, NULL },
	{ "label", 'l', OPTION_TEXTS, AT(labels), "K=V", "", 0, 0, NULL },
	{ 0 },
};
static const struct verb verb = { .name = "test", .options = rows, .config_size = sizeof(struct config) };

struct line {
	char *word[16];
	int count, first;
	bool help;
	struct config config;
	struct err err;
	int r;
};

/* Words parted by single blanks; '_' stands for a blank inside a word. */
static void parse(struct line *line, const char *text)
{
	char *rest = mem_text("test%s%s", *text ? " " : "", text);

	*line = (struct line){ 0 };
	for (char *word; (word = strsep(&rest, " "));) {
		for (char *at = word; (at = strchr(at, '_'));)
			*at = ' ';
		line->word[line->count++] = word;
	}
	line->r = options_parse(&verb, line->count, line->word, &line->config, &line->first, &line->help, &line->err);
}

static void done(struct line *line)
{
	free(line->word[0]);
	free(line->config.labels.at);
}

static void assert_refused(const char *text, const char *words)
{
	struct line line;

	parse(&line, text);
	if (line.r != -EINVAL)
		fail_msg("'%s' was taken", text);
	assert_string_equal(line.err.text, words);
	done(&line);
}

static void every_type_is_read(void **state)
{
	struct line line;

	(void)state;
	parse(&line, "--quiet --set quick --text any_words --rounds 12 --any 18446744073709551615 --budget 1.5s --precision 0.5%");
	assert_int_equal(line.r, 0);
	assert_true(line.config.quiet && !line.config.loud);
	assert_string_equal(line.config.set, "quick");
	assert_string_equal(line.config.text, "any words");
	assert_int_equal(line.config.rounds, 12);
	assert_true(line.config.any == UINT64_MAX);
	assert_int_equal(line.config.budget_ns, 1500000000);
	assert_true(line.config.precision_pct == 0.5);
	assert_int_equal(line.first, line.count);
	done(&line);
}

static void short_forms_may_be_joined(void **state)
{
	struct line line;

	(void)state;
	parse(&line, "-qor12 -b5m -p 2");
	assert_int_equal(line.r, 0);
	assert_true(line.config.quiet && line.config.loud);
	assert_int_equal(line.config.rounds, 12);
	assert_true(line.config.budget_ns == UINT64_C(300000000000));
	assert_true(line.config.precision_pct == 2);
	done(&line);
}

static void what_is_not_given_stays_zero(void **state)
{
	struct line line;
	struct config none = { 0 };

	(void)state;
	parse(&line, "");
	assert_int_equal(line.r, 0);
	assert_memory_equal(&line.config, &none, sizeof none);
	assert_false(line.help);
	assert_int_equal(line.first, 1);
	done(&line);
}

static void options_may_follow_arguments(void **state)
{
	struct line line;

	(void)state;
	parse(&line, "mem -q cpu --rounds=7 -- --quiet");
	assert_int_equal(line.r, 0);
	assert_true(line.config.quiet);
	assert_int_equal(line.config.rounds, 7);
	assert_int_equal(line.count - line.first, 3);
	assert_string_equal(line.word[line.first], "mem");
	assert_string_equal(line.word[line.first + 1], "cpu");
	assert_string_equal(line.word[line.first + 2], "--quiet");
	done(&line);
}

static void lists_keep_their_order_and_the_last_of_others_wins(void **state)
{
	struct line line;

	(void)state;
	parse(&line, "-l a=1 --label b=2 -r 3 -r 4 -lc=3");
	assert_int_equal(line.r, 0);
	assert_int_equal(line.config.labels.count, 3);
	assert_string_equal(line.config.labels.at[0], "a=1");
	assert_string_equal(line.config.labels.at[1], "b=2");
	assert_string_equal(line.config.labels.at[2], "c=3");
	assert_int_equal(line.config.rounds, 4);
	done(&line);
}

static void help_is_an_option_of_every_verb(void **state)
{
	static const char *const lines[] = { "--help", "-h", "mem --help", "--help --nonsense", "-qh" };
	struct line line;

	(void)state;
	for (size_t i = 0; i < countof(lines); i++) {
		parse(&line, lines[i]);
		assert_int_equal(line.r, 0);
		assert_true(line.help);
		done(&line);
	}
}

static void each_mistake_has_one_line_that_names_it(void **state)
{
	(void)state;
	assert_refused("--nonsense", "unknown option '--nonsense'");
	assert_refused("-x", "unknown option '-x'");
	assert_refused("-xq", "unknown option '-x'");
	assert_refused("-qx", "unknown option '-x'");
	assert_refused("mem -x cpu", "unknown option '-x'");
	assert_refused("--nonsense=5 mem", "unknown option '--nonsense=5'");
	assert_refused("--quiet=5", "option '--quiet=5' takes no value");
	assert_refused("--rounds", "option '--rounds' needs a value");
	assert_refused("-r", "option '-r' needs a value");
	assert_refused("-qr", "option '-qr' needs a value");
	assert_refused("--set slow", "--set 'slow' is not one of: quick classic");
	assert_refused("--set quic", "--set 'quic' is not one of: quick classic");
	assert_refused("--set=", "--set '' is not one of: quick classic");
	assert_refused("--set quick_classic", "--set 'quick classic' is not one of: quick classic");
	assert_refused("--rounds 0", "--rounds 0 is outside 1 … 1000");
	assert_refused("--rounds 1001", "--rounds 1001 is outside 1 … 1000");
	assert_refused("--precision 0", "--precision 0 is not a percentage above 0 and up to 100");
	assert_refused("--precision 101", "--precision 101 is not a percentage above 0 and up to 100");
}

static void numbers_that_are_none_are_refused(void **state)
{
	static const char *const lines[] = { "--rounds -1",  "--rounds 1.5", "--rounds x",	"--rounds=",	"--any 18446744073709551616",
					     "--budget 5",   "--budget s",   "--budget 5parsecs", "--budget -5s", "--budget nans",
					     "--precision x", "--precision -1", "--precision nan", "--precision inf", "--precision=",  "--budget 99ms" };

	(void)state;
	for (size_t i = 0; i < countof(lines); i++) {
		struct line line;
		parse(&line, lines[i]);
		if (line.r >= 0)
			fail_msg("'%s' was taken", lines[i]);
		size_t option = strcspn(lines[i], " =");
		assert_memory_equal(line.err.text, lines[i], option);
		done(&line);
	}
}

/* What help, completion and the man pages are made from. */
static void the_rows_of_every_verb_make_sense(void **state)
{
	(void)state;
	for (size_t i = 0; verbs[i]; i++) {
		const struct verb *one = verbs[i];
		bool letters[256] = { ['h'] = true };
		assert_ptr_equal(verb_find(one->name), one);
		assert_non_null(one->summary);
		assert_non_null(one->run);
		for (const struct option_row *row = one->options; row && row->name; row++) {
			assert_true(row->offset < one->config_size);
			assert_true((row->type == OPTION_FLAG) == (row->value == NULL));
			assert_true(row->help && row->help[0]);
			assert_string_not_equal(row->name, "help");
			assert_true(row->low <= row->high);
			assert_false(row->letter && letters[(unsigned char)row->letter]);
			letters[(unsigned char)row->letter] = true;
			for (const struct option_row *other = one->options; other != row; other++)
				assert_string_not_equal(other->name, row->name);
		}
	}
	assert_null(verb_find("nonsense"));
	assert_null(verb_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(short_forms_may_be_joined),
		cmocka_unit_test(what_is_not_given_stays_zero),
		cmocka_unit_test(options_may_follow_arguments),
		cmocka_unit_test(lists_keep_their_order_and_the_last_of_others_wins),
		cmocka_unit_test(help_is_an_option_of_every_verb),
		cmocka_unit_test(each_mistake_has_one_line_that_names_it),
		cmocka_unit_test(numbers_that_are_none_are_refused),
		cmocka_unit_test(the_rows_of_every_verb_make_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
