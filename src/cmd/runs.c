/* assay runs: what the book holds. */
#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/mem.h"
#include "cmd/open_book.h"
#include "cmd/verb.h"
#include "record/json.h"

struct runs_config {
	const char *book;
	bool json;
};

extern const struct verb verb_runs;

static void add_verdicts(const struct book_row *row, struct text *out)
{
	uint64_t judged = 0;

	for (int i = 0; i < VERDICT_COUNT; i++) {
		judged += row->verdict[i];
		if (row->verdict[i])
			text_add(out, "%s%" PRIu64 " %s", out->length ? ", " : "", row->verdict[i],
				 verdict_name((enum verdict)i));
	}
	if (row->points > judged)
		text_add(out, "%s%" PRIu64 " not judged", out->length ? ", " : "", row->points - judged);
}

static void local_time(char out[32], int64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(out, 32, "?");
}

static void write_row(const struct book_row *row, struct json *json)
{
	char time[JSON_TIME];

	json_object(json, NULL);
	json_text(json, "id", row->id);
	json_text(json, "name", row->name);
	json_text(json, "set", row->set);
	json_text(json, "hostname", row->hostname);
	json_text(json, "started", json_time(time, row->started_ms));
	json_text(json, "ended", row->ended_ms ? json_time(time, row->ended_ms) : NULL);
	json_bool(json, "complete", row->complete);
	json_uint(json, "points", row->points);
	json_object(json, "verdicts");
	for (int i = 0; i < VERDICT_COUNT; i++)
		json_uint(json, verdict_name((enum verdict)i), row->verdict[i]);
	json_end(json);
	json_end(json);
}

static int print_json(const struct book_list *list)
{
	auto_text struct text out = { 0 };
	struct json json;

	json_init(&json, &out, true);
	json_object(&json, NULL);
	json_text(&json, "schema", "assay.runs/1");
	json_array(&json, "runs");
	for (size_t i = 0; i < list->rows; i++)
		write_row(&list->row[i], &json);
	json_end(&json);
	json_end(&json);
	text_add(&out, "\n");
	return verb_print(text_get(&out));
}

enum {
	COLUMN_ID,
	COLUMN_NAME,
	COLUMN_SET,
	COLUMN_STARTED,
	COLUMN_COMPLETE,
	COLUMN_POINTS,
	COLUMN_VERDICTS,
	COLUMN_HOST
};

static int add_row(struct libscols_table *table, const struct book_row *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	auto_text struct text verdicts = { 0 };
	char points[24], started[32];

	if (!line)
		return -ENOMEM;
	local_time(started, row->started_ms);
	add_verdicts(row, &verdicts);
	snprintf(points, sizeof points, "%" PRIu64, row->points);
	const char *cells[] = { [COLUMN_NAME] = row->name ? row->name : "",
				[COLUMN_SET] = row->set ? row->set : "",
				[COLUMN_STARTED] = started,
				[COLUMN_COMPLETE] = row->complete ? "yes" : "no",
				[COLUMN_POINTS] = points,
				[COLUMN_VERDICTS] = text_get(&verdicts),
				[COLUMN_HOST] = row->hostname ? row->hostname : "" };
	auto_free char *id = mem_text("%.*s", row->short_length, row->id);
	cells[COLUMN_ID] = id;
	int r = 0;
	for (size_t i = 0; r == 0 && i < countof(cells); i++)
		r = scols_line_set_data(line, i, cells[i]);
	return r;
}

static int fill(struct libscols_table *table, const struct book_list *list)
{
	static const struct {
		const char *title;
		int flags;
	} columns[] = {
		[COLUMN_ID] = { "RUN", 0 },
		[COLUMN_NAME] = { "NAME", SCOLS_FL_TRUNC },
		[COLUMN_SET] = { "SET", 0 },
		[COLUMN_STARTED] = { "STARTED", 0 },
		[COLUMN_COMPLETE] = { "COMPLETE", 0 },
		[COLUMN_POINTS] = { "POINTS", SCOLS_FL_RIGHT },
		[COLUMN_VERDICTS] = { "VERDICTS", 0 },
		[COLUMN_HOST] = { "HOST", SCOLS_FL_TRUNC },
	};
	int r = 0;

	for (size_t i = 0; i < countof(columns); i++) {
		if (!scols_table_new_column(table, columns[i].title, 0, columns[i].flags))
			return -ENOMEM;
	}
	for (size_t i = 0; r == 0 && i < list->rows; i++)
		r = add_row(table, &list->row[i]);
	return r;
}

static int print_table(const struct book_list *list)
{
	struct libscols_table *table = scols_new_table();
	char *out = NULL;
	int r = table ? fill(table, list) : -ENOMEM;

	if (r == 0)
		r = scols_print_table_to_string(table, &out);
	scols_unref_table(table);
	auto_free char *lines = r == 0 ? mem_text("%s\n", out) : NULL; /* the library leaves the last line open */
	int code = r == 0 ? verb_print(lines) : verb_failed("cannot lay out the table of runs");
	free(out);
	return code;
}

static int run_runs(void *config, int argc, char **argv)
{
	const struct runs_config *c = config;
	struct book_list list = { 0 };
	struct book *book = NULL;
	struct err err = { "" };
	int r = cmd_try_open_book(c->book, 0, &book, &err);

	(void)argc, (void)argv;
	if (r == 0)
		r = book_list_runs(book, &list, &err);
	book_close(book);
	/* No book yet is no failure, unless the user named one. */
	if (r < 0 && (r != -ENOENT || c->book))
		return verb_failed("%s", err.text);
	int code = EXIT_DONE;
	if (c->json)
		code = print_json(&list);
	else if (list.rows)
		code = print_table(&list);
	else
		fprintf(stderr, "assay: %s\n", r < 0 ? err.text : "the book has no runs yet: `assay run` makes one");
	book_list_done(&list);
	return code;
}

static const struct option_row options[] = {
	{ .name = "json", .type = OPTION_FLAG, .offset = offsetof(struct runs_config, json), .help = "print JSON" },
	{ .name = "book", .type = OPTION_TEXT, .offset = offsetof(struct runs_config, book), .value = "FILE",
	  .help = "the book to look into" },
	{ 0 },
};

static const char *const examples[] = { "assay runs", "assay runs --json", NULL };

const struct verb verb_runs = {
	.name = "runs",
	.summary = "list the runs in the book, newest first",
	.arguments = "",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct runs_config),
	.max_arguments = 0,
	.run = run_runs,
};
