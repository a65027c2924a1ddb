/* Writing runs into the book. Each public function is one transaction. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/book.h"
#include "store/pack.h"
#include "store/sql.h"

static int run_key(struct book *book, const char *id, int64_t *ret_key, struct err *err)
{
	int r = sql_whole(book, ret_key, err, "SELECT seq FROM run WHERE id = ?1", CELLS(TEXT(id)));

	return r == 0 ? err_set(err, -ENOENT, "the book %s has no run %s", book->path, id) : r < 0 ? r : 0;
}

static int store_conditions(struct book *book, const char *sql, int64_t owner, const struct condition *condition,
			    size_t count, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < count; i++, condition++)
		r = sql_do(book, err, sql,
			   CELLS(WHOLE(owner), WHOLE(i), TEXT(condition->id), TEXT(condition->unit),
				 REAL(condition->value), REAL(condition->threshold),
				 TEXT(verdict_name(condition->verdict)), TEXT(condition->text)));
	return r;
}

/* What is known of a point before it is measured; a point that is there already stays as it is. */
static int store_point(struct book *book, int64_t run, const struct point *point, int64_t *ret_key, struct err *err)
{
	int r = sql_do(book, err,
		       "INSERT INTO point (run, position, id, title, unit, better, target_pct, min_cycles, derived)"
		       " VALUES (?1, (SELECT coalesce(max(position) + 1, 0) FROM point WHERE run = ?1),"
		       " ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (run, id) DO NOTHING",
		       CELLS(WHOLE(run), TEXT(point->id), TEXT(point->title), TEXT(point->unit),
			     TEXT(better_name(point->better)), REAL(point->target_pct), REAL(point->min_cycles),
			     WHOLE(point->derived)));

	if (r >= 0)
		r = sql_whole(book, ret_key, err, "SELECT key FROM point WHERE run = ?1 AND id = ?2",
			      CELLS(WHOLE(run), TEXT(point->id)));
	return r < 0 ? r : 0;
}

static int store_batches(struct book *book, int64_t key, const struct process *process, struct err *err)
{
	auto_free unsigned char *packed = NULL;
	size_t length = 0;

	if (!process->batch || !process->batches || book->raw == BOOK_RAW_DROP)
		return 0;
	pack_compressed(process->batch, process->batches, &packed, &length);
	return sql_do(book, err, "INSERT INTO batch (process, data) VALUES (?1, ?2)",
		      CELLS(WHOLE(key), BYTES(packed, length)));
}

static int store_process(struct book *book, int64_t point, const struct process *process, struct err *err)
{
	unsigned char quantiles[QUANTILES * sizeof(double)];

	pack_doubles(process->quantile, QUANTILES, quantiles);
	int r = sql_do(
		book, err,
		"INSERT INTO process (point, round, cpu, outcome, reason, n, paired, steady, half_sample, location,"
		" mean, min, max, noise, clock_hz, quantiles, batches, remark) VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
		" ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
		CELLS(WHOLE(point), WHOLE(process->round), WHOLE(process->cpu), TEXT(verdict_name(process->outcome)),
		      TEXT(process->reason), WHOLE(process->n), WHOLE(process->paired), WHOLE(process->steady),
		      WHOLE(process->half_sample), REAL(process->location), REAL(process->mean), REAL(process->min),
		      REAL(process->max), REAL(process->noise), REAL(process->clock_hz),
		      BYTES(quantiles, sizeof quantiles), WHOLE(process->batches), TEXT(process->remark)));
	int64_t key = sqlite3_last_insert_rowid(book->db);
	if (r >= 0)
		r = store_batches(book, key, process, err);
	if (r >= 0)
		r = store_conditions(book, "INSERT INTO process_condition VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", key,
				     process->condition, process->conditions, err);
	return r;
}

/* Batches of older runs go; keep_raw protects a run. */
static int prune(struct book *book, struct err *err)
{
	return sql_do(book, err,
		      "DELETE FROM batch WHERE process IN (SELECT process.key FROM process"
		      " JOIN point ON process.point = point.key JOIN run ON point.run = run.seq WHERE NOT run.keep_raw"
		      " AND run.seq NOT IN (SELECT seq FROM run ORDER BY seq DESC LIMIT ?1))",
		      CELLS(WHOLE(BOOK_RAW_RUNS)));
}

static int check_new(struct book *book, const struct run *run, struct err *err)
{
	int64_t found = 0;
	int r = 0;

	if (!run->id[0])
		return err_set(err, -EINVAL, "the run has no id");
	if (run->name && (r = book_check_name(run->name, err)) < 0)
		return r;
	r = sql_whole(book, &found, err, "SELECT 1 FROM run WHERE id = ?1", CELLS(TEXT(run->id)));
	if (r > 0)
		return err_set(err, -EEXIST, "the book %s has run %s already", book->path, run->id);
	if (r == 0 && run->name)
		r = sql_whole(book, &found, err, "SELECT 1 FROM run WHERE name = ?1", CELLS(TEXT(run->name)));
	if (r > 0)
		return err_set(err, -EEXIST,
			       "the book %s has a run named '%s' already: choose another name, or give that "
			       "one another with `assay rename`",
			       book->path, run->name);
	return r;
}

static int insert_run(struct book *book, const struct run *run, struct err *err)
{
	/* The host's name is copied out of the machine's document, for the list. */
	return sql_do(
		book, err,
		"INSERT INTO run (id, name, started_ms, ended_ms, complete, reason, seed, plan, selection, options,"
		" budget_ns, rounds, method, version, keep_raw, hostname) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
		" ?9, ?10, ?11, ?12, ?13, ?14, ?15, CASE WHEN json_valid(?16) THEN json_extract(?16, '$.hostname') "
		"END)",
		CELLS(TEXT(run->id), TEXT(run->name), WHOLE(run->started_ms), WHOLE(run->ended_ms), WHOLE(0),
		      TEXT(run->reason), WHOLE(run->seed), TEXT(run->set), TEXT(run->selection), TEXT(run->options),
		      WHOLE(run->budget_ns), WHOLE(run->rounds), TEXT(run->method), TEXT(run->version),
		      WHOLE(book->raw == BOOK_RAW_KEEP), TEXT(run->machine)));
}

static int begin_run(struct book *book, const struct run *run, struct err *err)
{
	int r = check_new(book, run, err);

	if (r >= 0)
		r = insert_run(book, run, err);
	int64_t key = sqlite3_last_insert_rowid(book->db);
	if (r >= 0)
		r = sql_do(book, err, "INSERT INTO machine VALUES (?1, ?2)", CELLS(WHOLE(key), TEXT(run->machine)));
	for (size_t i = 0; r >= 0 && i < run->labels; i++)
		r = sql_do(book, err, "INSERT INTO label VALUES (?1, ?2, ?3, ?4)",
			   CELLS(WHOLE(key), WHOLE(i), TEXT(run->label[i].key), TEXT(run->label[i].value)));
	for (size_t i = 0; r >= 0 && i < run->points; i++) {
		int64_t point = 0;
		r = store_point(book, key, &run->point[i], &point, err);
	}
	return r < 0 ? r : prune(book, err);
}

int book_begin_run(struct book *book, const struct run *run, struct err *err)
{
	int r = sql_begin(book, true, err);

	return r < 0 ? r : sql_end(book, begin_run(book, run, err), err);
}

static int add_processes(struct book *book, const char *run_id, const struct book_entry *entries, size_t count,
			 struct err *err)
{
	int64_t run = 0, point = 0;
	int r = run_key(book, run_id, &run, err);

	for (size_t i = 0; r >= 0 && i < count; i++) {
		r = store_point(book, run, entries[i].point, &point, err);
		if (r >= 0)
			r = store_process(book, point, entries[i].process, err);
	}
	return r;
}

int book_add_processes(struct book *book, const char *run_id, const struct book_entry *entries, size_t count,
		       struct err *err)
{
	int r = sql_begin(book, true, err);

	return r < 0 ? r : sql_end(book, add_processes(book, run_id, entries, count, err), err);
}

int book_add_process(struct book *book, const char *run_id, const struct point *point, const struct process *process,
		     struct err *err)
{
	return book_add_processes(book, run_id, &(struct book_entry){ .point = point, .process = process }, 1, err);
}

static int finish_sources(struct book *book, int64_t key, const struct point *point, struct err *err)
{
	int r = sql_do(book, err, "DELETE FROM source WHERE point = ?1", CELLS(WHOLE(key)));

	for (size_t i = 0; r >= 0 && i < point->sources; i++)
		r = sql_do(book, err, "INSERT INTO source VALUES (?1, ?2, ?3)",
			   CELLS(WHOLE(key), WHOLE(i), TEXT(point->source[i])));
	return r;
}

/* A worker's round is stored once; what the book lacks of it is added. */
static int finish_processes(struct book *book, int64_t key, const struct point *point, struct err *err)
{
	int64_t found = 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < point->processes; i++) {
		r = sql_whole(book, &found, err, "SELECT 1 FROM process WHERE point = ?1 AND round = ?2",
			      CELLS(WHOLE(key), WHOLE(point->process[i].round)));
		if (r == 0)
			r = store_process(book, key, &point->process[i], err);
	}
	return r;
}

static int finish_point(struct book *book, int64_t run, size_t position, const struct point *point, struct err *err)
{
	int64_t key = 0;
	int r = store_point(book, run, point, &key, err);

	if (r >= 0)
		r = sql_do(
			book, err,
			"UPDATE point SET position = ?2, title = ?3, unit = ?4, better = ?5, target_pct = ?6,"
			" min_cycles = ?7, derived = ?8, value = ?9, low = ?10, high = ?11, confidence = ?12,"
			" cycles = ?13, cycles_low = ?14, cycles_high = ?15, noise = ?16, samples = ?17, rounds = ?18,"
			" verdict = ?19, reason = ?20, note = ?21 WHERE key = ?1",
			CELLS(WHOLE(key), WHOLE(position), TEXT(point->title), TEXT(point->unit),
			      TEXT(better_name(point->better)), REAL(point->target_pct), REAL(point->min_cycles),
			      WHOLE(point->derived), REAL(point->value), REAL(point->low), REAL(point->high),
			      REAL(point->confidence), REAL(point->cycles), REAL(point->cycles_low),
			      REAL(point->cycles_high), REAL(point->noise), WHOLE(point->samples), WHOLE(point->rounds),
			      TEXT(verdict_name(point->verdict)), TEXT(point->reason), TEXT(point->note)));
	if (r >= 0)
		r = finish_sources(book, key, point, err);
	return r < 0 ? r : finish_processes(book, key, point, err);
}

static int finish_run(struct book *book, const struct run *run, struct err *err)
{
	int64_t key = 0;
	int r = run_key(book, run->id, &key, err);

	if (r >= 0)
		r = sql_do(book, err,
			   "UPDATE run SET ended_ms = ?2, complete = ?3, reason = ?4, rounds = ?5 WHERE seq = ?1",
			   CELLS(WHOLE(key), WHOLE(run->ended_ms), WHOLE(run->complete), TEXT(run->reason),
				 WHOLE(run->rounds)));
	if (r >= 0)
		r = sql_do(book, err, "DELETE FROM run_condition WHERE run = ?1", CELLS(WHOLE(key)));
	if (r >= 0)
		r = store_conditions(book, "INSERT INTO run_condition VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", key,
				     run->condition, run->conditions, err);
	for (size_t i = 0; r >= 0 && i < run->points; i++)
		r = finish_point(book, key, i, &run->point[i], err);
	return r < 0 ? r : prune(book, err);
}

int book_finish_run(struct book *book, const struct run *run, struct err *err)
{
	int r = sql_begin(book, true, err);

	return r < 0 ? r : sql_end(book, finish_run(book, run, err), err);
}

int book_remove_run(struct book *book, const char *id, struct err *err)
{
	int64_t key = 0;
	int r = sql_begin(book, true, err);

	if (r < 0)
		return r;
	r = run_key(book, id, &key, err);
	if (r >= 0)
		r = sql_do(book, err, "DELETE FROM run WHERE seq = ?1", CELLS(WHOLE(key)));
	return sql_end(book, r, err);
}

static int rename_run(struct book *book, const char *id, const char *name, struct err *err)
{
	int64_t key = 0, taken = 0;
	int r = run_key(book, id, &key, err);

	if (r >= 0 && *name)
		r = sql_whole(book, &taken, err, "SELECT 1 FROM run WHERE name = ?1 AND seq <> ?2",
			      CELLS(TEXT(name), WHOLE(key)));
	if (r > 0)
		return err_set(err, -EEXIST, "another run has the name '%s' already", name);
	return r < 0 ? r : sql_do(book, err, "UPDATE run SET name = nullif(?1, '') WHERE seq = ?2",
				  CELLS(TEXT(name), WHOLE(key)));
}

int book_rename_run(struct book *book, const char *id, const char *name, struct err *err)
{
	int r = *name ? book_check_name(name, err) : 0;

	if (r >= 0)
		r = sql_begin(book, true, err);
	return r < 0 ? r : sql_end(book, rename_run(book, id, name, err), err);
}
