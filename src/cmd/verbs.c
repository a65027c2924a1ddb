#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/verb.h"
#include "report/plain.h"

extern const struct verb verb_completion, verb_export, verb_help, verb_list, verb_machine, verb_rename, verb_rm, verb_run,
	verb_runs, verb_show;

const struct verb *const verbs[] = {
	&verb_run,    &verb_show, &verb_runs, &verb_list,       &verb_machine, &verb_export,
	&verb_rename, &verb_rm,   &verb_help, &verb_completion, NULL,
};

const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; verbs[i]; i++) {
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	}
	return NULL;
}

/* One line on standard error, in which nothing of what the user or a file gave can move a terminal's cursor. */
static void __attribute__((format(printf, 2, 0))) say(const char *prefix, const char *fmt, va_list args)
{
	char *words = NULL;

	if (vasprintf(&words, fmt, args) < 0)
		return;
	auto_free char *plain = plain_copy(words, !strcmp(nl_langinfo(CODESET), "UTF-8"));
	fprintf(stderr, "%s: %s\n", prefix, plain);
	free(words);
}

int verb_misused(const struct verb *verb, const char *fmt, ...)
{
	auto_free char *prefix = mem_text("assay %s", verb->name);
	va_list args;

	va_start(args, fmt);
	say(prefix, fmt, args);
	va_end(args);
	if (verb == &verb_help)
		fputs("Try 'assay help'.\n", stderr);
	else
		fprintf(stderr, "Try 'assay help %s'.\n", verb->name);
	return EXIT_USAGE;
}

int verb_failed(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("assay", fmt, args);
	va_end(args);
	return EXIT_FAILED;
}

int verb_print(const char *text)
{
	errno = 0;
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return EXIT_DONE;
	return verb_failed("writing to standard output: %s", strerror(errno ? errno : EIO));
}
