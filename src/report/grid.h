/* A table of text cells for a terminal, drawn by libsmartcols. */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/style.h"

enum grid_tone { TONE_NONE, TONE_HEAD, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_DIM };

struct grid {
	size_t columns;
	const bool *right; /* columns flushed right; NULL: all left */
	size_t wrap;       /* the column, counted from 1, that is broken between words to fit the width; 0: none */
	char **cell;       /* row by row; owned */
	enum grid_tone *tone;
	size_t cells, capacity, tone_capacity;
};

/* Appends a cell; its text (any outside text, or NULL) is made plain here. Cells fill rows from left to right. */
void grid_add(struct grid *grid, const struct show_style *style, enum grid_tone tone, const char *raw);

size_t grid_width(const struct grid *grid); /* columns of the terminal it needs, indent not counted */

/* Every line is indented; no trailing blanks. 0, or -errno when libsmartcols fails. */
int grid_draw(const struct grid *grid, const struct show_style *style, unsigned indent, struct text *out);
void grid_done(struct grid *grid);

/* A line of its own in bold; outside text. */
void heading_add(struct text *out, const struct show_style *style, const char *raw);

/* A word or line in a tone: already plain text, nothing else is written when colours are off. */
void tone_add(struct text *out, const struct show_style *style, enum grid_tone tone, const char *plain);

/* A paragraph of any outside text, wrapped at the style's width; lines after the first are indented by `hang`. */
void paragraph_add(struct text *out, const struct show_style *style, unsigned indent, unsigned hang, const char *raw);

/* The style that can really be used: width never under 40, UTF-8 only where the locale has it, a program's name. */
struct show_style style_effective(const struct show_style *style);

#define auto_grid __attribute__((cleanup(grid_done)))

#endif
