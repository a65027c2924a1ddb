#include "harness/plan.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/registry.h"
#include "harness/sets.h"
#include "harness/slab.h"

static void resolve(struct spec *spec, const struct plan_facts *facts)
{
	for (unsigned i = 0; spec->bench->params && spec->bench->params[i].name; i++) {
		const struct param *param = &spec->bench->params[i];
		if (param->type != PARAM_SIZE || spec->value[i] != PARAM_MEMORY)
			continue;
		spec->value[i] = facts->memory_bytes;
		spec->capped = facts->memory_capped;
		/* The worker will hold the value against the range. */
		if (spec->value[i] < param->low)
			spec->value[i] = param->low;
		if (spec->value[i] > param->high)
			spec->value[i] = param->high;
	}
}

static struct job *job_for(struct plan *plan, const struct spec *spec)
{
	char *name = spec_job(spec);

	for (size_t i = 0; i < plan->jobs; i++) {
		if (strcmp(plan->job[i].name, name))
			continue;
		free(name);
		return &plan->job[i];
	}
	plan->job = mem_room(plan->job, plan->jobs, &plan->capacity, sizeof *plan->job);
	plan->job[plan->jobs] = (struct job){ .name = name };
	return &plan->job[plan->jobs++];
}

static void add_spec(struct plan *plan, const struct spec *spec)
{
	struct job *job = job_for(plan, spec);
	int curve = spec_curve_index(spec);
	size_t at = job->specs;

	if (job->specs && curve < 0)
		return;
	for (; at > 0 && job->spec[at - 1].value[curve] >= spec->value[curve]; at--) {
		if (job->spec[at - 1].value[curve] == spec->value[curve])
			return;
	}
	if (job->specs == SLAB_POINTS) {
		plan->too_long = true;
		return;
	}
	job->spec = mem_grow(job->spec, job->specs + 1, sizeof *job->spec);
	memmove(job->spec + at + 1, job->spec + at, (job->specs - at) * sizeof *job->spec);
	job->spec[at] = *spec;
	job->specs++;
	plan->points++;
}

/* The default values of a curve: quarters of an octave, as many of them as the bench asks for, from low to initial;
 * or every whole number. */
static void add_curve(struct plan *plan, struct spec spec, int curve, uint64_t last)
{
	static const unsigned char quarters[5][4] = { { 0 }, { 0 }, { 0, 2 }, { 0, 1, 2 }, { 0, 1, 2, 3 } };
	unsigned steps = spec.bench->per_octave <= 4 ? spec.bench->per_octave : 4;

	for (uint64_t base = spec.bench->params[curve].low; base <= last; base = steps ? base * 2 : base + 1) {
		for (unsigned i = 0; i < (steps ? steps : 1); i++) {
			uint64_t value = base + base / 4 * quarters[steps][i];
			if (value > last)
				break;
			spec.value[curve] = value;
			add_spec(plan, &spec);
		}
	}
	spec.value[curve] = last;
	add_spec(plan, &spec);
}

static bool names_param(const char *id, const char *key)
{
	const char *params = strchr(id, '/');
	size_t length = strlen(key);

	for (; params; params = strpbrk(params, ",")) {
		params++;
		if (!strncmp(params, key, length) && params[length] == '=')
			return true;
	}
	return false;
}

static void add_parsed(struct plan *plan, const char *id, struct spec *spec, const struct plan_facts *facts)
{
	int curve = spec_curve_index(spec);

	resolve(spec, facts);
	if (curve >= 0 && !names_param(id, spec->bench->curve))
		add_curve(plan, *spec, curve, spec->value[curve]);
	else
		add_spec(plan, spec);
}

/* Every variant of a bench, everything else at its default. */
static void add_bench(struct plan *plan, const struct bench *bench, const struct plan_facts *facts)
{
	for (unsigned i = 0; i == 0 || (bench->variants && bench->variants[i].name); i++) {
		struct spec spec = { .bench = bench, .variant = i };
		for (unsigned j = 0; bench->params && bench->params[j].name; j++)
			spec.value[j] = bench->params[j].initial;
		add_parsed(plan, "", &spec, facts);
	}
}

/* "mem" and "mem.*" name a folder, "mem.latency" a bench, globs whatever they match; hidden ones by their folder only. */
static bool selects(const char *selector, const struct bench *bench)
{
	size_t length = strlen(selector);

	if (!strncmp(bench->name, selector, length) && (bench->name[length] == '.' || !bench->name[length]))
		return true;
	if (bench->hidden && strncmp(selector, "self", 4))
		return false;
	return fnmatch(selector, bench->name, 0) == 0;
}

static size_t add_matching(struct plan *plan, const char *selector, const struct plan_facts *facts)
{
	size_t added = 0;

	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		if (!strcmp(selector, "all") ? bench->hidden : !selects(selector, bench))
			continue;
		add_bench(plan, bench, facts);
		added++;
	}
	return added;
}

static int add_selector(struct plan *plan, const char *selector, const struct plan_facts *facts, struct err *err)
{
	struct spec spec;

	if (!strpbrk(selector, ":/")) {
		if (add_matching(plan, selector, facts))
			return 0;
		return err_set(err, -ENOENT, "nothing is called '%.60s' ('assay list' shows the names)", selector);
	}
	/* "bench/k=v" of a bench with variants means all of them. */
	const char *slash = strchr(selector, '/');
	const char *colon = strchr(selector, ':');
	auto_free char *name = slash ? strndup(selector, (size_t)(slash - selector)) : NULL;
	const struct bench *bench = name ? registry_find(name) : NULL;
	if (bench && bench->variants && (!colon || colon > slash)) {
		for (unsigned i = 0; bench->variants[i].name; i++) {
			auto_free char *id = mem_text("%s:%s%s", name, bench->variants[i].name, slash);
			int r = add_selector(plan, id, facts, err);
			if (r < 0)
				return r;
		}
		return 0;
	}
	int r = spec_parse(selector, &spec, err);
	if (r == 0)
		add_parsed(plan, selector, &spec, facts);
	return r;
}

int plan_add(struct plan *plan, const char *selector, const struct plan_facts *facts, struct err *err)
{
	int r = add_selector(plan, selector, facts, err);

	if (r == 0 && plan->too_long)
		return err_set(err, -E2BIG, "%.60s has more than %d values on one curve: name some of them", selector,
			       SLAB_POINTS);
	return r;
}

int plan_add_set(struct plan *plan, const char *set, const struct plan_facts *facts, struct err *err)
{
	const char *const *members = set_members(set);

	if (!members)
		return err_set(err, -ENOENT, "there is no set '%.60s' (sets: %s)", set, set_names());
	for (; *members; members++) {
		/* place=cross needs a second CPU: without one the point is not planned, since it has its own row. */
		if (!facts->two_cpus && strstr(*members, "place=cross"))
			continue;
		int r = plan_add(plan, *members, facts, err);
		if (r < 0)
			return err_wrap(err, r, "set %s", set);
	}
	return 0;
}

void plan_done(struct plan *plan)
{
	for (size_t i = 0; i < plan->jobs; i++) {
		free(plan->job[i].name);
		free(plan->job[i].spec);
	}
	free(plan->job);
	*plan = (struct plan){ 0 };
}
