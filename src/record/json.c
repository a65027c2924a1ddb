#include "record/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/text.h"

/* 9999-12-31T23:59:59.999Z: RFC 3339 has four digits for a year. */
#define LAST_MS INT64_C(253402300799999)

char *json_time(char out[JSON_TIME], int64_t unix_ms)
{
	int64_t ms = unix_ms < 0 ? 0 : unix_ms > LAST_MS ? LAST_MS : unix_ms;
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	size_t length = 0;

	if (gmtime_r(&seconds, &tm))
		length = strftime(out, JSON_TIME, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + length, JSON_TIME - length, ".%03dZ", (int)(ms % 1000));
	return out;
}

static void write_time(struct json *json, const char *key, int64_t unix_ms)
{
	char text[JSON_TIME];

	json_text(json, key, unix_ms ? json_time(text, unix_ms) : NULL);
}

/* JavaScript, jq and many others read numbers as doubles: past 2^53 text is the only form that all keep. */
static void write_whole(struct json *json, const char *key, uint64_t value)
{
	char text[24];

	if (value <= UINT64_C(1) << 53) {
		json_uint(json, key, value);
		return;
	}
	snprintf(text, sizeof text, "%" PRIu64, value);
	json_text(json, key, text);
}

/* Another room's JSON document; its line ends go, since an event is one line (inside JSON text they are escaped). */
static void write_document(struct json *json, const char *key, const char *document)
{
	auto_text struct text line = { 0 };

	for (const char *s = document ? document : ""; *s;) {
		size_t length = strcspn(s, "\r\n");
		text_bytes(&line, s, length);
		s += length + strspn(s + length, "\r\n");
	}
	json_raw(json, key, text_get(&line));
}

static void write_doubles(struct json *json, const char *key, const double *values, size_t count)
{
	json_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_double(json, NULL, values[i]);
	json_end(json);
}

void conditions_write_json(const struct condition *condition, size_t count, const char *key, struct json *json)
{
	json_array(json, key);
	for (size_t i = 0; i < count; i++) {
		json_object(json, NULL);
		json_text(json, "id", condition[i].id);
		json_double(json, "value", condition[i].value);
		json_text(json, "unit", condition[i].unit);
		json_double(json, "threshold", condition[i].threshold);
		json_text(json, "verdict", verdict_name(condition[i].verdict));
		json_text(json, "text", condition[i].text);
		json_end(json);
	}
	json_end(json);
}

void process_write_json(const struct process *process, const char *key, struct json *json, unsigned flags)
{
	json_object(json, key);
	json_uint(json, "round", process->round);
	json_int(json, "cpu", process->cpu);
	json_text(json, "outcome", verdict_name(process->outcome));
	json_text(json, "reason", process->reason);
	if (process->n)
		write_whole(json, "n", process->n);
	else
		json_null(json, "n");
	json_bool(json, "paired", process->paired);
	json_bool(json, "steady", process->steady);
	json_bool(json, "half_sample", process->half_sample);
	json_double(json, "location", process->location);
	json_double(json, "mean", process->mean);
	json_double(json, "min", process->min);
	json_double(json, "max", process->max);
	json_double(json, "noise", process->noise);
	json_double(json, "clock_hz", process->clock_hz);
	write_doubles(json, "quantiles", process->quantile, QUANTILES);
	json_uint(json, "batches", process->batches);
	if ((flags & RUN_JSON_BATCHES) && process->batch)
		write_doubles(json, "batch", process->batch, process->batches);
	conditions_write_json(process->condition, process->conditions, "conditions", json);
	json_text(json, "remark", process->remark);
	json_end(json);
}

static void write_estimate(const struct point *point, struct json *json)
{
	json_double(json, "value", point->value);
	json_double(json, "low", point->low);
	json_double(json, "high", point->high);
	json_double(json, "confidence", point->confidence);
	if (point->derived)
		json_null(json, "samples"); /* nothing was timed, and its noise is that of its sources */
	else
		write_whole(json, "samples", point->samples);
	json_uint(json, "rounds", point->rounds);
	json_text(json, "verdict", verdict_name(point->verdict));
	json_text(json, "reason", point->reason);
	json_text(json, "note", point->note);
	json_double(json, "cycles", point->cycles);
	json_double(json, "cycles_low", point->cycles_low);
	json_double(json, "cycles_high", point->cycles_high);
	json_double(json, "noise", point->derived || !point->rounds ? NAN : point->noise);
}

void point_write_json(const struct point *point, const char *key, struct json *json, unsigned flags)
{
	json_object(json, key);
	json_text(json, "id", point->id);
	json_text(json, "title", point->title);
	json_text(json, "unit", point->unit);
	json_text(json, "better", better_name(point->better));
	write_estimate(point, json);
	json_bool(json, "derived", point->derived);
	json_array(json, "sources");
	for (size_t i = 0; i < point->sources; i++)
		json_text(json, NULL, point->source[i]);
	json_end(json);
	json_double(json, "target_pct", point->target_pct);
	json_double(json, "min_cycles", point->min_cycles > 0 ? point->min_cycles : NAN);
	json_array(json, "processes");
	for (size_t i = 0; i < point->processes; i++)
		process_write_json(&point->process[i], NULL, json, flags);
	json_end(json);
	json_end(json);
}

/* An object has a key once: the last label with it holds. */
static bool is_given_again(const struct run *run, size_t label)
{
	for (size_t i = label + 1; i < run->labels; i++) {
		if (!strcmp(run->label[i].key, run->label[label].key))
			return true;
	}
	return false;
}

void run_head_write_json(const struct run *run, const char *key, struct json *json)
{
	json_object(json, key);
	json_text(json, "id", run->id);
	json_text(json, "name", run->name);
	json_object(json, "labels");
	for (size_t i = 0; i < run->labels; i++) {
		if (!is_given_again(run, i))
			json_text(json, run->label[i].key, run->label[i].value);
	}
	json_end(json);
	write_time(json, "started", run->started_ms);
	write_time(json, "ended", run->ended_ms);
	json_bool(json, "complete", run->complete);
	json_text(json, "reason", run->reason);
	write_whole(json, "seed", run->seed);
	json_text(json, "set", run->set);
	json_text(json, "selection", run->selection);
	write_document(json, "options", run->options);
	write_whole(json, "budget_ns", run->budget_ns);
	json_uint(json, "rounds", run->rounds);
	json_text(json, "method", run->method);
	json_text(json, "version", run->version);
	json_end(json);
}

void run_write_json(const struct run *run, struct json *json, unsigned flags)
{
	json_object(json, NULL);
	json_text(json, "schema", RUN_SCHEMA);
	run_head_write_json(run, "run", json);
	write_document(json, "machine", run->machine);
	conditions_write_json(run->condition, run->conditions, "conditions", json);
	json_array(json, "points");
	for (size_t i = 0; i < run->points; i++)
		point_write_json(&run->point[i], NULL, json, flags);
	json_end(json);
	json_end(json);
}

static void begin_event(struct json *json, struct text *out, const char *event)
{
	json_init(json, out, false);
	json_object(json, NULL);
	json_text(json, "event", event);
}

static void end_event(struct json *json)
{
	json_end(json);
	text_add(json->out, "\n");
}

void run_begin_event(const struct run *run, struct text *out)
{
	struct json json;

	begin_event(&json, out, "begin");
	json_text(&json, "schema", RUN_SCHEMA);
	run_head_write_json(run, "run", &json);
	write_document(&json, "machine", run->machine);
	end_event(&json);
}

void point_event(const struct point *point, struct text *out, unsigned flags)
{
	struct json json;

	begin_event(&json, out, "point");
	point_write_json(point, "point", &json, flags);
	end_event(&json);
}

void run_end_event(const struct run *run, struct text *out)
{
	struct json json;

	begin_event(&json, out, "end");
	run_head_write_json(run, "run", &json);
	conditions_write_json(run->condition, run->conditions, "conditions", &json);
	end_event(&json);
}
