/* The versioned JSON form of a run: schema assay.run/1, described by doc/schema/assay.run-1.json.
 *
 * Keys are only ever added to a version, and a reader ignores keys it does not know. Values keep their unit (ns, B/s …)
 * as SI doubles; what was not measured is null. Times are RFC 3339 in UTC. Whole numbers past 2^53, which many readers
 * would round, are written as text.
 */
#ifndef RECORD_JSON_H
#define RECORD_JSON_H

#include <stddef.h>

#include "base/err.h"
#include "record/record.h"

struct json;
struct text;

#define RUN_SCHEMA "assay.run/1"

enum run_json { RUN_JSON_BATCHES = 1 << 0 }; /* with every batch, where the process still has them */

enum { JSON_TIME = 25 };

/* Unix ms as "2024-02-29T12:00:00.000Z". out is returned. */
char *json_time(char out[JSON_TIME], int64_t unix_ms);

/* The whole document, one JSON object, at the writer's current place (key NULL). */
void run_write_json(const struct run *run, struct json *json, unsigned flags);

/* Parts of it, as objects: what "run" holds, one element of "points", one of a point's "processes". */
void run_head_write_json(const struct run *run, const char *key, struct json *json);
void point_write_json(const struct point *point, const char *key, struct json *json, unsigned flags);
void process_write_json(const struct process *process, const char *key, struct json *json, unsigned flags);
void conditions_write_json(const struct condition *condition, size_t count, const char *key, struct json *json);

/* Events of the line form (--jsonl), each one object and a line end: the run's head and machine when it begins, points
 * as their estimates are made, the head again with the conditions when it ends. */
void run_begin_event(const struct run *run, struct text *out);
void point_event(const struct point *point, struct text *out, unsigned flags);
void run_end_event(const struct run *run, struct text *out);

/* Reads the whole document back; ret_run must be empty and stays so on failure. Strings come back byte for byte if
 * they were UTF-8. -EINVAL with a sentence that names the key (points[3].processes[0].n), -EPROTONOSUPPORT for another
 * schema. */
int run_read_json(const char *text, size_t length, struct run *ret_run, struct err *err);

#endif
