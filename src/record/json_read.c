/* Reading assay.run/1. A file of its own because jansson and base/json.h use the same names for different things. */
#include "record/json.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/parse.h"

/* The first mistake sticks: later reads do nothing, so that callers check once. */
struct reader {
	struct err *err;
	int code;
	char path[128]; /* of the object being read: "points[3].processes[0]." */
	size_t length;
};

static void wrong(struct reader *reader, const char *key, const char *expected)
{
	if (reader->code == 0)
		reader->code = err_set(reader->err, -EINVAL, "%s%s: expected %s", reader->path, key, expected);
}

/* Extends the path and returns what pop needs to shorten it again. */
static size_t push(struct reader *reader, const char *key, size_t index, bool in_array)
{
	size_t before = reader->length;
	size_t room = sizeof reader->path - before;
	int length = in_array ? snprintf(reader->path + before, room, "%s[%zu].", key, index)
			      : snprintf(reader->path + before, room, "%s.", key);

	reader->length = before + (length < 0 ? 0 : (size_t)length >= room ? room - 1 : (size_t)length);
	return before;
}

static void pop(struct reader *reader, size_t before)
{
	reader->length = before;
	reader->path[before] = '\0';
}

/* The value of a key, NULL when it is missing or null: both mean "not there". */
static const json_t *find(const struct reader *reader, const json_t *object, const char *key)
{
	const json_t *value = reader->code == 0 ? json_object_get(object, key) : NULL;

	return json_is_null(value) ? NULL : value;
}

static void get_text(struct reader *reader, const json_t *object, const char *key, char **ret_text)
{
	const json_t *value = find(reader, object, key);

	if (json_is_string(value))
		*ret_text = mem_copy(json_string_value(value));
	else if (value)
		wrong(reader, key, "text");
}

static void need_text(struct reader *reader, const json_t *object, const char *key, char **ret_text)
{
	if (reader->code == 0 && !find(reader, object, key))
		wrong(reader, key, "text");
	get_text(reader, object, key, ret_text);
}

static void get_double(struct reader *reader, const json_t *object, const char *key, double *ret_value)
{
	const json_t *value = find(reader, object, key);

	*ret_value = NAN;
	if (json_is_number(value))
		*ret_value = json_number_value(value);
	else if (value)
		wrong(reader, key, "a number or null");
}

static void get_whole(struct reader *reader, const json_t *object, const char *key, uint64_t max, uint64_t *ret_value)
{
	const json_t *value = find(reader, object, key);
	uint64_t whole = 0;

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		whole = (uint64_t)json_integer_value(value);
	else if (value && (!json_is_string(value) || parse_count(json_string_value(value), &whole, NULL) < 0))
		wrong(reader, key, "a whole number, not negative");
	if (whole > max)
		wrong(reader, key, "a smaller number");
	*ret_value = whole;
}

static void get_unsigned(struct reader *reader, const json_t *object, const char *key, unsigned *ret_value)
{
	uint64_t whole = 0;

	get_whole(reader, object, key, UINT_MAX, &whole);
	*ret_value = (unsigned)whole;
}

static void get_bool(struct reader *reader, const json_t *object, const char *key, bool *ret_value)
{
	const json_t *value = find(reader, object, key);

	if (json_is_boolean(value))
		*ret_value = json_is_true(value);
	else if (value)
		wrong(reader, key, "true or false");
}

static void get_verdict(struct reader *reader, const json_t *object, const char *key, enum verdict *ret_verdict)
{
	const char *name = json_string_value(find(reader, object, key));

	if (reader->code == 0 && (!name || verdict_parse(name, ret_verdict) < 0))
		wrong(reader, key, "ok, noisy, untrusted, skipped or failed");
}

/* Two digits and the like; -1 when they are not there. */
static int digits(const char *s, int count)
{
	int value = 0;

	for (int i = 0; i < count; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		value = 10 * value + (s[i] - '0');
	}
	return value;
}

/* RFC 3339 with an optional fraction; Z or an offset. */
static int parse_time(const char *s, int64_t *ret_ms)
{
	struct tm tm = { .tm_isdst = 0 };
	int64_t offset = 0;
	int ms = 0;

	if (strlen(s) < 20 || s[4] != '-' || s[7] != '-' || (s[10] != 'T' && s[10] != 't') || s[13] != ':' ||
	    s[16] != ':')
		return -EINVAL;
	tm.tm_year = digits(s, 4) - 1900;
	tm.tm_mon = digits(s + 5, 2) - 1;
	tm.tm_mday = digits(s + 8, 2);
	tm.tm_hour = digits(s + 11, 2);
	tm.tm_min = digits(s + 14, 2);
	tm.tm_sec = digits(s + 17, 2);
	if (digits(s, 4) < 0 || tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59 || tm.tm_sec < 0 || tm.tm_sec > 60)
		return -EINVAL;
	s += 19;
	if (*s == '.') {
		s++;
		for (int place = 100; *s >= '0' && *s <= '9'; s++, place /= 10)
			ms += place * (*s - '0');
	}
	if (*s == '+' || *s == '-') {
		if (digits(s + 1, 2) < 0 || s[3] != ':' || digits(s + 4, 2) < 0 || s[6])
			return -EINVAL;
		offset = (*s == '-' ? -60 : 60) * (60 * digits(s + 1, 2) + digits(s + 4, 2));
	} else if ((*s != 'Z' && *s != 'z') || s[1]) {
		return -EINVAL;
	}
	*ret_ms = ((int64_t)timegm(&tm) - offset) * 1000 + ms;
	return 0;
}

static void get_time(struct reader *reader, const json_t *object, const char *key, int64_t *ret_ms)
{
	const json_t *value = find(reader, object, key);

	if (value && (!json_is_string(value) || parse_time(json_string_value(value), ret_ms) < 0))
		wrong(reader, key, "a time like 2024-02-29T12:00:00Z");
}

/* A part that others define, kept as the JSON text it is. */
static void get_document(struct reader *reader, const json_t *object, const char *key, char **ret_text)
{
	const json_t *value = find(reader, object, key);

	if (json_is_object(value)) {
		char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
		*ret_text = mem_copy(text);
		free(text);
	} else if (value) {
		wrong(reader, key, "an object");
	}
}

static const json_t *get_array(struct reader *reader, const json_t *object, const char *key)
{
	const json_t *value = find(reader, object, key);

	if (value && !json_is_array(value))
		wrong(reader, key, "an array");
	return json_is_array(value) ? value : NULL;
}

static void get_doubles(struct reader *reader, const json_t *array, const char *key, double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_array_get(array, i);
		values[i] = json_is_number(value) ? json_number_value(value) : NAN;
		if (!json_is_number(value) && !json_is_null(value))
			wrong(reader, key, "numbers or null");
	}
}

static void get_quantiles(struct reader *reader, const json_t *object, double values[QUANTILES])
{
	const json_t *array = get_array(reader, object, "quantiles");

	for (int i = 0; i < QUANTILES; i++)
		values[i] = NAN;
	if (array && json_array_size(array) != QUANTILES)
		wrong(reader, "quantiles", "21 numbers");
	else if (array)
		get_doubles(reader, array, "quantiles", values, QUANTILES);
}

static void get_batches(struct reader *reader, const json_t *object, struct process *process)
{
	const json_t *array = get_array(reader, object, "batch");
	uint64_t count = 0;

	get_whole(reader, object, "batches", SIZE_MAX / sizeof *process->batch, &count);
	process->batches = (size_t)count;
	if (!array)
		return;
	if (json_array_size(array) != count) {
		wrong(reader, "batch", "as many numbers as batches says");
		return;
	}
	process->batch = mem_new(process->batches, sizeof *process->batch);
	get_doubles(reader, array, "batch", process->batch, process->batches);
}

static void get_conditions(struct reader *reader, const json_t *object, struct condition **ret_array, size_t *ret_count)
{
	const json_t *array = get_array(reader, object, "conditions");

	for (size_t i = 0; i < json_array_size(array) && reader->code == 0; i++) {
		const json_t *item = json_array_get(array, i);
		struct condition condition = { 0 };
		size_t before = push(reader, "conditions", i, true);
		need_text(reader, item, "id", &condition.id);
		get_text(reader, item, "unit", &condition.unit);
		get_double(reader, item, "value", &condition.value);
		get_double(reader, item, "threshold", &condition.threshold);
		get_verdict(reader, item, "verdict", &condition.verdict);
		get_text(reader, item, "text", &condition.text);
		pop(reader, before);
		*ret_array = mem_grow(*ret_array, *ret_count + 1, sizeof **ret_array);
		(*ret_array)[(*ret_count)++] = condition;
	}
}

static void get_cpu(struct reader *reader, const json_t *object, int *ret_cpu)
{
	const json_t *value = find(reader, object, "cpu");

	*ret_cpu = -1;
	if (!value)
		return;
	if (!json_is_integer(value) || json_integer_value(value) < -1 || json_integer_value(value) > INT_MAX)
		wrong(reader, "cpu", "the number of a CPU");
	else
		*ret_cpu = (int)json_integer_value(value);
}

static void get_process(struct reader *reader, const json_t *item, struct process *process)
{
	get_unsigned(reader, item, "round", &process->round);
	get_cpu(reader, item, &process->cpu);
	get_verdict(reader, item, "outcome", &process->outcome);
	get_text(reader, item, "reason", &process->reason);
	get_whole(reader, item, "n", UINT64_MAX, &process->n);
	get_bool(reader, item, "paired", &process->paired);
	get_bool(reader, item, "steady", &process->steady);
	get_bool(reader, item, "half_sample", &process->half_sample);
	get_double(reader, item, "location", &process->location);
	get_double(reader, item, "mean", &process->mean);
	get_double(reader, item, "min", &process->min);
	get_double(reader, item, "max", &process->max);
	get_double(reader, item, "noise", &process->noise);
	get_double(reader, item, "clock_hz", &process->clock_hz);
	get_quantiles(reader, item, process->quantile);
	get_batches(reader, item, process);
	get_conditions(reader, item, &process->condition, &process->conditions);
	get_text(reader, item, "remark", &process->remark);
}

static void get_processes(struct reader *reader, const json_t *object, struct point *point)
{
	const json_t *array = get_array(reader, object, "processes");

	for (size_t i = 0; i < json_array_size(array) && reader->code == 0; i++) {
		struct process process = { 0 };
		size_t before = push(reader, "processes", i, true);
		get_process(reader, json_array_get(array, i), &process);
		pop(reader, before);
		point_add_process(point, &process);
	}
}

static void get_better(struct reader *reader, const json_t *object, struct point *point)
{
	const char *name = json_string_value(find(reader, object, "better"));

	point->better = point->unit ? unit_better(point->unit) : BETTER_NONE;
	for (enum better better = BETTER_NONE; name && better <= BETTER_MORE; better++) {
		if (!strcmp(name, better_name(better))) {
			point->better = better;
			return;
		}
	}
	if (find(reader, object, "better"))
		wrong(reader, "better", "none, less or more");
}

static void get_sources(struct reader *reader, const json_t *object, struct point *point)
{
	const json_t *array = get_array(reader, object, "sources");
	size_t count = json_array_size(array);

	if (!count)
		return;
	point->source = mem_new(count, sizeof *point->source);
	for (size_t i = 0; i < count; i++) {
		const char *id = json_string_value(json_array_get(array, i));
		if (!id)
			wrong(reader, "sources", "ids of points");
		point->source[point->sources++] = mem_copy(id ? id : "");
	}
}

static void get_point(struct reader *reader, const json_t *item, struct point *point)
{
	free(point->id);
	point->id = NULL;
	need_text(reader, item, "id", &point->id);
	need_text(reader, item, "title", &point->title);
	need_text(reader, item, "unit", &point->unit);
	get_better(reader, item, point);
	get_double(reader, item, "value", &point->value);
	get_double(reader, item, "low", &point->low);
	get_double(reader, item, "high", &point->high);
	get_double(reader, item, "confidence", &point->confidence);
	get_whole(reader, item, "samples", UINT64_MAX, &point->samples);
	get_unsigned(reader, item, "rounds", &point->rounds);
	get_verdict(reader, item, "verdict", &point->verdict);
	get_text(reader, item, "reason", &point->reason);
	get_text(reader, item, "note", &point->note);
	get_double(reader, item, "cycles", &point->cycles);
	get_double(reader, item, "cycles_low", &point->cycles_low);
	get_double(reader, item, "cycles_high", &point->cycles_high);
	get_double(reader, item, "noise", &point->noise);
	get_bool(reader, item, "derived", &point->derived);
	get_sources(reader, item, point);
	get_double(reader, item, "target_pct", &point->target_pct);
	get_double(reader, item, "min_cycles", &point->min_cycles);
	if (isnan(point->min_cycles))
		point->min_cycles = 0;
	get_processes(reader, item, point);
}

static void get_points(struct reader *reader, const json_t *root, struct run *run)
{
	const json_t *array = get_array(reader, root, "points");

	if (!array)
		wrong(reader, "points", "an array");
	for (size_t i = 0; i < json_array_size(array) && reader->code == 0; i++) {
		size_t before = push(reader, "points", i, true);
		get_point(reader, json_array_get(array, i), run_add_point(run, ""));
		pop(reader, before);
	}
}

static void get_id(struct reader *reader, const json_t *head, struct run *run)
{
	const char *id = json_string_value(find(reader, head, "id"));

	if (!id || strlen(id) != 36 || strspn(id, "0123456789abcdefABCDEF-") != 36)
		wrong(reader, "id", "a UUID");
	else
		memcpy(run->id, id, sizeof run->id);
}

static void get_labels(struct reader *reader, const json_t *head, struct run *run)
{
	json_t *labels = (json_t *)find(reader, head, "labels"); /* the iterator asks for it writable */
	const char *key;
	json_t *value;

	if (labels && !json_is_object(labels))
		wrong(reader, "labels", "an object");
	json_object_foreach(labels, key, value) {
		if (!json_is_string(value))
			wrong(reader, "labels", "texts");
		run->label = mem_grow(run->label, run->labels + 1, sizeof *run->label);
		run->label[run->labels++] = (struct label){ .key = mem_copy(key),
							     .value = mem_copy(json_string_value(value)) };
	}
}

static void get_head(struct reader *reader, const json_t *root, struct run *run)
{
	const json_t *head = find(reader, root, "run");
	size_t before = push(reader, "run", 0, false);

	get_id(reader, head, run);
	get_text(reader, head, "name", &run->name);
	get_labels(reader, head, run);
	get_time(reader, head, "started", &run->started_ms);
	get_time(reader, head, "ended", &run->ended_ms);
	get_bool(reader, head, "complete", &run->complete);
	get_text(reader, head, "reason", &run->reason);
	get_whole(reader, head, "seed", UINT64_MAX, &run->seed);
	need_text(reader, head, "set", &run->set);
	get_text(reader, head, "selection", &run->selection);
	get_document(reader, head, "options", &run->options);
	get_whole(reader, head, "budget_ns", UINT64_MAX, &run->budget_ns);
	get_unsigned(reader, head, "rounds", &run->rounds);
	need_text(reader, head, "method", &run->method);
	need_text(reader, head, "version", &run->version);
	pop(reader, before);
}

static void get_run(struct reader *reader, const json_t *root, struct run *run)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!schema || strcmp(schema, RUN_SCHEMA)) {
		reader->code = err_set(reader->err, schema ? -EPROTONOSUPPORT : -EINVAL,
				       "schema: expected \"" RUN_SCHEMA "\", found %s%.60s%s", schema ? "\"" : "",
				       schema ? schema : "none", schema ? "\"" : "");
		return;
	}
	get_head(reader, root, run);
	get_document(reader, root, "machine", &run->machine);
	get_conditions(reader, root, &run->condition, &run->conditions);
	get_points(reader, root, run);
}

int run_read_json(const char *text, size_t length, struct run *ret_run, struct err *err)
{
	json_error_t error;
	json_t *root = json_loadb(text, length, 0, &error);
	struct reader reader = { .err = err };
	struct run run = { 0 };

	if (!root)
		return err_set(err, -EINVAL, "not JSON: line %d: %.200s", error.line, error.text);
	if (json_is_object(root))
		get_run(&reader, root, &run);
	else
		wrong(&reader, "document", "an object");
	json_decref(root);
	if (reader.code < 0)
		run_done(&run);
	else
		*ret_run = run;
	return reader.code;
}
