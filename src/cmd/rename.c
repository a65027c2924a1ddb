/* assay rename: give a run a name. */
#include <errno.h>

#include "cmd/open_book.h"
#include "cmd/verb.h"

struct rename_config {
	const char *book;
};

extern const struct verb verb_rename;

static int run_rename(void *config, int argc, char **argv)
{
	const struct rename_config *c = config;
	struct err err = { "" };
	int code = EXIT_FAILED;
	char id[37];

	if (argc != 2)
		return verb_misused(&verb_rename, "give a run and its new name ('' takes the name away)");
	if (*argv[1] && book_check_name(argv[1], &err) < 0)
		return verb_misused(&verb_rename, "%s", err.text);
	struct book *book = cmd_open_book(c->book, BOOK_WRITE, &code);
	if (!book)
		return code;
	if (cmd_resolve(book, argv[0], id, &code))
		code = book_rename_run(book, id, argv[1], &err) < 0 ? verb_failed("%s", err.text) : EXIT_DONE;
	book_close(book);
	return code;
}

static const struct option_row options[] = {
	{ .name = "book", .type = OPTION_TEXT, .offset = offsetof(struct rename_config, book), .value = "FILE",
	  .help = "the book to change (default: $ASSAY_BOOK, or the one of this user)" },
	{ 0 },
};

static const char *const examples[] = { "assay rename latest before-upgrade", "assay rename before-upgrade ''", NULL };

const struct verb verb_rename = {
	.name = "rename",
	.summary = "give a run a name, or take it away",
	.arguments = "RUN NAME",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct rename_config),
	.max_arguments = 2,
	.run = run_rename,
};
