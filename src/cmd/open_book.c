#include "cmd/open_book.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "cmd/verb.h"
#include "harness/estimate.h"

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

/* A run that was killed has processes that nobody judged. Points that were judged, or never measured, stay as they are:
 * their reasons are not in the processes. */
static void estimate_unjudged(struct run *run)
{
	for (size_t i = 0; !run->complete && i < run->points; i++) {
		if (run->point[i].processes && isnan(run->point[i].value))
			estimate_point(&run->point[i]);
	}
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
	if (r < 0)
		return fail(r, &err, ret_exit);
	estimate_unjudged(ret);
	return 0;
}

int cmd_load_run(const char *book_option, const char *run_ref, struct run *ret, int *ret_exit)
{
	return cmd_load_run_with(book_option, run_ref, 0, ret, ret_exit);
}
