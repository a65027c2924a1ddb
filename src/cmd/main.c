/* assay: dispatches to a verb, or becomes a worker. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/help.h"
#include "cmd/options.h"
#include "cmd/verb.h"
#include "cmd/version.h"
#include "harness/worker.h"

/* What options_parse collects is kept by nobody else. */
static void forget_texts(const struct verb *verb, void *config)
{
	for (const struct option_row *row = verb->options; row && row->name; row++) {
		if (row->type == OPTION_TEXTS)
			free(((struct texts *)(void *)((char *)config + row->offset))->at);
	}
}

static int call_with(const struct verb *verb, void *config, int argc, char **argv)
{
	auto_text struct text help = { 0 };
	struct err err = { { 0 } };
	bool wants_help = false;
	int first = 1;

	if (options_parse(verb, argc, argv, config, &first, &wants_help, &err) < 0)
		return verb_misused(verb, "%s", err.text);
	if (wants_help) {
		help_verb(verb, &help);
		return verb_print(text_get(&help));
	}
	if (verb->max_arguments >= 0 && argc - first > verb->max_arguments)
		return verb_misused(verb, "'%.60s' is one argument too many", argv[first + verb->max_arguments]);
	return verb->run(config, argc - first, argv + first);
}

static int call(const struct verb *verb, int argc, char **argv)
{
	auto_free void *config = mem_new(1, verb->config_size);
	int code = call_with(verb, config, argc, argv);

	forget_texts(verb, config);
	return code;
}

static int overview(void)
{
	auto_text struct text help = { 0 };

	help_overview(&help);
	return verb_print(text_get(&help));
}

/* Descriptors 0 to 2 must exist, or the first file opened would take their place and be written to as output. */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--worker"))
		worker_main(atoi(argv[2]));

	/* A closed descriptor 1 is a failure to report, not a reason to write results elsewhere. */
	bool no_output = fcntl(STDOUT_FILENO, F_GETFD) < 0;
	fill_standard_descriptors();
	if (no_output)
		close(STDOUT_FILENO);
	/* Widths and characters follow the locale; numbers never do (LC_NUMERIC stays "C"). */
	setlocale(LC_CTYPE, "");
	/* A closed pipe and a full file are errors of the write that met them, told in words. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return overview();
	if (!strcmp(argv[1], "--version"))
		return version_print();
	const struct verb *verb = verb_find(argv[1]);
	if (!verb) {
		fprintf(stderr, "assay: there is no verb '%.60s'\nTry 'assay help'.\n", argv[1]);
		return EXIT_USAGE;
	}
	return call(verb, argc - 1, argv + 1);
}
