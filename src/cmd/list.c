#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/bench_words.h"
#include "cmd/style.h"
#include "cmd/verb.h"
#include "harness/registry.h"
#include "report/grid.h"

extern const struct verb verb_list;

struct list {
	bool json;
};

static const struct option_row options[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct list, json), NULL, "as JSON, schema assay.list/1", 0, 0, NULL },
	{ 0 },
};

static const char *const examples[] = { "assay list", "assay list mem", "assay list 'syscall.*' --json", NULL };

/* A bench and which of its variants are wanted: NULL for all. */
struct chosen {
	const struct bench *bench;
	char **variant;
	size_t variants;
};

static void want_variant(struct chosen *chosen, char *variant)
{
	chosen->variant = mem_grow(chosen->variant, chosen->variants + 1, sizeof *chosen->variant);
	chosen->variant[chosen->variants++] = variant;
}

/* True when a selector takes the bench; each selector that took one is noted. */
static bool choose(struct chosen *chosen, int selectors, char **selector, bool *used)
{
	bool any = !selectors && !chosen->bench->hidden, all = any;

	for (int i = 0; i < selectors; i++) {
		char *variant = NULL;
		if (!bench_is_selected(chosen->bench, selector[i], &variant))
			continue;
		any = used[i] = true;
		if (variant)
			want_variant(chosen, variant);
		else
			all = true;
	}
	for (size_t i = 0; all && i < chosen->variants; i++)
		free(chosen->variant[i]);
	if (all)
		chosen->variants = 0;
	return any;
}

static bool wants(const struct chosen *chosen, const char *variant)
{
	for (size_t i = 0; i < chosen->variants; i++) {
		if (!fnmatch(chosen->variant[i], variant, 0))
			return true;
	}
	return chosen->variants == 0;
}

static void add_row(struct grid *grid, const struct show_style *style, enum grid_tone tone, const char *name,
		    const char *middle, const char *words)
{
	grid_add(grid, style, tone, name);
	grid_add(grid, style, TONE_DIM, middle);
	grid_add(grid, style, TONE_NONE, words);
}

static void add_bench(struct grid *grid, const struct show_style *style, const struct chosen *chosen)
{
	const struct bench *bench = chosen->bench;

	add_row(grid, style, TONE_HEAD, bench->name, bench_unit_word(bench->unit), bench->title);
	for (const struct variant *variant = bench->variants; variant && variant->name; variant++) {
		auto_free char *name = mem_text("  :%s", variant->name);
		if (wants(chosen, variant->name))
			add_row(grid, style, TONE_NONE, name, "", variant->title);
	}
	for (const struct param *param = bench->params; param && param->name; param++) {
		auto_free char *initial = param_value_word(param, param->initial);
		auto_free char *name = mem_text("  /%s=%s", param->name, initial);
		auto_free char *range = param_range_words(param);
		add_row(grid, style, TONE_NONE, name, range, param->help);
	}
}

static void write_params(struct json *json, const struct bench *bench)
{
	json_array(json, "params");
	for (const struct param *param = bench->params; param && param->name; param++) {
		auto_free char *low = param_value_word(param, param->low), *high = param_value_word(param, param->high);
		auto_free char *initial = param_value_word(param, param->initial);
		bool ranged = param->type != PARAM_CHOICE;
		json_object(json, NULL);
		json_text(json, "name", param->name);
		json_text(json, "type", param_type_word(param->type));
		json_text(json, "default", initial);
		json_text(json, "low", ranged ? low : NULL);
		json_text(json, "high", ranged ? high : NULL);
		json_array(json, "choices");
		for (const char *const *choice = ranged ? NULL : param->choices; choice && *choice; choice++)
			json_text(json, NULL, *choice);
		json_end(json);
		json_text(json, "help", param->help);
		json_end(json);
	}
	json_end(json);
}

static void write_bench(struct json *json, const struct chosen *chosen)
{
	const struct bench *bench = chosen->bench;
	const char *need;

	json_object(json, NULL);
	json_text(json, "name", bench->name);
	json_text(json, "title", bench->title);
	json_text(json, "unit", bench_unit_word(bench->unit));
	json_text(json, "better", bench->unit == BENCH_NS ? "less" : "more");
	json_array(json, "needs");
	for (unsigned bit = 0; (need = bench_need_word(bit)); bit++) {
		if (bench->needs & 1u << bit)
			json_text(json, NULL, need);
	}
	json_end(json);
	json_bool(json, "peers", bench->peers);
	json_text(json, "curve", bench->curve);
	json_array(json, "variants");
	for (const struct variant *variant = bench->variants; variant && variant->name; variant++) {
		if (!wants(chosen, variant->name))
			continue;
		json_object(json, NULL);
		json_text(json, "name", variant->name);
		json_text(json, "title", variant->title);
		json_end(json);
	}
	json_end(json);
	write_params(json, bench);
	json_end(json);
}

static void write_list(const struct chosen *chosen, size_t count, struct text *out)
{
	struct json json;

	json_init(&json, out, true);
	json_object(&json, NULL);
	json_text(&json, "schema", "assay.list/1");
	json_array(&json, "benches");
	for (size_t i = 0; i < count; i++)
		write_bench(&json, &chosen[i]);
	json_end(&json);
	json_end(&json);
	text_add(out, "\n");
}

static int draw_list(const struct chosen *chosen, size_t count, struct text *out)
{
	auto_grid struct grid grid = { .columns = 3, .wrap = 3 };
	struct show_style style;

	cmd_style(&style);
	style = style_effective(&style);
	for (size_t i = 0; i < count; i++)
		add_bench(&grid, &style, &chosen[i]);
	return grid_draw(&grid, &style, 0, out);
}

/* What the selectors chose, as text or JSON; or the exit code of a selector that chose nothing. */
static int print_chosen(const struct list *list, const struct chosen *chosen, size_t count, int selectors,
			char **selector, const bool *used)
{
	auto_text struct text out = { 0 };

	for (int i = 0; i < selectors; i++) {
		if (!used[i])
			return verb_misused(&verb_list, "no bench is named \"%s\"; `assay list` shows all", selector[i]);
	}
	if (list->json)
		write_list(chosen, count, &out);
	else if (draw_list(chosen, count, &out) < 0)
		return verb_failed("the list could not be drawn: out of memory");
	return verb_print(text_get(&out));
}

static int run_list(void *config, int argc, char **argv)
{
	size_t count = 0;
	auto_free bool *used = mem_new((size_t)argc + 1, sizeof *used);
	struct chosen *chosen = mem_new(registry_count() + 1, sizeof *chosen);

	for (size_t i = 0; i < registry_count(); i++) {
		chosen[count] = (struct chosen){ .bench = registry_at(i) };
		count += choose(&chosen[count], argc, argv, used);
	}
	int code = print_chosen(config, chosen, count, argc, argv, used);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < chosen[i].variants; j++)
			free(chosen[i].variant[j]);
		free(chosen[i].variant);
	}
	free(chosen);
	return code;
}

const struct verb verb_list = {
	.name = "list",
	.summary = "list the benches, their variants and params",
	.arguments = "[SELECTOR…]",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct list),
	.max_arguments = -1,
	.run = run_list,
};
