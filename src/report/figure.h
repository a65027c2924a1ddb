/* One figure as a report shows it: a point (or the lack of one) in the unit and scale of its place. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stdbool.h>

#include "base/text.h"
#include "record/record.h"
#include "report/grid.h"
#include "report/number.h"

struct figure {
	const char *name;          /* what people call it: "fork proc"; or the point's id */
	const char *band;          /* told behind the name where several figures have it ("hop"), or NULL */
	const struct point *point; /* NULL: not part of this run */
	const char *unit;          /* as shown: "µs" */
	double scale;              /* shown = recorded × scale */
	bool usable;               /* there is a number to show */
	const char *word;          /* verdict's name, or "not run" */
	const char *reason;        /* NULL only when all is well */
	bool said;                 /* its absence is explained elsewhere: figures_explain is silent about it */
};

/* For a point whose unit must be `recorded` (NULL: any); point may be NULL. */
struct figure figure_of(const char *name, const struct point *point, const char *recorded, const char *unit,
			double scale);

/* Unit and scale for people, by the size of the value: 1,234 ns → 1.234 µs. */
struct figure figure_of_point(const struct point *point);

/* Is there an interval, and does it hold zero? (The difference of two figures can.) */
bool figure_has_interval(const struct figure *figure);
bool figure_is_zero(const struct figure *figure);

/* Texts of the parts; "–" where there is none. */
char *figure_value(char out[NUMBER_TEXT], const struct figure *figure);
char *figure_low(char out[NUMBER_TEXT], const struct figure *figure);
char *figure_high(char out[NUMBER_TEXT], const struct figure *figure);
char *figure_percent(char out[NUMBER_TEXT], const struct figure *figure);

/* The same in core cycles of one operation. */
bool figure_has_cycles(const struct figure *figure);
char *figure_cycles(char out[NUMBER_TEXT], const struct figure *figure);
char *figure_cycles_low(char out[NUMBER_TEXT], const struct figure *figure);
char *figure_cycles_high(char out[NUMBER_TEXT], const struct figure *figure);

/* A word of at most five letters for narrow columns. */
const char *figure_mark(const struct figure *figure);
enum grid_tone figure_tone(const struct figure *figure);

/* Footnotes: all that must be said about these figures, in one line for each kind of thing: figures of which the same is
 * said, up to the numbers in it, stand together, four of them by name. With `long_form` also which point each is. */
void figures_explain(const struct figure *figure, size_t count, const struct show_style *style, struct text *out);

/* One line a figure. The column of names moves to a line of its own where the width is too small. */
int figures_list(const struct figure *figure, size_t count, const struct show_style *style, struct text *out);

#endif
