#include <string.h>

#include "base/mem.h"
#include "cmd/bench_words.h"
#include "cmd/help.h"
#include "cmd/options.h"
#include "cmd/style.h"
#include "harness/bench_doc.h"
#include "harness/registry.h"
#include "report/grid.h"
#include "report/plain.h"

enum { HELP_WIDTH = 80, INDENT = 2 };

struct show_style help_style(void)
{
	struct show_style style;

	cmd_style(&style);
	style.width = HELP_WIDTH;
	return style_effective(&style);
}

static void heading(struct text *out, const struct show_style *style, const char *words)
{
	text_add(out, "\n");
	tone_add(out, style, TONE_HEAD, words);
	text_add(out, "\n");
}

/* Two columns, the second wrapped under itself; a name too long for its column gets a line of its own. */
static void term(struct text *out, const struct show_style *style, const char *name, const char *words)
{
	enum { COLUMN = 24 };
	auto_free char *plain = plain_copy(name, style->utf8);
	auto_text struct text body = { 0 };
	size_t width = INDENT + plain_width(plain);

	paragraph_add(&body, style, COLUMN, COLUMN, words);
	text_add(out, "%*s%s", INDENT, "", plain);
	if (width >= COLUMN || !body.length)
		text_add(out, "\n%s", text_get(&body));
	else
		text_add(out, "%s", body.at + width); /* the name takes the place of as many blanks */
}

static char *option_name(const struct option_row *option)
{
	struct text name = { 0 };

	if (option->letter)
		text_add(&name, "-%c, ", option->letter);
	else
		text_add(&name, "    ");
	text_add(&name, "--%s", option->name);
	if (option->value)
		text_add(&name, "=%s", option->value);
	return text_take(&name);
}

static void add_bounds(struct text *out, const struct option_row *option)
{
	char range[OPTION_RANGE];

	/* "quick classic" becomes ": quick or classic" */
	for (const char *word = option->words; word && *word;) {
		size_t length = strcspn(word, " ");
		const char *before = word == option->words ? ": " : word[length] ? ", " : " or ";
		text_add(out, "%s%.*s", before, (int)length, word);
		word += length + (word[length] == ' ');
	}
	if (option->high)
		text_add(out, " (%s)", option_range(range, option));
}

static void add_option(struct text *out, const struct show_style *style, const struct option_row *option)
{
	auto_free char *name = option_name(option);
	auto_text struct text words = { 0 };

	text_add(&words, "%s", option->help);
	add_bounds(&words, option);
	term(out, style, name, text_get(&words));
}

void help_verb(const struct verb *verb, struct text *out)
{
	static const struct option_row help = { .name = "help", .letter = 'h', .help = "this text" };
	struct show_style style = help_style();
	auto_free char *usage = mem_text("Usage: assay %s [OPTION…]%s%s", verb->name,
					 verb->arguments && *verb->arguments ? " " : "",
					 verb->arguments ? verb->arguments : "");
	auto_free char *summary = mem_text("assay %s – %s.", verb->name, verb->summary);

	paragraph_add(out, &style, 0, 4, usage);
	text_add(out, "\n");
	paragraph_add(out, &style, 0, 4, summary);
	heading(out, &style, "Options");
	for (const struct option_row *option = verb->options; option && option->name; option++)
		add_option(out, &style, option);
	add_option(out, &style, &help);
	if (!verb->examples || !verb->examples[0])
		return;
	heading(out, &style, "Examples");
	for (const char *const *example = verb->examples; *example; example++)
		text_add(out, "  %s\n", *example);
}

void help_overview(struct text *out)
{
	struct show_style style = help_style();

	paragraph_add(out, &style, 0, 4, "Usage: assay VERB [OPTION…] [ARGUMENT…]");
	text_add(out, "\n");
	paragraph_add(out, &style, 0, 0,
		      "assay measures what a machine is made of, and says of each figure how far it can be trusted.");
	heading(out, &style, "Verbs");
	for (const struct verb *const *verb = verbs; *verb; verb++) {
		if (!(*verb)->hidden)
			term(out, &style, (*verb)->name, (*verb)->summary);
	}
	heading(out, &style, "Topics");
	for (size_t i = 0; help_topic_name(i); i++)
		term(out, &style, help_topic_name(i), help_topic_summary(i));
	text_add(out, "\n");
	paragraph_add(out, &style, 0, 0,
		      "assay help VERB, assay help BENCH, assay help FOLDER (such as mem) and assay help TOPIC say more; "
		      "assay list names the benches, assay --version the version and what it was built with.");
}

static void add_needs(struct text *out, const struct show_style *style, const struct bench *bench)
{
	static const char *const meaning[] = { "the rights of root", "the loopback interface is up",
					       "a directory below $TMPDIR for its files, removed afterwards", "/bin/sh" };
	auto_text struct text words = { 0 };
	const char *need;

	for (unsigned bit = 0; (need = bench_need_word(bit)); bit++) {
		auto_text struct text only = { 0 }; /* the variants, where not all of them need it */
		for (const struct variant *v = bench->variants; v && v->name; v++) {
			if (v->needs & ~bench->needs & 1u << bit)
				text_add(&only, "%s%s", only.length ? ", " : "for ", v->name);
		}
		if (only.length || bench->needs & 1u << bit)
			text_add(&words, "%s%s (%s)%s%s", words.length ? ", " : "Needs: ", need, meaning[bit],
				 only.length ? " " : "", text_get(&only));
	}
	if (words.length)
		paragraph_add(out, style, 0, 4, text_get(&words));
	if (bench->peers)
		paragraph_add(out, style, 0, 4,
			      "More than one process takes part: all on one CPU, or with /place=cross on two.");
}

static void add_params(struct text *out, const struct show_style *style, const struct bench *bench)
{
	if (!bench->params || !bench->params->name)
		return;
	heading(out, style, "Params (with what they are when not given)");
	for (const struct param *param = bench->params; param->name; param++) {
		auto_free char *initial = param_value_word(param, param->initial);
		auto_free char *name = mem_text("%s=%s", param->name, initial);
		auto_free char *range = param_range_words(param);
		bool curve = bench->curve && !strcmp(bench->curve, param->name);
		auto_free char *words = mem_text("%s (%s)%s", param->help, range,
						 curve ? "; one process measures all its values" : "");
		term(out, style, name, words);
	}
}

static const char *doc_of(const struct bench *bench)
{
	const struct bench_doc *doc = bench_docs;

	while (doc->name && strcmp(doc->name, bench->name))
		doc++;
	return doc->text;
}

bool help_folder(const char *name, struct text *out)
{
	struct show_style style = help_style();
	size_t length = strlen(name), found = 0;

	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		if (strncmp(bench->name, name, length) || bench->name[length] != '.')
			continue;
		if (!found++) {
			auto_free char *head = mem_text("%s – the benches of this folder:", name);
			paragraph_add(out, &style, 0, 4, head);
			text_add(out, "\n");
		}
		term(out, &style, bench->name, bench->title);
	}
	if (!found)
		return false;
	auto_free char *list = mem_text("assay list %s", name), *run = mem_text("assay run %s", name);
	text_add(out, "\n");
	term(out, &style, "assay help BENCH", "what one operation of it is, what is counted, what not");
	term(out, &style, list, "variants and params of all");
	term(out, &style, run, "measures all");
	return true;
}

void help_bench(const struct bench *bench, struct text *out)
{
	struct show_style style = help_style();
	auto_free char *head = mem_text("%s – %s", bench->name, bench->title);
	auto_free char *unit = mem_text("Unit: %s%s", bench_unit_word(bench->unit),
					bench->unit == BENCH_NS ? " for one operation; less is better" : "; more is better");

	paragraph_add(out, &style, 0, 4, head);
	text_add(out, "\n");
	paragraph_add(out, &style, 0, 4, unit);
	add_needs(out, &style, bench);
	if (doc_of(bench)) {
		text_add(out, "\n");
		help_add_page(out, &style, doc_of(bench));
	}
	if (bench->variants && bench->variants->name)
		heading(out, &style, "Variants");
	for (const struct variant *variant = bench->variants; variant && variant->name; variant++)
		term(out, &style, variant->name, variant->title ? variant->title : bench->title);
	add_params(out, &style, bench);
	heading(out, &style, "Example");
	text_add(out, "  assay run %s", bench->name);
	if (bench->variants && bench->variants->name)
		text_add(out, ":%s", bench->variants->name);
	text_add(out, "\n");
}
