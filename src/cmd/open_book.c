#include "cmd/open_book.h"

#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "cmd/verb.h"

int cmd_try_open_book(const char *book_option, unsigned flags, struct book **ret_book, struct err *err)
{
	auto_free char *path = NULL;
	auto_free char *notice = NULL;

	book_default_path(book_option, flags & BOOK_WRITE, &path, &notice);
	int r = book_open(path, flags, ret_book, err);
	/* A reader who finds nothing is told where it was looked for by err. */
	if (notice && r == 0)
		fprintf(stderr, "assay: %s\n", notice);
	return r;
}

/* What the user asked for does not make sense, against what could not be done. */
static int fail(int code, const struct err *err, int *ret_exit)
{
	verb_failed("%s", err->text);
	*ret_exit = code == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	return code;
}

struct book *cmd_open_book(const char *book_option, unsigned flags, int *ret_exit)
{
	struct book *book = NULL;
	struct err err = { "" };
	int r = cmd_try_open_book(book_option, flags, &book, &err);

	if (r < 0)
		fail(r, &err, ret_exit);
	return book;
}

bool cmd_resolve(struct book *book, const char *run_ref, char ret_id[37], int *ret_exit)
{
	struct err err = { "" };
	int r = book_resolve(book, run_ref ? run_ref : "latest", ret_id, &err);

	if (r < 0)
		fail(r, &err, ret_exit);
	return r == 0;
}

int cmd_load_run_with(const char *book_option, const char *run_ref, unsigned load_flags, struct run *ret,
		      int *ret_exit)
{
	struct err err = { "" };
	char id[37];
	struct book *book = NULL;
	int r = cmd_try_open_book(book_option, 0, &book, &err);

	if (r == 0)
		r = book_resolve(book, run_ref ? run_ref : "latest", id, &err);
	if (r == 0)
		r = book_load_run(book, id, load_flags, ret, &err);
	book_close(book);
	return r < 0 ? fail(r, &err, ret_exit) : 0;
}

int cmd_load_run(const char *book_option, const char *run_ref, struct run *ret, int *ret_exit)
{
	return cmd_load_run_with(book_option, run_ref, 0, ret, ret_exit);
}
