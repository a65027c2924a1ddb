#include "cmd/help.h"

#include <string.h>

#include "harness/registry.h"

extern const struct verb verb_help;

struct help {
	bool unused;
};

static const struct option_row options[] = { { 0 } };
static const char *const examples[] = { "assay help run", "assay help ipc.pipe", "assay help mem",
					"assay help verdicts", NULL };

static const struct bench *bench_named(const char *name)
{
	for (size_t i = 0; i < registry_count(); i++) {
		if (!strcmp(registry_at(i)->name, name))
			return registry_at(i);
	}
	return NULL;
}

static int run_help(void *config, int argc, char **argv)
{
	auto_text struct text out = { 0 };
	const struct verb *verb = argc ? verb_find(argv[0]) : NULL;

	(void)config;
	if (!argc) {
		help_overview(&out);
	} else if (verb) {
		help_verb(verb, &out);
	} else if (!help_topic(argv[0], &out)) {
		/* A point's or variant's name is taken for its bench: what stands behind it is explained there. */
		char name[128] = "";
		strncat(name, argv[0], sizeof name - 1);
		name[strcspn(name, ":/")] = '\0';
		const struct bench *bench = bench_named(name);
		if (bench)
			help_bench(bench, &out);
		else if (!help_folder(argv[0], &out))
			return verb_misused(&verb_help, "'%.60s' is no verb, bench, folder of benches or topic ('assay list' "
					    "shows the benches)", argv[0]);
	}
	return verb_print(text_get(&out));
}

const struct verb verb_help = {
	.name = "help",
	.summary = "explain a verb, a bench or a word of the output",
	.arguments = "[VERB|BENCH|FOLDER|TOPIC]",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct help),
	.max_arguments = 1,
	.run = run_help,
};
