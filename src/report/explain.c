/* The words beneath figures: no dash and no mark without its reason. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/figure.h"
#include "report/plain.h"

enum { INDENT = 2, HANG = 6, FEWEST_PROCESSES = 6 };

static char *verdict_words(const struct figure *figure)
{
	if (!figure->reason)
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

/* Says one kind of words about all figures; those with the same words share a paragraph. */
static void explain_kind(const struct figure *figure, size_t count, char *(*words_of)(const struct figure *),
			 const struct show_style *style, struct text *out)
{
	char **words = mem_new(count + 1, sizeof *words);

	for (size_t i = 0; i < count; i++)
		words[i] = figure[i].said ? NULL : words_of(&figure[i]);
	for (size_t i = 0; i < count; i++) {
		auto_text struct text names = { 0 };
		if (!words[i])
			continue;
		text_add(&names, "%s", figure[i].name);
		for (size_t j = i + 1; j < count; j++) {
			if (!words[j] || strcmp(words[i], words[j]))
				continue;
			text_add(&names, ", %s", figure[j].name);
			free(words[j]);
			words[j] = NULL;
		}
		text_add(&names, ": %s", words[i]);
		paragraph_add(out, style, INDENT, HANG, text_get(&names));
		free(words[i]);
		words[i] = NULL;
	}
	free(words);
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
