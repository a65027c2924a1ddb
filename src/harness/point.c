#include "harness/point.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/format.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "harness/registry.h"

static const char place_key[] = "place";

static const struct param *params_of(const struct bench *bench)
{
	static const struct param none[1];

	return bench->params ? bench->params : none;
}

/* Sizes are told as they may be written: "64g", not 68719476736. */
static int out_of_range(const struct bench *bench, const struct param *param, const char *text, struct err *err)
{
	char low[FORMAT_SIZE], high[FORMAT_SIZE];

	if (param->type == PARAM_SIZE)
		return err_set(err, -EINVAL, "%s=%.40s of %s is outside %s…%s", param->name, text, bench->name,
			       format_size(low, param->low), format_size(high, param->high));
	return err_set(err, -EINVAL, "%s=%.40s of %s is outside %" PRIu64 "…%" PRIu64, param->name, text, bench->name,
		       param->low, param->high);
}

static int parse_value(const struct bench *bench, const struct param *param, const char *text, uint64_t *ret_value,
		       struct err *err)
{
	int r = 0;

	if (param->type == PARAM_CHOICE) {
		for (uint64_t i = 0; param->choices[i]; i++) {
			if (strcmp(param->choices[i], text))
				continue;
			*ret_value = i;
			return 0;
		}
		return err_set(err, -EINVAL, "%s has no choice '%.40s'", param->name, text);
	}
	/* Only where a working set beyond all caches is the default has the word for it a meaning. */
	if (param->type == PARAM_SIZE && param->initial == PARAM_MEMORY && !strcmp(text, "memory")) {
		*ret_value = PARAM_MEMORY;
		return 0;
	}
	if (param->type == PARAM_SIZE)
		r = parse_size(text, ret_value, err);
	else
		r = parse_count(text, ret_value, err);
	if (r < 0)
		return err_wrap(err, -EINVAL, "%s", param->name);
	if (*ret_value < param->low || *ret_value > param->high)
		return out_of_range(bench, param, text, err);
	return 0;
}

static int parse_pair(struct spec *spec, char *pair, struct err *err)
{
	const struct param *params = params_of(spec->bench);
	char *equals = strchr(pair, '=');

	if (!equals)
		return err_set(err, -EINVAL, "'%.40s' is not key=value", pair);
	*equals = '\0';
	if (!strcmp(pair, place_key)) {
		spec->cross = !strcmp(equals + 1, "cross");
		if (!spec->cross && strcmp(equals + 1, "same"))
			return err_set(err, -EINVAL, "place is 'same' or 'cross', not '%.40s'", equals + 1);
		if (spec->cross && !spec->bench->peers)
			return err_set(err, -EINVAL, "%s runs in one process: place=cross has no meaning",
				       spec->bench->name);
		return 0;
	}
	for (unsigned i = 0; params[i].name; i++) {
		if (!strcmp(params[i].name, pair))
			return parse_value(spec->bench, &params[i], equals + 1, &spec->value[i], err);
	}
	return err_set(err, -EINVAL, "%s has no parameter '%.40s' (see assay help %s)", spec->bench->name, pair,
		       spec->bench->name);
}

static int parse_variant(struct spec *spec, const char *name, struct err *err)
{
	const struct variant *variants = spec->bench->variants;

	for (unsigned i = 0; variants && variants[i].name; i++) {
		if (strcmp(variants[i].name, name))
			continue;
		spec->variant = i;
		return 0;
	}
	return err_set(err, -EINVAL, "%s has no variant '%.40s' (see assay help %s)", spec->bench->name, name,
		       spec->bench->name);
}

int spec_parse(const char *id, struct spec *ret_spec, struct err *err)
{
	auto_free char *copy = mem_copy(id);
	char *rest = copy;
	char *head = strsep(&rest, "/");
	char *name = strsep(&head, ":");
	struct spec spec = { .bench = registry_find(name) };
	int r = 0;

	if (!spec.bench)
		return err_set(err, -ENOENT, "there is no bench '%.60s' (see assay list)", name);
	for (unsigned i = 0; params_of(spec.bench)[i].name; i++)
		spec.value[i] = spec.bench->params[i].initial;
	if (head)
		r = parse_variant(&spec, head, err);
	for (char *pair; r == 0 && (pair = strsep(&rest, ","));)
		r = parse_pair(&spec, pair, err);
	if (r == 0)
		*ret_spec = spec;
	return r;
}

static char *format_id(const struct spec *spec, int skip)
{
	const struct param *params = params_of(spec->bench);
	struct text out = { 0 };
	char size[FORMAT_SIZE];
	const char *separator = "/";

	text_add(&out, "%s", spec->bench->name);
	if (spec->bench->variants)
		text_add(&out, ":%s", spec->bench->variants[spec->variant].name);
	for (int i = 0; params[i].name; i++) {
		if (i == skip)
			continue;
		text_add(&out, "%s%s=", separator, params[i].name);
		if (params[i].type == PARAM_SIZE)
			text_add(&out, "%s", format_size(size, spec->value[i]));
		else if (params[i].type == PARAM_CHOICE)
			text_add(&out, "%s", params[i].choices[spec->value[i]]);
		else
			text_add(&out, "%" PRIu64, spec->value[i]);
		separator = ",";
	}
	if (spec->cross)
		text_add(&out, "%s%s=cross", separator, place_key);
	return text_take(&out);
}

char *spec_format(const struct spec *spec)
{
	return format_id(spec, -1);
}

char *spec_job(const struct spec *spec)
{
	return format_id(spec, spec_curve_index(spec));
}

unsigned spec_needs(const struct spec *spec)
{
	const struct bench *bench = spec->bench;

	return bench->needs | (bench->variants ? bench->variants[spec->variant].needs : 0);
}

const char *spec_title(const struct spec *spec)
{
	const char *title = spec->bench->variants ? spec->bench->variants[spec->variant].title : NULL;

	return title ? title : spec->bench->title;
}

int spec_curve_index(const struct spec *spec)
{
	for (int i = 0; spec->bench->curve && params_of(spec->bench)[i].name; i++) {
		if (!strcmp(spec->bench->params[i].name, spec->bench->curve))
			return i;
	}
	return -1;
}

void spec_assign(const struct spec *spec, void *state)
{
	const struct param *params = params_of(spec->bench);

	for (unsigned i = 0; params[i].name; i++)
		memcpy((char *)state + params[i].offset, &spec->value[i], sizeof spec->value[i]);
}
