#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"

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

int verb_misused(const struct verb *verb, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "assay %s: ", verb->name);
	vfprintf(stderr, fmt, args);
	va_end(args);
	if (verb == &verb_help)
		fputs("\nTry 'assay help'.\n", stderr);
	else
		fprintf(stderr, "\nTry 'assay help %s'.\n", verb->name);
	return EXIT_USAGE;
}

int verb_failed(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("assay: ", stderr);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILED;
}

int verb_print(const char *text)
{
	errno = 0;
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return EXIT_DONE;
	return verb_failed("writing to standard output: %s", strerror(errno ? errno : EIO));
}
