#include "report/head.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/format.h"
#include "base/mem.h"
#include "report/grid.h"
#include "report/number.h"
#include "report/plain.h"
#include "report/show.h"

enum { HANG = 4, CONDITION_DIGITS = 3 };

void head_verdicts(const struct run *run, const struct show_style *style, struct text *out)
{
	static const enum grid_tone tones[] = { TONE_GOOD, TONE_WARN, TONE_BAD, TONE_DIM, TONE_BAD };
	size_t count[VERDICT_COUNT] = { 0 };

	for (size_t i = 0; i < run->points; i++)
		count[run->point[i].verdict]++;
	text_add(out, "%zu figure%s", run->points, run->points == 1 ? "" : "s");
	const char *before = ": ";
	for (unsigned i = 0; i < VERDICT_COUNT; i++) {
		auto_text struct text words = { 0 };
		if (!count[i])
			continue;
		text_add(&words, "%zu %s", count[i], verdict_name((enum verdict)i));
		text_add(out, "%s", before);
		tone_add(out, style, tones[i], text_get(&words));
		before = ", ";
	}
	text_add(out, "\n");
}

/* To the second and in UTC, so that a report reads the same everywhere. */
static void add_time(struct text *out, int64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	struct tm tm;
	char words[40];

	if (gmtime_r(&seconds, &tm) && strftime(words, sizeof words, "%Y-%m-%d %H:%M:%S UTC", &tm))
		text_add(out, "%s", words);
}

static void add_labels(struct text *out, const struct run *run)
{
	for (size_t i = 0; i < run->labels; i++)
		text_add(out, "%s%s=%s", i ? ", " : "; labels: ", run->label[i].key, run->label[i].value);
}

void head_run(const struct run *run, const struct show_style *style, struct text *out)
{
	auto_text struct text words = { 0 };
	char duration[FORMAT_DURATION];

	text_add(&words, "Run: ");
	if (run->name)
		text_add(&words, "%s, ", run->name);
	text_add(&words, "%.*s, ", style->long_form ? (int)sizeof run->id : SHOW_ID_LENGTH, run->id);
	add_time(&words, run->started_ms);
	if (run->selection)
		text_add(&words, ", selection: %s", run->selection);
	else if (run->set)
		text_add(&words, ", set %s", run->set);
	text_add(&words, ", %u round%s", run->rounds, run->rounds == 1 ? "" : "s");
	if (run->ended_ms > run->started_ms)
		text_add(&words, ", took %s",
			 format_duration(duration, (uint64_t)(run->ended_ms - run->started_ms) * 1000000));
	if (run->version)
		text_add(&words, ", assay %s", run->version);
	if (style->long_form)
		text_add(&words, ", method %s, seed %" PRIu64, run->method ? run->method : "unknown", run->seed);
	add_labels(&words, run);
	paragraph_add(out, style, 0, HANG, text_get(&words));
	if (run->complete)
		return;
	auto_free char *partial = mem_text("This run is not complete: %s.",
					   run->reason ? run->reason : "it was not finished, and no reason is recorded");
	paragraph_add(out, style, 0, HANG, partial);
}

/* The value at a path of keys with dots between; NULL when there is none. */
static const json_t *at_path(const json_t *json, const char *path)
{
	while (json && *path) {
		size_t length = strcspn(path, ".");
		json = json_object_getn(json, path, length);
		path += length + (path[length] == '.');
	}
	return json;
}

static const char *words_at(const json_t *json, const char *path)
{
	const char *words = json_string_value(at_path(json, path));

	return words && *words ? words : NULL;
}

static uint64_t count_at(const json_t *json, const char *path)
{
	const json_t *value = at_path(json, path);
	double number = json_number_value(value);

	/* Numbers past 2^53 are written as text. */
	if (json_is_string(value))
		number = strtod(json_string_value(value), NULL);
	return number > 0 && number < 1e18 ? (uint64_t)number : 0;
}

static void add_part(struct text *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_part(struct text *out, const char *fmt, ...)
{
	char part[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(part, sizeof part, fmt, args);
	va_end(args);
	text_add(out, "%s%s", out->length ? ", " : "", part);
}

static void add_cpus(struct text *out, const json_t *machine)
{
	const char *model = words_at(machine, "cpu.model"), *architecture = words_at(machine, "cpu.architecture");
	const char *online = words_at(machine, "topology.online");
	uint64_t cores = count_at(machine, "topology.cores"), packages = count_at(machine, "topology.packages");
	uint64_t threads = count_at(machine, "topology.threads_per_core");

	add_part(out, "%s", model ? model : "CPU model unknown");
	if (architecture)
		add_part(out, "%s", architecture);
	if (packages > 1)
		add_part(out, "%" PRIu64 " packages", packages);
	if (cores)
		add_part(out, "%" PRIu64 " core%s", cores, cores == 1 ? "" : "s");
	if (threads > 1)
		add_part(out, "%" PRIu64 " threads a core", threads);
	if (online)
		add_part(out, "CPUs %s", online);
}

static void add_virtual(struct text *out, const json_t *machine)
{
	const char *hypervisor = words_at(machine, "virtual.hypervisor");
	const char *container = words_at(machine, "virtual.container");
	const char *emulation = words_at(machine, "virtual.emulation");

	if (!hypervisor)
		add_part(out, "whether it is a virtual machine is unknown");
	else if (strcmp(hypervisor, "none"))
		add_part(out, "virtual machine (%s)", hypervisor);
	else
		add_part(out, "no virtual machine");
	if (container && strcmp(container, "none"))
		add_part(out, "in a container (%s)", container);
	if (emulation && strcmp(emulation, "none"))
		add_part(out, "emulated (%s): its times mean nothing", emulation);
}

void head_machine(const struct run *run, const struct show_style *style, struct text *out)
{
	json_t *machine = run->machine ? json_loads(run->machine, 0, NULL) : NULL;
	auto_text struct text words = { 0 };
	uint64_t memory = count_at(machine, "memory.total_bytes");
	char number[NUMBER_TEXT];

	if (!json_is_object(machine)) {
		json_decref(machine);
		paragraph_add(out, style, 0, HANG, "Machine: the record holds no description of it.");
		return;
	}
	add_cpus(&words, machine);
	if (memory)
		add_part(&words, "%s GiB memory", number_format(number, (double)memory / (1 << 30), -1, NUMBER_NEAREST));
	if (words_at(machine, "kernel.release"))
		add_part(&words, "Linux %s", words_at(machine, "kernel.release"));
	if (words_at(machine, "frequency.governor"))
		add_part(&words, "governor %s", words_at(machine, "frequency.governor"));
	add_virtual(&words, machine);
	const char *hostname = words_at(machine, "hostname");
	auto_free char *all = mem_text("Machine: %s%s%s.", hostname ? hostname : "", hostname ? ": " : "",
				       text_get(&words));
	paragraph_add(out, style, 0, HANG, all);
	json_decref(machine);
}

static bool is_data(const json_t *cache)
{
	const char *type = words_at(cache, "type");

	return !type || strcasecmp(type, "instruction");
}

uint64_t head_kernel_cache(const struct run *run, unsigned level)
{
	json_t *machine = run->machine ? json_loads(run->machine, 0, NULL) : NULL;
	const json_t *caches = at_path(machine, "caches");
	uint64_t bytes = 0;
	size_t i;
	json_t *cache;

	if (!json_is_array(caches))
		caches = at_path(machine, "topology.caches");
	json_array_foreach(caches, i, cache) {
		uint64_t size = count_at(cache, "size_bytes");
		/* Kinds of cores differ in their caches: the largest is the one that a figure can have come from. */
		if (count_at(cache, "level") == level && is_data(cache) && size > bytes)
			bytes = size;
	}
	json_decref(machine);
	return bytes;
}

static void add_condition(struct text *out, const struct condition *condition)
{
	char number[FORMAT_DOUBLE];

	text_add(out, "%s", condition->id);
	if (isfinite(condition->value))
		text_add(out, " %s", format_digits(number, condition->value, CONDITION_DIGITS));
	else
		text_add(out, " unknown");
	if (condition->unit && *condition->unit)
		text_add(out, " %s", condition->unit);
	if (isfinite(condition->threshold))
		text_add(out, " (limit %s)", format_digits(number, condition->threshold, CONDITION_DIGITS));
	if (condition->verdict != VERDICT_OK)
		text_add(out, ": %s", verdict_name(condition->verdict));
	if (condition->text)
		text_add(out, " – %s", condition->text);
}

void head_conditions(const struct run *run, const struct show_style *style, struct text *out)
{
	size_t broken = 0;

	for (size_t i = 0; i < run->conditions; i++)
		broken += run->condition[i].verdict != VERDICT_OK;
	if (!run->conditions)
		paragraph_add(out, style, 0, HANG, "Conditions: none were recorded.");
	else if (!broken)
		paragraph_add(out, style, 0, HANG, "Conditions: all within their limits.");
	else
		paragraph_add(out, style, 0, HANG, "Conditions that touch these figures:");
	for (size_t i = 0; i < run->conditions; i++) {
		auto_text struct text words = { 0 };
		if (run->condition[i].verdict == VERDICT_OK && !style->long_form)
			continue;
		add_condition(&words, &run->condition[i]);
		paragraph_add(out, style, 2, HANG, text_get(&words));
	}
}
