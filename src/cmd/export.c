/* assay export: a run as JSON, JSON lines or CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/json.h"
#include "cmd/open_book.h"
#include "cmd/verb.h"
#include "record/json.h"

struct export_config {
	const char *book;
	const char *format;
	bool raw;
};

extern const struct verb verb_export;

/* RFC 4180, with plain line feeds. Spreadsheets run cells that begin with = + - @ (or a tab or carriage return before
 * them) as formulas; an apostrophe in front makes them text (owasp.org/www-community/attacks/CSV_Injection). */
static void add_cell(struct text *out, const char *value)
{
	const char *guard = *value && strchr("=+-@\t\r", *value) ? "'" : "";

	if (!strpbrk(value, ",\"\r\n")) {
		text_add(out, "%s%s", guard, value);
		return;
	}
	text_add(out, "\"%s", guard);
	for (const char *s = value; *s; s++)
		text_add(out, *s == '"' ? "\"\"" : "%c", *s);
	text_add(out, "\"");
}

static void add_text(struct text *out, const char *value)
{
	text_add(out, ",");
	add_cell(out, value ? value : "");
}

static void add_number(struct text *out, double value)
{
	char number[FORMAT_DOUBLE];

	text_add(out, ",%s", isfinite(value) ? format_double(number, value) : "");
}

static void csv_points(const struct run *run, struct text *out)
{
	text_add(out, "run,name,point,title,unit,better,value,low,high,confidence,samples,rounds,verdict,reason,note,"
		      "cycles,cycles_low,cycles_high,noise,derived\n");
	for (size_t i = 0; i < run->points; i++) {
		const struct point *point = &run->point[i];
		add_cell(out, run->id);
		add_text(out, run->name);
		add_text(out, point->id);
		add_text(out, point->title);
		add_text(out, point->unit);
		add_text(out, better_name(point->better));
		add_number(out, point->value);
		add_number(out, point->low);
		add_number(out, point->high);
		add_number(out, point->confidence);
		add_number(out, point->derived ? NAN : (double)point->samples);
		text_add(out, ",%u", point->rounds);
		add_text(out, verdict_name(point->verdict));
		add_text(out, point->reason);
		add_text(out, point->note);
		add_number(out, point->cycles);
		add_number(out, point->cycles_low);
		add_number(out, point->cycles_high);
		add_number(out, point->derived || !point->rounds ? NAN : point->noise);
		text_add(out, ",%s\n", point->derived ? "true" : "false");
	}
}

static void csv_batches(const char *run_id, const struct point *point, const struct process *process, struct text *out)
{
	for (size_t i = 0; process->batch && i < process->batches; i++) {
		add_cell(out, run_id);
		add_text(out, point->id);
		add_text(out, point->unit);
		text_add(out, ",%u,%d,%" PRIu64 ",%zu", process->round, process->cpu, process->n, i);
		add_number(out, process->batch[i]);
		text_add(out, "\n");
	}
}

static void csv_raw(const struct run *run, struct text *out)
{
	text_add(out, "run,point,unit,round,cpu,n,batch,value\n");
	for (size_t i = 0; i < run->points; i++) {
		for (size_t k = 0; k < run->point[i].processes; k++)
			csv_batches(run->id, &run->point[i], &run->point[i].process[k], out);
	}
}

static void json_lines(const struct run *run, struct text *out, unsigned flags)
{
	run_begin_event(run, out);
	for (size_t i = 0; i < run->points; i++)
		point_event(&run->point[i], out, flags);
	run_end_event(run, out);
}

static void whole_json(const struct run *run, struct text *out, unsigned flags)
{
	struct json json;

	json_init(&json, out, true);
	run_write_json(run, &json, flags);
	text_add(out, "\n");
}

static bool lacks_batches(const struct run *run)
{
	for (size_t i = 0; i < run->points; i++) {
		for (size_t k = 0; k < run->point[i].processes; k++) {
			if (run->point[i].process[k].batches && !run->point[i].process[k].batch)
				return true;
		}
	}
	return false;
}

static int run_export(void *config, int argc, char **argv)
{
	const struct export_config *c = config;
	const char *format = c->format ? c->format : "json";
	unsigned flags = c->raw ? RUN_JSON_BATCHES : 0;
	auto_text struct text out = { 0 };
	struct run run = { 0 };
	int code = EXIT_FAILED;

	if (cmd_load_run_with(c->book, argc ? argv[0] : NULL, c->raw ? BOOK_LOAD_BATCHES : 0, &run, &code) < 0)
		return code;
	if (c->raw && lacks_batches(&run))
		fprintf(stderr,
			"assay: not all batches of this run are in the book: they are kept for the last %d runs\n",
			BOOK_RAW_RUNS);
	if (!strcmp(format, "jsonl"))
		json_lines(&run, &out, flags);
	else if (strcmp(format, "csv"))
		whole_json(&run, &out, flags);
	else if (c->raw)
		csv_raw(&run, &out);
	else
		csv_points(&run, &out);
	run_done(&run);
	return verb_print(text_get(&out));
}

static const struct option_row options[] = {
	{ .name = "format", .letter = 'f', .type = OPTION_TEXT, .offset = offsetof(struct export_config, format),
	  .value = "FORMAT", .words = "json jsonl csv", .help = "the form to write (default: json)" },
	{ .name = "raw", .type = OPTION_FLAG, .offset = offsetof(struct export_config, raw),
	  .help = "with every batch, where they are still kept" },
	{ .name = "book", .type = OPTION_TEXT, .offset = offsetof(struct export_config, book), .value = "FILE",
	  .help = "the book to read (default: $ASSAY_BOOK, or the one of this user)" },
	{ 0 },
};

static const char *const examples[] = { "assay export latest", "assay export --format csv before-upgrade",
					"assay export --raw --format csv latest~1", NULL };

const struct verb verb_export = {
	.name = "export",
	.summary = "write a run as JSON, JSON lines or CSV",
	.arguments = "[RUN]",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct export_config),
	.max_arguments = 1,
	.run = run_export,
};
