/* The tables people have read since lmbench, as data: which point stands in which column, and in what unit.
 *
 * `show` prints them; whoever writes lmbench's own widths takes them from here too.
 */
#ifndef REPORT_CLASSIC_H
#define REPORT_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"
#include "report/figure.h"

struct json;

enum { CLASSIC_COLUMNS = 10, CLASSIC_BANDS = 3 };

struct classic_column {
	const char *heading;           /* a blank is where it may be broken into two lines */
	const char *id[CLASSIC_BANDS]; /* pattern of the point for each band, see classic_find */
	const char *recorded, *shown;  /* unit in the record and in the table; NULL: the table's */
	double scale;                  /* from one to the other */
};

/* A figure of the table stands in each band: the difference, what was measured, what was subtracted. */
struct classic_band {
	const char *name;
	bool cross;    /* the ids of the first band with place=cross */
	bool optional; /* left out when the run has nothing of it */
};

struct classic_table {
	const char *title;
	const char *recorded, *shown;
	double scale;
	enum better better;
	bool cycles;       /* core cycles are told beside the time */
	bool cache_sizes;  /* what the kernel reports is told beside it */
	bool copies;       /* so are the copies measured in parallel */
	const char *about; /* a line beneath the title, or NULL */
	struct classic_band band[CLASSIC_BANDS];
	struct classic_column column[CLASSIC_COLUMNS + 1]; /* ended by one without a heading */
};

extern const struct classic_table classic_tables[];
extern const size_t classic_count;

size_t classic_columns(const struct classic_table *table);
size_t classic_bands(const struct classic_table *table);

/* The point a pattern means: bench:variant (an fnmatch(3) pattern) and, behind the slash, the params that must have
 * these values (patterns too). Params that are not named may have any value, save place, copies and peer, which change
 * what is measured. Of several matches the one with the exact id wins, else the largest size, else the largest
 * params. NULL when the run has none. */
const struct point *classic_find(const struct run *run, const char *pattern);

/* The figure of a cell; its name is the column's heading. */
struct figure classic_figure(const struct run *run, const struct classic_table *table,
			     const struct classic_column *column, size_t band);

bool classic_has_band(const struct run *run, const struct classic_table *table, size_t band);
bool classic_has(const struct run *run, const struct classic_table *table);

/* Sets shown[i] for every point i of the run that stands in a table; the others are left as they are. */
void classic_mark(const struct run *run, bool *shown);

/* Copies the run measured in parallel: a setting, not a figure. */
unsigned classic_copies(const struct run *run);

/* Adds "tables": [{title, columns: [{name, unit}], cells: [{column, row, point, value, low, high, cycles, cycles_low,
 * cycles_high, verdict, reason}]}] to an open object. Values are in the units of the record, as everywhere in JSON;
 * point, value, verdict are null for a figure that is not part of the run; row names the band where there are
 * several, else it is null. */
void classic_json(const struct run *run, struct json *json);

#endif
