/* The words beneath figures: no dash and no mark without its reason. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/figure.h"

enum { INDENT = 2, HANG = 6, FEWEST_PROCESSES = 6, MOST_NAMES = 4 };

/* The verdict is for want of an interval: interval_words says it, together with figures that also have another reason. */
static bool lacks_processes(const struct figure *figure)
{
	return figure->reason && figure->usable && !figure_has_interval(figure) &&
	       strstr(figure->reason, "too few for an interval");
}

static char *verdict_words(const struct figure *figure)
{
	if (!figure->reason || lacks_processes(figure))
		return NULL;
	if (!figure->point || figure->point->verdict == VERDICT_OK)
		return mem_copy(figure->reason);
	return mem_text("%s – %s", figure->word, figure->reason);
}

static char *interval_words(const struct figure *figure)
{
	if (!figure->usable || figure_has_interval(figure))
		return NULL;
	if (figure->point->rounds < FEWEST_PROCESSES)
		return mem_text("no interval: it needs %d processes, there %s %u", FEWEST_PROCESSES,
				figure->point->rounds == 1 ? "is" : "are", figure->point->rounds);
	return mem_copy("no interval: the record holds none");
}

static char *zero_words(const struct figure *figure)
{
	return figure_is_zero(figure) ? mem_copy("not distinguishable from zero: the interval holds 0") : NULL;
}

static char *note_words(const struct figure *figure)
{
	return figure->point && figure->point->note && *figure->point->note ? mem_copy(figure->point->note) : NULL;
}

static char *identity_words(const struct figure *figure)
{
	if (!figure->point)
		return NULL;
	auto_text struct text words = { 0 };
	if (figure->name != figure->point->id)
		text_add(&words, "%s", figure->point->id);
	if (figure->point->title && *figure->point->title)
		text_add(&words, "%s%s", words.length ? " – " : "", figure->point->title);
	for (size_t i = 0; i < figure->point->sources; i++)
		text_add(&words, "%s%s", i ? ", " : "; computed from ", figure->point->source[i]);
	return words.length ? text_take(&words) : NULL;
}

/* Length of a number at `at` that stands for itself, not inside a name such as L1, size=512 or 127.0.0.1:80; else 0. */
static size_t number_length(const char *text, const char *at)
{
	size_t length = strspn(at, "0123456789.");

	if (!isdigit((unsigned char)*at) || (at > text && (isalnum((unsigned char)at[-1]) || strchr("=/:._-", at[-1]))))
		return 0;
	while (at[length - 1] == '.')
		length--;
	return isalnum((unsigned char)at[length]) || (at[length] && strchr("=/:_-", at[length])) ? 0 : length;
}

/* The sentence with # for its numbers: sentences of one kind have the same. Caller frees. */
static char *kind_of(const char *words)
{
	struct text kind = { 0 };

	for (const char *at = words; *at;) {
		size_t length = number_length(words, at);
		text_bytes(&kind, length ? "#" : at, 1);
		at += length ? length : 1;
	}
	return text_take(&kind);
}

/* The index-th number of a sentence; NULL past the last. */
static const char *number_at(const char *words, unsigned index, size_t *ret_length)
{
	for (const char *at = words; *at;) {
		*ret_length = number_length(words, at);
		if (*ret_length && !index--)
			return at;
		at += *ret_length ? *ret_length : 1;
	}
	return NULL;
}

/* What is said about one kind of thing: who it is said of, all with sentences that differ in numbers only. */
struct saying {
	const struct figure *figure;
	char **words; /* of every figure; NULL for those that this is not about */
	const bool *member;
	size_t count;
};

/* "35", or "35 … 48" when the members' numbers differ. */
static void add_range(struct text *out, const struct saying *saying, unsigned index)
{
	const char *low = NULL, *high = NULL;
	size_t low_length = 0, high_length = 0, length;

	for (size_t i = 0; i < saying->count; i++) {
		const char *at = saying->member[i] ? number_at(saying->words[i], index, &length) : NULL;
		if (!at)
			continue;
		if (!low || strtod(at, NULL) < strtod(low, NULL)) {
			low = at;
			low_length = length;
		}
		if (!high || strtod(at, NULL) > strtod(high, NULL)) {
			high = at;
			high_length = length;
		}
	}
	if (!low)
		return;
	text_bytes(out, low, low_length);
	if (strtod(low, NULL) < strtod(high, NULL))
		text_add(out, " … %.*s", (int)high_length, high);
}

static void add_merged(struct text *out, const struct saying *saying, const char *words)
{
	unsigned index = 0;

	for (const char *at = words; *at;) {
		size_t length = number_length(words, at);
		if (length)
			add_range(out, saying, index++);
		else
			text_bytes(out, at, 1);
		at += length ? length : 1;
	}
}

static void add_names(struct text *out, const struct saying *saying)
{
	size_t members = 0, others = 0, absent = 0, named = 0;
	const char *band = NULL;

	for (size_t i = 0; i < saying->count; i++) {
		members += saying->member[i];
		others += !saying->member[i] && saying->figure[i].point;
		absent += saying->member[i] && !saying->figure[i].point;
	}
	if (members > MOST_NAMES && !others && !absent) {
		text_add(out, "all %zu", members);
		return;
	}
	/* Neighbours of one band share its mention: "2p/0K, 8p/16K (hop), 2p/0K (base)". */
	for (size_t i = 0; i < saying->count && named < MOST_NAMES; i++) {
		const struct figure *figure = &saying->figure[i];
		if (!saying->member[i])
			continue;
		if (band && (!figure->band || strcmp(band, figure->band)))
			text_add(out, " (%s)", band);
		text_add(out, "%s%s", named++ ? ", " : "", figure->name);
		band = figure->band;
	}
	if (band)
		text_add(out, " (%s)", band);
	if (members > MOST_NAMES)
		text_add(out, " … and %zu more", members - MOST_NAMES);
}

/* All of figure first's kind in one paragraph; they are then done with. */
static void say(const struct figure *figure, char **words, char **kind, size_t first, size_t count,
		const struct show_style *style, struct text *out)
{
	auto_text struct text line = { 0 };
	auto_free bool *member = mem_new(count, sizeof *member);
	const struct saying saying = { .figure = figure, .words = words, .member = member, .count = count };

	for (size_t i = first; i < count; i++)
		member[i] = kind[i] && !strcmp(kind[i], kind[first]);
	add_names(&line, &saying);
	text_add(&line, ": ");
	add_merged(&line, &saying, words[first]);
	paragraph_add(out, style, INDENT, HANG, text_get(&line));
	for (size_t i = count; i-- > first;) {
		if (!member[i])
			continue;
		free(kind[i]);
		kind[i] = NULL;
	}
}

static void explain_kind(const struct figure *figure, size_t count, char *(*words_of)(const struct figure *),
			 const struct show_style *style, struct text *out)
{
	char **words = mem_new(count + 1, sizeof *words), **kind = mem_new(count + 1, sizeof *kind);

	for (size_t i = 0; i < count; i++) {
		words[i] = figure[i].said ? NULL : words_of(&figure[i]);
		kind[i] = words[i] ? kind_of(words[i]) : NULL;
	}
	for (size_t i = 0; i < count; i++) {
		if (kind[i])
			say(figure, words, kind, i, count, style, out);
	}
	for (size_t i = 0; i < count; i++)
		free(words[i]);
	free(words);
	free(kind);
}

void figures_explain(const struct figure *figure, size_t count, const struct show_style *style, struct text *out)
{
	explain_kind(figure, count, verdict_words, style, out);
	explain_kind(figure, count, interval_words, style, out);
	explain_kind(figure, count, zero_words, style, out);
	explain_kind(figure, count, note_words, style, out);
	if (style->long_form)
		explain_kind(figure, count, identity_words, style, out);
}
