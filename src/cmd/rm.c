/* assay rm: take runs out of the book. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/open_book.h"
#include "cmd/verb.h"

struct rm_config {
	const char *book;
};

extern const struct verb verb_rm;

struct run_id {
	char text[37];
};

/* All are found before the first goes: "latest~1" means the same wherever it stands. The number of different runs, or
 * -1 with *ret_exit. */
static int resolve_all(struct book *book, int count, char **refs, struct run_id *ids, int *ret_exit)
{
	int found = 0;

	for (int i = 0; i < count; i++) {
		if (!cmd_resolve(book, refs[i], ids[found].text, ret_exit))
			return -1;
		bool is_new = true;
		for (int k = 0; k < found && is_new; k++)
			is_new = strcmp(ids[k].text, ids[found].text);
		found += is_new;
	}
	return found;
}

static int remove_all(struct book *book, const struct run_id *ids, int count)
{
	auto_text struct text out = { 0 };
	struct err err = { "" };

	for (int i = 0; i < count; i++) {
		if (book_remove_run(book, ids[i].text, &err) < 0)
			return verb_failed("%s", err.text);
		text_add(&out, "removed %s\n", ids[i].text);
	}
	return verb_print(text_get(&out));
}

static int run_rm(void *config, int argc, char **argv)
{
	const struct rm_config *c = config;
	int code = EXIT_FAILED;

	if (!argc)
		return verb_misused(&verb_rm, "which run? ('assay runs' lists them)");
	struct book *book = cmd_open_book(c->book, BOOK_WRITE, &code);
	if (!book)
		return code;
	auto_free struct run_id *ids = mem_new((size_t)argc, sizeof *ids);
	int count = resolve_all(book, argc, argv, ids, &code);
	if (count > 0)
		code = remove_all(book, ids, count);
	book_close(book);
	return code;
}

static const struct option_row options[] = {
	{ .name = "book", .type = OPTION_TEXT, .offset = offsetof(struct rm_config, book), .value = "FILE",
	  .help = "the book to change (default: $ASSAY_BOOK, or the one of this user)" },
	{ 0 },
};

static const char *const examples[] = { "assay rm 0192f3c1", "assay rm before-upgrade latest~1", NULL };

const struct verb verb_rm = {
	.name = "rm",
	.summary = "remove runs from the book",
	.arguments = "RUN…",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct rm_config),
	.max_arguments = -1,
	.run = run_rm,
};
