/* A verb of the command line: one file in cmd/ ends in one `const struct verb verb_NAME`, listed in cmd/verbs.c.
 *
 * Usage, --help, completion words and the metadata that tests hold man pages against all come from the option rows.
 */
#ifndef CMD_VERB_H
#define CMD_VERB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of the whole program. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,     /* something failed, or nothing was measured */
	EXIT_USAGE = 2,
	EXIT_WORSE = 3,      /* compared and found worse */
	EXIT_NOT_USABLE = 4, /* measured, but nothing of it to be trusted */
	EXIT_INTERRUPTED = 130,
};

enum option_type {
	OPTION_FLAG,     /* bool */
	OPTION_TEXT,     /* const char * */
	OPTION_COUNT,    /* uint64_t */
	OPTION_DURATION, /* uint64_t, ns */
	OPTION_PERCENT,  /* double */
	OPTION_TEXTS,    /* struct texts: may be given many times */
};

struct texts {
	const char **at;
	size_t count, capacity;
};

struct option_row {
	const char *name; /* long name without dashes */
	char letter;      /* short form, or 0 */
	enum option_type type;
	size_t offset;       /* in the verb's config struct, which starts zeroed */
	const char *value;   /* placeholder in help ("DUR"), NULL for flags */
	const char *help;    /* one line */
	uint64_t low, high;  /* range of OPTION_COUNT and OPTION_DURATION when high is not 0 */
	const char *words;   /* blank-separated completions (and only allowed values) of OPTION_TEXT, or NULL */
};

struct verb {
	const char *name;
	const char *summary;               /* one line */
	const char *arguments;             /* synopsis of what follows the options: "[RUN]" */
	const char *const *examples;       /* NULL-terminated, whole command lines */
	const struct option_row *options;  /* ended by a row without a name; --help is added to every verb */
	size_t config_size;
	int max_arguments;                 /* -1: any number */
	bool hidden;
	int (*run)(void *config, int argc, char **argv); /* argv: the arguments behind the options; exit code */
};

/* For a mistake of the user found after parsing: one line and a pointer to help on standard error; EXIT_USAGE. */
int verb_misused(const struct verb *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "assay: " and one line on standard error; EXIT_FAILED. */
int verb_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Writes to standard output; a full disk or a closed pipe there is one line on standard error and EXIT_FAILED. */
int verb_print(const char *text);

/* NULL-terminated, in the order help shows them. */
extern const struct verb *const verbs[];
const struct verb *verb_find(const char *name);

#endif
