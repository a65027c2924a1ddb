#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cmd/open_book.h"
#include "cmd/style.h"
#include "cmd/verb.h"
#include "record/json.h"
#include "report/classic.h"
#include "report/show.h"

struct show {
	bool json, points, long_form;
	const char *book;
};

static const struct option_row options[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct show, json), NULL, "the whole record and the tables as JSON", 0,
	  0, NULL },
	{ "points", 'p', OPTION_FLAG, offsetof(struct show, points), NULL, "every figure by its point, no tables", 0, 0, NULL },
	{ "long", 'l', OPTION_FLAG, offsetof(struct show, long_form), NULL,
	  "one line a figure, with rounds, batches and noise", 0, 0, NULL },
	{ "book", 0, OPTION_TEXT, offsetof(struct show, book), "FILE", "the book to read (default: $ASSAY_BOOK)", 0, 0, NULL },
	{ 0 },
};

static const char *const examples[] = { "assay show", "assay show latest~1 --long", "assay show --json | jq .tables",
					NULL };

/* The record's document is written by its own room and is complete; the tables go in before its last brace. */
static void write_document(const struct run *run, struct text *out)
{
	auto_text struct text record = { 0 }, tables = { 0 };
	struct json json;

	json_init(&json, &record, true);
	run_write_json(run, &json, 0);
	json_init(&json, &tables, true);
	json_object(&json, NULL);
	classic_json(run, &json);
	json_end(&json);
	size_t length = record.length;
	while (length && strchr(" \n}", record.at[length - 1])) {
		if (record.at[--length] == '}')
			break;
	}
	while (length && strchr(" \n", record.at[length - 1]))
		length--;
	text_bytes(out, record.at, length);
	text_add(out, ",%s", strchr(tables.at, '{') + 1);
	if (out->at[out->length - 1] != '\n')
		text_add(out, "\n");
}

static int run_show(void *config, int argc, char **argv)
{
	const struct show *show = config;
	__attribute__((cleanup(run_done))) struct run run = { 0 };
	auto_text struct text out = { 0 };
	struct show_style style;
	int code = EXIT_FAILED;

	if (cmd_load_run(show->book, argc ? argv[0] : NULL, &run, &code) < 0)
		return code;
	if (show->json) {
		write_document(&run, &out);
		return verb_print(text_get(&out));
	}
	cmd_style(&style);
	style.points = show->points;
	style.long_form = show->long_form;
	style.book = show->book;
	if (show_run(&run, &style, &out) < 0)
		return verb_failed("the tables could not be drawn: out of memory");
	return verb_print(text_get(&out));
}

const struct verb verb_show = {
	.name = "show",
	.summary = "show a run: its verdicts, then its figures with their intervals",
	.arguments = "[RUN]",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct show),
	.max_arguments = 1,
	.run = run_show,
};
