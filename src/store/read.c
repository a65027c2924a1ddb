/* Reading runs from the book. What a damaged or foreign hand may have left in it ends in an error, not in a crash. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/book.h"
#include "store/pack.h"
#include "store/sql.h"

static int load_conditions(struct book *book, const char *sql, int64_t owner, struct condition **ret_array,
			   size_t *ret_count, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	int r = sql_prepare(book, &s, err, sql, CELLS(WHOLE(owner)));

	while (r >= 0 && (r = sql_step(book, s, err)) > 0)
		condition_add(ret_array, ret_count, (const char *)sqlite3_column_text(s, 0),
			      (const char *)sqlite3_column_text(s, 1), sql_real(s, 2), sql_real(s, 3),
			      sql_verdict(s, 4), (const char *)sqlite3_column_text(s, 5));
	return r;
}

static int load_batches(struct book *book, int64_t key, struct process *process, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	int r = sql_prepare(book, &s, err, "SELECT data FROM batch WHERE process = ?1", CELLS(WHOLE(key)));

	if (r == 0)
		r = sql_step(book, s, err);
	if (r <= 0)
		return r;
	const void *bytes = sqlite3_column_blob(s, 0);
	size_t length = (size_t)sqlite3_column_bytes(s, 0);
	if (unpack_compressed(bytes, length, process->batches, &process->batch) < 0)
		return err_set(err, -EUCLEAN, "the book %s is damaged: the batches of a process cannot be read",
			       book->path);
	return 0;
}

static void read_process(sqlite3_stmt *s, struct process *process)
{
	*process = (struct process){
		.round = (unsigned)sqlite3_column_int64(s, 1),
		.cpu = sqlite3_column_int(s, 2),
		.outcome = sql_verdict(s, 3),
		.reason = sql_text(s, 4),
		.n = (uint64_t)sqlite3_column_int64(s, 5),
		.paired = sqlite3_column_int(s, 6),
		.steady = sqlite3_column_int(s, 7),
		.half_sample = sqlite3_column_int(s, 8),
		.location = sql_real(s, 9),
		.mean = sql_real(s, 10),
		.min = sql_real(s, 11),
		.max = sql_real(s, 12),
		.noise = sql_real(s, 13),
		.clock_hz = sql_real(s, 14),
		.batches = (size_t)sqlite3_column_int64(s, 16),
		.remark = sql_text(s, 17),
	};
	const void *quantiles = sqlite3_column_blob(s, 15);
	for (int i = 0; i < QUANTILES; i++)
		process->quantile[i] = NAN;
	if (quantiles && sqlite3_column_bytes(s, 15) == (int)(QUANTILES * sizeof(double)))
		unpack_doubles(quantiles, QUANTILES, process->quantile);
}

static int load_processes(struct book *book, int64_t key, unsigned flags, struct point *point, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	int r = sql_prepare(
		book, &s, err,
		"SELECT key, round, cpu, outcome, reason, n, paired, steady, half_sample, location, mean, min,"
		" max, noise, clock_hz, quantiles, batches, remark FROM process WHERE point = ?1"
		" ORDER BY round, key",
		CELLS(WHOLE(key)));

	while (r >= 0 && (r = sql_step(book, s, err)) > 0) {
		struct process process;
		int64_t process_key = sqlite3_column_int64(s, 0);
		read_process(s, &process);
		if (flags & BOOK_LOAD_BATCHES)
			r = load_batches(book, process_key, &process, err);
		if (r >= 0)
			r = load_conditions(book,
					    "SELECT id, unit, value, threshold, verdict, text FROM process_condition"
					    " WHERE process = ?1 ORDER BY position",
					    process_key, &process.condition, &process.conditions, err);
		point_add_process(point, &process);
	}
	return r;
}

static int load_sources(struct book *book, int64_t key, struct point *point, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	int r = sql_prepare(book, &s, err, "SELECT id FROM source WHERE point = ?1 ORDER BY position",
			    CELLS(WHOLE(key)));

	while (r >= 0 && (r = sql_step(book, s, err)) > 0) {
		point->source = mem_grow(point->source, point->sources + 1, sizeof *point->source);
		point->source[point->sources++] = sql_text(s, 0);
	}
	return r;
}

static enum better read_better(sqlite3_stmt *s, int column)
{
	const char *name = (const char *)sqlite3_column_text(s, column);

	for (enum better better = BETTER_NONE; name && better <= BETTER_MORE; better++) {
		if (!strcmp(name, better_name(better)))
			return better;
	}
	return BETTER_NONE;
}

static void read_point(sqlite3_stmt *s, struct point *point)
{
	point->title = sql_text(s, 2);
	point->unit = sql_text(s, 3);
	point->better = read_better(s, 4);
	point->target_pct = sql_real(s, 5);
	point->min_cycles = sqlite3_column_double(s, 6);
	point->derived = sqlite3_column_int(s, 7);
	point->value = sql_real(s, 8);
	point->low = sql_real(s, 9);
	point->high = sql_real(s, 10);
	if (sqlite3_column_type(s, 11) != SQLITE_NULL)
		point->confidence = sqlite3_column_double(s, 11);
	point->cycles = sql_real(s, 12);
	point->cycles_low = sql_real(s, 13);
	point->cycles_high = sql_real(s, 14);
	point->noise = sql_real(s, 15);
	point->samples = (uint64_t)sqlite3_column_int64(s, 16);
	point->rounds = (unsigned)sqlite3_column_int64(s, 17);
	point->reason = sql_text(s, 19);
	point->note = sql_text(s, 20);
	if (sqlite3_column_type(s, 18) != SQLITE_NULL) {
		point->verdict = sql_verdict(s, 18);
		return;
	}
	/* Nobody came to judge it; ok would be a claim. */
	point->verdict = VERDICT_SKIPPED;
	free(point->reason);
	point->reason = mem_copy("the run ended before this point was judged");
}

static int load_points(struct book *book, int64_t run_key, unsigned flags, struct run *run, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	int r = sql_prepare(
		book, &s, err,
		"SELECT key, id, title, unit, better, target_pct, min_cycles, derived, value, low, high,"
		" confidence, cycles, cycles_low, cycles_high, noise, samples, rounds, verdict, reason, note"
		" FROM point WHERE run = ?1 ORDER BY position, key",
		CELLS(WHOLE(run_key)));

	while (r >= 0 && (r = sql_step(book, s, err)) > 0) {
		int64_t key = sqlite3_column_int64(s, 0);
		const char *id = (const char *)sqlite3_column_text(s, 1);
		struct point *point = run_add_point(run, id ? id : "");
		read_point(s, point);
		r = load_sources(book, key, point, err);
		if (r >= 0)
			r = load_processes(book, key, flags, point, err);
	}
	return r;
}

static int load_labels(struct book *book, int64_t run_key, struct run *run, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	int r = sql_prepare(book, &s, err, "SELECT name, value FROM label WHERE run = ?1 ORDER BY position",
			    CELLS(WHOLE(run_key)));

	while (r >= 0 && (r = sql_step(book, s, err)) > 0) {
		run->label = mem_grow(run->label, run->labels + 1, sizeof *run->label);
		run->label[run->labels++] = (struct label){ .key = sql_text(s, 0), .value = sql_text(s, 1) };
	}
	return r;
}

/* 1 and the run's key; documents that are not JSON would spoil the JSON they are put into, and are left out. */
static int load_head(struct book *book, const char *id, struct run *run, int64_t *ret_key, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	int r = sql_prepare(
		book, &s, err,
		"SELECT seq, name, started_ms, ended_ms, complete, reason, seed, plan, selection,"
		" CASE WHEN json_valid(options) THEN options END, budget_ns, rounds, method, version,"
		" (SELECT CASE WHEN json_valid(document) THEN document END FROM machine WHERE machine.run = seq)"
		" FROM run WHERE id = ?1",
		CELLS(TEXT(id)));

	if (r == 0)
		r = sql_step(book, s, err);
	if (r == 0)
		return err_set(err, -ENOENT, "the book %s has no run %s", book->path, id);
	if (r < 0)
		return r;
	strncpy(run->id, id, sizeof run->id - 1);
	*ret_key = sqlite3_column_int64(s, 0);
	run->name = sql_text(s, 1);
	run->started_ms = sqlite3_column_int64(s, 2);
	run->ended_ms = sqlite3_column_int64(s, 3);
	run->complete = sqlite3_column_int(s, 4);
	run->reason = sql_text(s, 5);
	run->seed = (uint64_t)sqlite3_column_int64(s, 6);
	run->set = sql_text(s, 7);
	run->selection = sql_text(s, 8);
	run->options = sql_text(s, 9);
	run->budget_ns = (uint64_t)sqlite3_column_int64(s, 10);
	run->rounds = (unsigned)sqlite3_column_int64(s, 11);
	run->method = sql_text(s, 12);
	run->version = sql_text(s, 13);
	run->machine = sql_text(s, 14);
	return 1;
}

static int load_run(struct book *book, const char *id, unsigned flags, struct run *run, struct err *err)
{
	int64_t key = 0;
	int r = load_head(book, id, run, &key, err);

	if (r >= 0)
		r = load_labels(book, key, run, err);
	if (r >= 0)
		r = load_conditions(book,
				    "SELECT id, unit, value, threshold, verdict, text FROM run_condition WHERE run = ?1"
				    " ORDER BY position",
				    key, &run->condition, &run->conditions, err);
	return r < 0 ? r : load_points(book, key, flags, run, err);
}

int book_load_run(struct book *book, const char *id, unsigned flags, struct run *ret_run, struct err *err)
{
	struct run run = { 0 };
	int r = sql_begin(book, false, err); /* one view, though a run may be written meanwhile */

	if (r >= 0)
		r = sql_end(book, load_run(book, id, flags, &run, err), err);
	if (r < 0) {
		run_done(&run);
		return r;
	}
	*ret_run = run;
	return 0;
}

/* How much of each id tells it from its neighbours in alphabetical order, 8 characters at least. */
static int by_id(const void *a, const void *b)
{
	return strcmp((*(struct book_row *const *)a)->id, (*(struct book_row *const *)b)->id);
}

static int shared(const char *a, const char *b)
{
	int length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

static void shorten(struct book_list *list)
{
	auto_free struct book_row **sorted = mem_new(list->rows, sizeof(struct book_row *));

	for (size_t i = 0; i < list->rows; i++)
		sorted[i] = &list->row[i];
	if (list->rows)
		qsort(sorted, list->rows, sizeof *sorted, by_id);
	for (size_t i = 0; i < list->rows; i++) {
		int length = 8;
		int before = i ? shared(sorted[i]->id, sorted[i - 1]->id) + 1 : 0;
		int after = i + 1 < list->rows ? shared(sorted[i]->id, sorted[i + 1]->id) + 1 : 0;
		length = before > length ? before : length;
		length = after > length ? after : length;
		sorted[i]->short_length = length > 36 ? 36 : length;
		if (sorted[i]->id[sorted[i]->short_length - 1] == '-')
			sorted[i]->short_length++; /* nobody wants to type a hyphen last */
	}
}

static void read_row(sqlite3_stmt *s, struct book_row *row)
{
	const char *id = (const char *)sqlite3_column_text(s, 0);

	*row = (struct book_row){ .name = sql_text(s, 1),
				  .set = sql_text(s, 2),
				  .hostname = sql_text(s, 3),
				  .started_ms = sqlite3_column_int64(s, 4),
				  .ended_ms = sqlite3_column_int64(s, 5),
				  .complete = sqlite3_column_int(s, 6),
				  .points = (uint64_t)sqlite3_column_int64(s, 7) };
	strncpy(row->id, id ? id : "", sizeof row->id - 1);
	for (int i = 0; i < VERDICT_COUNT; i++)
		row->verdict[i] = (uint64_t)sqlite3_column_int64(s, 8 + i);
}

int book_list_runs(struct book *book, struct book_list *ret_list, struct err *err)
{
	auto_statement sqlite3_stmt *s = NULL;
	struct book_list list = { 0 };
	size_t capacity = 0;
	int r = sql_prepare(
		book, &s, err,
		"SELECT run.id, run.name, plan, hostname, started_ms, ended_ms, complete, count(point.key),"
		" sum(point.verdict = 'ok'), sum(point.verdict = 'noisy'), sum(point.verdict = 'untrusted'),"
		" sum(point.verdict = 'skipped'), sum(point.verdict = 'failed')"
		" FROM run LEFT JOIN point ON point.run = run.seq GROUP BY run.seq ORDER BY run.seq DESC",
		NULL, 0);

	while (r >= 0 && (r = sql_step(book, s, err)) > 0) {
		list.row = mem_room(list.row, list.rows, &capacity, sizeof *list.row);
		read_row(s, &list.row[list.rows++]);
	}
	if (r < 0) {
		book_list_done(&list);
		return r;
	}
	shorten(&list);
	*ret_list = list;
	return 0;
}

void book_list_done(struct book_list *list)
{
	for (size_t i = 0; i < list->rows; i++) {
		free(list->row[i].name);
		free(list->row[i].set);
		free(list->row[i].hostname);
	}
	free(list->row);
	*list = (struct book_list){ 0 };
}
