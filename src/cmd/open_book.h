/* What verbs share that look into the book: choose the file, open it, find the run, load it, and say what went wrong.
 */
#ifndef CMD_OPEN_BOOK_H
#define CMD_OPEN_BOOK_H

#include "base/err.h"
#include "record/record.h"
#include "store/book.h"

/* Opens the book that --book (NULL when not given), the environment or the defaults name, for reading or, with
 * BOOK_WRITE and BOOK_CREATE, for more. A notice about which file it came to goes to standard error. 0, or a negative
 * errno with the sentence in err: nothing of that is printed. */
int cmd_try_open_book(const char *book_option, unsigned flags, struct book **ret_book, struct err *err);

/* The same; on failure the sentence stands on standard error, *ret_exit has the exit code and NULL is returned. */
struct book *cmd_open_book(const char *book_option, unsigned flags, int *ret_exit);

/* The full id of the run that ref names (NULL: the latest). As above on failure: false and *ret_exit. */
bool cmd_resolve(struct book *book, const char *run_ref, char ret_id[37], int *ret_exit);

/* Loads the run that run_ref names ("latest", "latest~2", a name, a unique id prefix; NULL is the latest) without its
 * batches. Points of a run cut short get the estimates that their processes allow. 0, or a negative errno after one
 * sentence on standard error and the exit code in *ret_exit. */
int cmd_load_run(const char *book_option, const char *run_ref, struct run *ret, int *ret_exit);

/* The same with flags of enum book_load. */
int cmd_load_run_with(const char *book_option, const char *run_ref, unsigned load_flags, struct run *ret,
		      int *ret_exit);

#endif
