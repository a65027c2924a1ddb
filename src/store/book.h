/* The book: the store of runs, one SQLite file (https://sqlite.org/fileformat.html).
 *
 * What is committed here survives a killed program and, as far as the file system keeps its word, a power cut. A file
 * that is not a book, or is one of a newer assay, is refused and never touched. Every function that can fail returns
 * a negative errno with one sentence: -ENOENT nothing there, -EEXIST name taken, -ENOTUNIQ ambiguous, -EINVAL not
 * acceptable, -EMEDIUMTYPE not a book, -EPROTONOSUPPORT a newer book, -EBUSY another program holds it, -ENOSPC disk
 * full, -EROFS or -EACCES not writable, -EUCLEAN damaged, -EIO the rest. After any of them the book is as it was
 * before the call and may be used on.
 */
#ifndef STORE_BOOK_H
#define STORE_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

struct book;

enum book_flags {
	BOOK_WRITE = 1 << 0,  /* otherwise nothing in it can change */
	BOOK_CREATE = 1 << 1, /* with BOOK_WRITE: make the file, and the directories above it, where missing */
};

enum { BOOK_RAW_RUNS = 20 }; /* batches are kept for this many of the newest runs */

/* What becomes of the batches of the runs begun with this handle. */
enum book_raw {
	BOOK_RAW_RECENT, /* kept while the run is among the last BOOK_RAW_RUNS */
	BOOK_RAW_KEEP,   /* kept for ever */
	BOOK_RAW_DROP,   /* not stored; quantiles and counts still are */
};

/* Which file is the book: option (--book, may be NULL), $ASSAY_BOOK, $XDG_DATA_HOME/assay/book.db,
 * ~/.local/share/assay/book.db, else ./assay.db. The latter three are passed over when they cannot be written; a
 * reader then still finds an existing book there if the place a writer would use has none. Makes nothing.
 * *ret_notice: a sentence for the user when it came to ./assay.db, else NULL. Caller frees both. */
void book_default_path(const char *option, bool for_writing, char **ret_path, char **ret_notice);

int book_open(const char *path, unsigned flags, struct book **ret_book, struct err *err);
void book_close(struct book *book);
const char *book_path(const struct book *book);
void book_set_raw(struct book *book, enum book_raw raw);

/* Stores what is known before the first worker: the run, its machine, and its points if there are any yet. run->id
 * must be set (uuid7_make). Prunes old batches. */
int book_begin_run(struct book *book, const struct run *run, struct err *err);

/* What one worker measured of one point: id and what else is known beforehand of the point, and the process. */
struct book_entry {
	const struct point *point;
	const struct process *process;
};

/* All that one worker measured, in one transaction, durable on return. */
int book_add_processes(struct book *book, const char *run_id, const struct book_entry *entries, size_t count,
		       struct err *err);
int book_add_process(struct book *book, const char *run_id, const struct point *point, const struct process *process,
		     struct err *err);

/* Stores estimates and verdicts of all points, conditions, end and completeness; processes that the book does not have
 * yet (derived points, or what a full disk refused before) are added. Also right for a run cut short. */
int book_finish_run(struct book *book, const struct run *run, struct err *err);

/* A run in the list. */
struct book_row {
	char id[37];
	char *name; /* or NULL */
	char *set;
	char *hostname; /* or NULL */
	int64_t started_ms, ended_ms;
	bool complete;
	uint64_t points;
	uint64_t verdict[VERDICT_COUNT]; /* points with it; all zero for a run that was killed */
	int short_length;                /* characters of the id that no other run of this book begins with */
};

struct book_list {
	struct book_row *row; /* newest first */
	size_t rows;
};

int book_list_runs(struct book *book, struct book_list *ret_list, struct err *err);
void book_list_done(struct book_list *list);

/* The full id of the run that ref names: "latest", "latest~N", a name, an id or a unique beginning of one. The latest
 * run is the one begun last, complete or not. */
int book_resolve(struct book *book, const char *ref, char ret_id[37], struct err *err);

/* The latest run, if it was cut short; -ENOENT otherwise. */
int book_last_incomplete(struct book *book, char ret_id[37], struct err *err);

enum book_load { BOOK_LOAD_BATCHES = 1 << 0 };

/* ret_run must be empty. A run that was killed has complete = false and points without estimates: values NaN, verdict
 * skipped with a reason, until somebody computes them from the processes. */
int book_load_run(struct book *book, const char *id, unsigned flags, struct run *ret_run, struct err *err);

int book_remove_run(struct book *book, const char *id, struct err *err);

/* name: not empty, no control characters, not "latest…", no id of a run, and not taken. */
int book_rename_run(struct book *book, const char *id, const char *name, struct err *err);

/* 0, or -EINVAL with what is wrong with it as a name of a run. */
int book_check_name(const char *name, struct err *err);

#endif
