/* Completion scripts: `assay completion bash`. All in them comes from the verbs' option rows and the registry. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/help.h"
#include "cmd/verb.h"
#include "harness/registry.h"

extern const struct verb verb_completion;

struct completion {
	bool unused;
};

static const struct option_row options[] = { { 0 } };
static const char *const examples[] = { "assay completion bash > ~/.local/share/bash-completion/completions/assay",
					"assay completion zsh > ~/.zfunc/_assay  (with fpath+=~/.zfunc before compinit)",
					"assay completion fish > ~/.config/fish/completions/assay.fish", NULL };

static bool takes(const struct verb *verb, const char *what)
{
	return verb->arguments && strstr(verb->arguments, what);
}

static bool is_path(const struct option_row *option)
{
	return option->value && (!strcmp(option->value, "FILE") || !strcmp(option->value, "DIR"));
}

static void add_benches(struct text *out)
{
	for (size_t i = 0; i < registry_count(); i++) {
		if (!registry_at(i)->hidden)
			text_add(out, " %s", registry_at(i)->name);
	}
}

static void add_variants(struct text *out)
{
	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		for (const struct variant *variant = bench->variants; variant && variant->name && !bench->hidden; variant++)
			text_add(out, " %s:%s", bench->name, variant->name);
	}
}

static void add_folders(struct text *out)
{
	const char *last = "";

	for (size_t i = 0; i < registry_count(); i++) {
		const char *name = registry_at(i)->name;
		size_t length = strcspn(name, ".") + 1;
		if (!registry_at(i)->hidden && strncmp(name, last, length))
			text_add(out, " %.*s", (int)length - 1, name);
		last = name;
	}
}

/* Blank-separated words that may stand as an argument of the verb. */
static void add_arguments(struct text *out, const struct verb *verb)
{
	if (takes(verb, "RUN"))
		text_add(out, " latest");
	if (takes(verb, "SHELL"))
		text_add(out, " bash zsh fish");
	if (takes(verb, "VERB")) {
		for (const struct verb *const *other = verbs; *other; other++) {
			if (!(*other)->hidden)
				text_add(out, " %s", (*other)->name);
		}
	}
	for (size_t i = 0; takes(verb, "TOPIC") && help_topic_name(i); i++)
		text_add(out, " %s", help_topic_name(i));
	if (takes(verb, "SELECTOR") || takes(verb, "BENCH")) {
		add_folders(out);
		add_benches(out);
	}
}

/* Text within single quotes; `backslashed` characters get a backslash first (a quote ends, escapes and begins anew). */
static void add_quoted(struct text *out, const char *raw, const char *backslashed)
{
	for (; *raw; raw++) {
		if (*raw == '\'')
			text_add(out, "'\\''");
		else
			text_add(out, "%s%c", strchr(backslashed, *raw) ? "\\" : "", *raw);
	}
}

static void bash_verb(const struct verb *verb, struct text *out)
{
	for (const struct option_row *option = verb->options; option && option->name; option++) {
		if (option->type == OPTION_FLAG)
			continue;
		text_add(out, "\t%s:--%s", verb->name, option->name);
		if (option->letter)
			text_add(out, " | %s:-%c", verb->name, option->letter);
		if (option->words)
			text_add(out, ") words='%s' options= ;;\n", option->words);
		else if (is_path(option))
			text_add(out, ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
		else
			text_add(out, ") return ;;\n");
	}
}

static void bash_words(const struct verb *verb, struct text *out)
{
	text_add(out, "\t%s:*) options='--help", verb->name);
	for (const struct option_row *option = verb->options; option && option->name; option++)
		text_add(out, " --%s", option->name);
	text_add(out, "'; words='");
	add_arguments(out, verb);
	text_add(out, "'%s ;;\n", takes(verb, "RUN") ? "$'\\n'$(_assay_runs)" : "");
}

/* Bash takes "mem.latency:ran" for three words, and replaces the last of them only: the word is found in the line
 * itself, and what stands before its last ':' is taken off the answers. Runs whose name has a blank are offered by their
 * id only. */
static const char bash_begin[] =
	"_assay_runs()\n{\n\t\"${COMP_WORDS[0]}\" runs --json 2>/dev/null |\n"
	"\t\tsed -n -e 's/^ *\"id\": \"\\(.*\\)\",*$/\\1/p' -e 's/^ *\"name\": \"\\([^ \\\\]*\\)\",*$/\\1/p'\n}\n"
	"_assay()\n{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} options= words= prefix=\n"
	"\tlocal cur=${line##*[[:space:]]}\n"
	"\tlocal -a given\n"
	"\tread -ra given <<<\"${line%\"$cur\"}\"\n"
	"\tlocal verb=${given[1]} prev=${given[${#given[@]}-1]}\n"
	"\tCOMPREPLY=()\n"
	"\tif [ \"${#given[@]}\" -le 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '--help --version";

static const char bash_value[] =
	"' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	"\tcase $cur in\n\t--*=*)\n\t\tprev=${cur%%=*}\n\t\tcur=${cur#*=}\n\t\t;;\n\tesac\n\tcase $verb:$prev in\n";

static const char bash_end[] =
	"\tesac\n\tcase $cur in\n\t-*) words=$options ;;\n\t*:*)\n\t\tprefix=${cur%\"${cur##*:}\"}\n"
	"\t\t[ \"$verb\" = help ] || words=$(_assay_variants)\n\t\t;;\n\tesac\n"
	"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	"\tcase $COMP_WORDBREAKS in\n\t*:*) COMPREPLY=(\"${COMPREPLY[@]#\"$prefix\"}\") ;;\n\tesac\n"
	"}\ncomplete -F _assay assay\n";

static void write_bash(struct text *out)
{
	text_add(out, "_assay_variants()\n{\n\techo '");
	add_variants(out);
	text_add(out, "'\n}\n%s", bash_begin);
	for (const struct verb *const *verb = verbs; *verb; verb++) {
		if (!(*verb)->hidden)
			text_add(out, " %s", (*verb)->name);
	}
	text_add(out, "%s", bash_value);
	for (const struct verb *const *verb = verbs; *verb; verb++) {
		if (!(*verb)->hidden)
			bash_verb(*verb, out);
	}
	for (const struct verb *const *verb = verbs; *verb; verb++) {
		if (!(*verb)->hidden)
			bash_words(*verb, out);
	}
	text_add(out, "%s", bash_end);
}

static void zsh_option(const struct option_row *option, const char *name, struct text *out)
{
	text_add(out, " '%s%s[", option->type == OPTION_TEXTS ? "*" : "", name);
	add_quoted(out, option->help, "[]:\\");
	text_add(out, "]");
	if (option->type != OPTION_FLAG)
		text_add(out, ":%s:", option->value ? option->value : "value");
	if (option->words)
		text_add(out, "(%s)", option->words);
	else if (is_path(option))
		text_add(out, "_files");
	text_add(out, "'");
}

static void zsh_verb(const struct verb *verb, struct text *out)
{
	text_add(out, "\t%s) _arguments '--help[this text]'", verb->name);
	for (const struct option_row *option = verb->options; option && option->name; option++) {
		auto_free char *name = mem_text("--%s%s", option->name, option->type == OPTION_FLAG ? "" : "=");
		zsh_option(option, name, out);
		if (option->letter) {
			const char letter[] = { '-', option->letter, '\0' };
			zsh_option(option, letter, out);
		}
	}
	if (takes(verb, "RUN")) {
		text_add(out, " '*:run:{compadd -- latest ${(f)\"$(_assay_runs)\"}}' ;;\n");
		return;
	}
	text_add(out, " '*:argument:(");
	add_arguments(out, verb);
	text_add(out, ")' ;;\n");
}

static void write_zsh(struct text *out)
{
	text_add(out, "#compdef assay\n_assay_runs()\n{\n\tassay runs --json 2>/dev/null |\n"
		      "\t\tsed -n -e 's/^ *\"id\": \"\\(.*\\)\",*$/\\1/p' -e 's/^ *\"name\": \"\\([^\\]*\\)\",*$/\\1/p'\n}\n"
		      "_assay()\n{\n\tlocal -a verbs\n\tverbs=(\n");
	for (const struct verb *const *verb = verbs; *verb; verb++) {
		if ((*verb)->hidden)
			continue;
		text_add(out, "\t\t'%s:", (*verb)->name);
		add_quoted(out, (*verb)->summary, "\\");
		text_add(out, "'\n");
	}
	text_add(out, "\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe verb verbs\n\t\treturn\n\tfi\n"
		      "\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in\n");
	for (const struct verb *const *verb = verbs; *verb; verb++) {
		if (!(*verb)->hidden)
			zsh_verb(*verb, out);
	}
	text_add(out, "\tesac\n}\n_assay \"$@\"\n");
}

static void fish_option(const struct verb *verb, const struct option_row *option, struct text *out)
{
	text_add(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -l %s", verb->name, option->name);
	if (option->letter)
		text_add(out, " -s %c", option->letter);
	if (option->words)
		text_add(out, " -x -a '%s'", option->words);
	else if (option->type != OPTION_FLAG)
		text_add(out, is_path(option) ? " -r -F" : " -x");
	text_add(out, " -d \"");
	/* Double quotes: within single ones fish takes no '\''. */
	for (const char *at = option->help; *at; at++)
		text_add(out, "%s%c", strchr("\"$\\", *at) ? "\\" : "", *at);
	text_add(out, "\"\n");
}

static void write_fish(struct text *out)
{
	text_add(out, "complete -c assay -f\n"
		      "function __assay_runs\n    assay runs --json 2>/dev/null | "
		      "string match -rg '^ *\"(?:id|name)\": \"([^\"]*)\",?$'\nend\n");
	for (const struct verb *const *at = verbs; *at; at++) {
		const struct verb *verb = *at;
		auto_text struct text words = { 0 };
		if (verb->hidden)
			continue;
		text_add(out, "complete -c assay -n __fish_use_subcommand -a %s -d \"%s\"\n", verb->name, verb->summary);
		add_arguments(&words, verb);
		if (takes(verb, "SELECTOR"))
			add_variants(&words);
		if (words.length)
			text_add(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -a '%s'\n", verb->name,
				 text_get(&words) + 1);
		if (takes(verb, "RUN"))
			text_add(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -a '(__assay_runs)'\n",
				 verb->name);
		for (const struct option_row *option = verb->options; option && option->name; option++)
			fish_option(verb, option, out);
	}
}

static int run_completion(void *config, int argc, char **argv)
{
	auto_text struct text out = { 0 };
	const char *shell = argc ? argv[0] : "";

	(void)config;
	if (!strcmp(shell, "bash"))
		write_bash(&out);
	else if (!strcmp(shell, "zsh"))
		write_zsh(&out);
	else if (!strcmp(shell, "fish"))
		write_fish(&out);
	else
		return verb_misused(&verb_completion, "name a shell: bash, zsh or fish, not '%.40s'", shell);
	return verb_print(text_get(&out));
}

const struct verb verb_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.arguments = "SHELL",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct completion),
	.max_arguments = 1,
	.run = run_completion,
};
