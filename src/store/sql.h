/* The thin layer between the book and SQLite: statements with typed values, transactions, errors as sentences. */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/book.h"

struct book {
	sqlite3 *db;
	char *path;
	bool writable;
	enum book_raw raw;
};

/* A value for a parameter. NaN becomes NULL (SQLite has no NaN), and so does a NULL text. */
struct cell {
	enum { CELL_WHOLE, CELL_REAL, CELL_TEXT, CELL_BYTES } type;
	int64_t whole;
	double real;
	const void *bytes;
	size_t length;
};

/* uint64_t values keep their bits in SQLite's signed integers. */
#define WHOLE(v) ((struct cell){ .type = CELL_WHOLE, .whole = (int64_t)(v) })
#define REAL(v) ((struct cell){ .type = CELL_REAL, .real = (v) })
#define TEXT(v) ((struct cell){ .type = CELL_TEXT, .bytes = (v) })
#define BYTES(v, n) ((struct cell){ .type = CELL_BYTES, .bytes = (v), .length = (n) })
#define CELLS(...) \
	(const struct cell[]){ __VA_ARGS__ }, sizeof((const struct cell[]){ __VA_ARGS__ }) / sizeof(struct cell)

/* The sentence for what SQLite just reported, as a negative errno. doing: "cannot store the run". */
int sql_fail(const struct book *book, int code, struct err *err, const char *doing);

/* A statement with its parameters bound; sqlite3_finalize (or auto_statement) ends it. */
int sql_prepare(struct book *book, sqlite3_stmt **ret_statement, struct err *err, const char *sql,
		const struct cell *cells, size_t count);

/* 1: a row, 0: no more, or a negative errno. */
int sql_step(struct book *book, sqlite3_stmt *statement, struct err *err);

/* Prepares, runs to the end, finalizes. */
int sql_do(struct book *book, struct err *err, const char *sql, const struct cell *cells, size_t count);

/* First column of the first row as a whole number: 1 found, 0 no row (or NULL), or a negative errno. */
int sql_whole(struct book *book, int64_t *ret_value, struct err *err, const char *sql, const struct cell *cells,
	      size_t count);

/* Several statements without parameters. */
int sql_script(struct book *book, struct err *err, const char *sql);

/* A transaction; write: takes the one writer's place at once, so that it cannot fail for it later. sql_end commits when
 * r is not negative, else rolls back; it returns r or what the commit met. */
int sql_begin(struct book *book, bool write, struct err *err);
int sql_end(struct book *book, int r, struct err *err);

double sql_real(sqlite3_stmt *statement, int column);    /* NULL is NaN */
char *sql_text(sqlite3_stmt *statement, int column);     /* a copy; NULL is NULL */
enum verdict sql_verdict(sqlite3_stmt *statement, int column); /* an unknown word is VERDICT_FAILED */

void sql_finalize_ptr(sqlite3_stmt **statement);
#define auto_statement __attribute__((cleanup(sql_finalize_ptr)))

#endif
