/* assay runs: what the book holds. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/mem.h"
#include "cmd/open_book.h"
#include "cmd/style.h"
#include "cmd/verb.h"
#include "record/json.h"
#include "report/grid.h"
#include "report/show.h"

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

	if (!localtime_r(&seconds, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M", &tm))
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

/* As long as everywhere; more only when the book would otherwise not know which run is meant. */
static char *short_id(const struct book_row *row)
{
	return mem_text("%.*s", row->short_length > SHOW_ID_LENGTH ? row->short_length : SHOW_ID_LENGTH, row->id);
}

/* One machine's book need not repeat its name on every line. */
static bool hosts_differ(const struct book_list *list)
{
	for (size_t i = 1; i < list->rows; i++) {
		const char *a = list->row[i - 1].hostname, *b = list->row[i].hostname;
		if (strcmp(a ? a : "", b ? b : ""))
			return true;
	}
	return false;
}

static void add_heads(struct grid *grid, const struct show_style *style, bool hosts)
{
	static const char *const heads[] = { "run", "name", "set", "started", "points", "verdicts" };

	if (hosts)
		grid_add(grid, style, TONE_HEAD, "host");
	for (size_t i = 0; i < countof(heads); i++)
		grid_add(grid, style, TONE_HEAD, heads[i]);
}

static void add_row(struct grid *grid, const struct show_style *style, const struct book_row *row, bool hosts)
{
	auto_text struct text verdicts = { 0 };
	auto_free char *id = short_id(row);
	char points[24], started[32];

	local_time(started, row->started_ms);
	if (!row->complete)
		text_add(&verdicts, "not complete");
	add_verdicts(row, &verdicts);
	snprintf(points, sizeof points, "%" PRIu64, row->points);
	const char *cells[] = { id, row->name, row->set, started, points, text_get(&verdicts) };
	if (hosts)
		grid_add(grid, style, TONE_NONE, row->hostname);
	for (size_t i = 0; i < countof(cells); i++)
		grid_add(grid, style, TONE_NONE, cells[i]);
}

static int print_table(const struct book_list *list)
{
	static const bool right[] = { false, false, false, false, false, true, false };
	bool hosts = hosts_differ(list);
	size_t columns = countof(right) - !hosts;
	auto_grid struct grid grid = { .columns = columns, .right = hosts ? right : right + 1, .wrap = columns };
	auto_text struct text out = { 0 };
	struct show_style style;

	cmd_style(&style);
	style = style_effective(&style);
	add_heads(&grid, &style, hosts);
	for (size_t i = 0; i < list->rows; i++)
		add_row(&grid, &style, &list->row[i], hosts);
	if (grid_draw(&grid, &style, 0, &out) < 0)
		return verb_failed("cannot lay out the table of runs");
	return verb_print(text_get(&out));
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
	.summary = "List the runs in the book, newest first",
	.arguments = "",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct runs_config),
	.max_arguments = 0,
	.run = run_runs,
};
