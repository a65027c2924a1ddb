#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"

enum { HELP = 'h', FIRST_LONG = 256 };

static size_t row_count(const struct option_row *rows)
{
	size_t count = 0;

	while (rows && rows[count].name)
		count++;
	return count;
}

static bool is_word(const char *words, const char *value)
{
	size_t length = strcspn(value, " ");

	if (!length || value[length])
		return false; /* nothing is none of them, nor are several */
	for (const char *at = words; (at = strstr(at, value)); at += length) {
		bool begins = at == words || at[-1] == ' ';
		if (begins && (at[length] == ' ' || !at[length]))
			return true;
	}
	return false;
}

/* Bounds are round numbers: "24 h", not "1440 min 00 s". */
static char *bound(char out[FORMAT_DURATION], uint64_t ns)
{
	const uint64_t hour_ns = UINT64_C(3600) * 1000 * 1000 * 1000;

	if (!ns || ns % hour_ns)
		return format_duration(out, ns);
	snprintf(out, FORMAT_DURATION, "%" PRIu64 " h", ns / hour_ns);
	return out;
}

char *option_range(char out[OPTION_RANGE], const struct option_row *row)
{
	char low[FORMAT_DURATION], high[FORMAT_DURATION];

	if (row->type == OPTION_DURATION)
		snprintf(out, OPTION_RANGE, "%s … %s", bound(low, row->low), bound(high, row->high));
	else
		snprintf(out, OPTION_RANGE, "%" PRIu64 " … %" PRIu64, row->low, row->high);
	return out;
}

static int check_range(const struct option_row *row, uint64_t value, const char *text, struct err *err)
{
	char range[OPTION_RANGE];

	if (!row->high || (value >= row->low && value <= row->high))
		return 0;
	return err_set(err, -EINVAL, "--%s %s is outside %s", row->name, text, option_range(range, row));
}

static int store_number(const struct option_row *row, void *target, const char *text, struct err *err)
{
	uint64_t value = 0;
	int r = row->type == OPTION_DURATION ? parse_duration(text, &value, err) : parse_count(text, &value, err);

	if (r < 0)
		return err_wrap(err, r, "--%s", row->name);
	r = check_range(row, value, text, err);
	if (r == 0)
		memcpy(target, &value, sizeof value);
	return r;
}

static int store_percent(const struct option_row *row, void *target, const char *text, struct err *err)
{
	double value = 0;
	int r = parse_double(text, &value, err);

	if (r < 0)
		return err_wrap(err, r, "--%s", row->name);
	if (!(value > 0 && value <= 100))
		return err_set(err, -EINVAL, "--%s %s is not a percentage above 0 and up to 100", row->name, text);
	memcpy(target, &value, sizeof value);
	return 0;
}

static int store(const struct option_row *row, void *config, const char *text, struct err *err)
{
	void *target = (char *)config + row->offset;
	struct texts *texts = target;

	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)target = true;
		return 0;
	case OPTION_TEXT:
		if (row->words && !is_word(row->words, text))
			return err_set(err, -EINVAL, "--%s '%.40s' is not one of: %s", row->name, text, row->words);
		memcpy(target, &text, sizeof text);
		return 0;
	case OPTION_TEXTS:
		texts->at = mem_room(texts->at, texts->count, &texts->capacity, sizeof *texts->at);
		texts->at[texts->count++] = text;
		return 0;
	case OPTION_PERCENT:
		return store_percent(row, target, text, err);
	case OPTION_COUNT:
	case OPTION_DURATION:
		return store_number(row, target, text, err);
	}
	return -EINVAL;
}

/* What getopt_long(3) did not take: optopt is a letter, 0 for a long name, or the value of one that takes none. */
static int refuse(const char *word, struct err *err)
{
	if (optopt == HELP || optopt >= FIRST_LONG)
		return err_set(err, -EINVAL, "option '%.60s' takes no value", word);
	if (optopt)
		return err_set(err, -EINVAL, "unknown option '-%c'", optopt);
	return err_set(err, -EINVAL, "unknown option '%.60s'", word);
}

int options_parse(const struct verb *verb, int argc, char **argv, void *config, int *ret_first, bool *ret_help,
		  struct err *err)
{
	size_t rows = row_count(verb->options);
	auto_free struct option *longs = mem_new(rows + 2, sizeof *longs);
	auto_text struct text letters = { 0 };

	text_add(&letters, ":h");
	for (size_t i = 0; i < rows; i++) {
		const struct option_row *row = &verb->options[i];
		int argument = row->type == OPTION_FLAG ? no_argument : required_argument;
		longs[i] = (struct option){ row->name, argument, NULL, FIRST_LONG + (int)i };
		if (row->letter)
			text_add(&letters, argument == no_argument ? "%c" : "%c:", row->letter);
	}
	longs[rows] = (struct option){ "help", no_argument, NULL, HELP };
	optind = 0; /* GNU: start anew */
	for (int c; (c = getopt_long(argc, argv, text_get(&letters), longs, NULL)) != -1;) {
		const struct option_row *row = NULL;
		if (c == HELP) {
			*ret_help = true;
			return 0;
		}
		if (c == '?')
			return refuse(argv[optind - 1], err);
		if (c == ':')
			return err_set(err, -EINVAL, "option '%.60s' needs a value", argv[optind - 1]);
		for (size_t i = 0; i < rows; i++) {
			if (c == FIRST_LONG + (int)i || (verb->options[i].letter && c == verb->options[i].letter))
				row = &verb->options[i];
		}
		int r = row ? store(row, config, optarg, err) : -EINVAL;
		if (r < 0)
			return r;
	}
	*ret_first = optind;
	return 0;
}
