#include "report/grid.h"

#include <errno.h>
#include <langinfo.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/plain.h"

enum { NARROWEST = 40, USUAL_WIDTH = 80, LEAST_ROOM = 16 };

static const char gap[] = "  "; /* between columns */
static const char *const tone_sequence[] = {
	[TONE_NONE] = NULL,         [TONE_HEAD] = "\033[1m", [TONE_GOOD] = "\033[32m",
	[TONE_WARN] = "\033[33m", [TONE_BAD] = "\033[31m", [TONE_DIM] = "\033[2m",
};

struct show_style style_effective(const struct show_style *style)
{
	struct show_style real = *style;

	if (!real.width)
		real.width = USUAL_WIDTH;
	if (real.width < NARROWEST)
		real.width = NARROWEST;
	/* libsmartcols counts columns with the locale's functions: elsewhere it would print \xe2 for every –. */
	real.utf8 = real.utf8 && !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!real.program)
		real.program = "assay";
	return real;
}

void tone_add(struct text *out, const struct show_style *style, enum grid_tone tone, const char *plain)
{
	if (style->color && tone_sequence[tone])
		text_add(out, "%s%s\033[0m", tone_sequence[tone], plain);
	else
		text_add(out, "%s", plain);
}

static void indent_by(struct text *out, unsigned columns)
{
	text_add(out, "%*s", (int)columns, "");
}

void paragraph_add(struct text *out, const struct show_style *style, unsigned indent, unsigned hang, const char *raw)
{
	auto_free char *plain = plain_copy(raw, style->utf8);
	char *rest = plain;
	size_t used = 0;

	for (char *word; (word = strsep(&rest, " "));) {
		size_t width = plain_width(word);
		if (!width)
			continue;
		if (used && used + 1 + width > style->width) {
			text_add(out, "\n");
			indent_by(out, hang);
			used = hang;
		} else if (used) {
			text_add(out, " ");
			used++;
		} else {
			indent_by(out, indent);
			used = indent;
		}
		text_add(out, "%s", word);
		used += width;
	}
	if (used)
		text_add(out, "\n");
}

void heading_add(struct text *out, const struct show_style *style, const char *raw)
{
	auto_free char *plain = plain_copy(raw, style->utf8);

	if (plain_width(plain) > style->width) { /* a tone would have to be taken up again on each line */
		paragraph_add(out, style, 0, 2, raw);
		return;
	}
	tone_add(out, style, TONE_HEAD, plain);
	text_add(out, "\n");
}

void grid_add(struct grid *grid, const struct show_style *style, enum grid_tone tone, const char *raw)
{
	grid->cell = mem_room(grid->cell, grid->cells, &grid->capacity, sizeof *grid->cell);
	grid->tone = mem_room(grid->tone, grid->cells, &grid->tone_capacity, sizeof *grid->tone);
	grid->tone[grid->cells] = tone;
	grid->cell[grid->cells++] = plain_copy(raw, style->utf8);
}

static size_t column_width(const struct grid *grid, size_t column)
{
	size_t widest = 0;

	for (size_t i = column; i < grid->cells; i += grid->columns) {
		size_t width = plain_width(grid->cell[i]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

size_t grid_width(const struct grid *grid)
{
	size_t total = 0;

	for (size_t column = 0; column < grid->columns; column++)
		total += column_width(grid, column) + (column ? sizeof gap - 1 : 0);
	return total;
}

/* What the others leave to the column that wraps. */
static size_t room_of(const struct grid *grid, size_t width)
{
	if (!grid->wrap)
		return 0;
	size_t others = grid_width(grid) - column_width(grid, grid->wrap - 1);
	return width < others + LEAST_ROOM ? LEAST_ROOM : width - others;
}

/* As many words of *rest as fit, one at least; *rest becomes what is left, or NULL. The text is cut in place. */
static char *take_words(char **rest, size_t room)
{
	char *line = *rest, *cut = NULL;

	for (char *at = strchr(line, ' ');; at = strchr(at + 1, ' ')) {
		if (at)
			*at = '\0';
		bool fits = plain_width(line) <= room;
		if (at)
			*at = ' ';
		if (!fits && cut)
			break;
		cut = at;
		if (!fits || !at)
			break;
	}
	*rest = cut ? cut + 1 : NULL;
	if (cut)
		*cut = '\0';
	return line;
}

static void set_cell(struct libscols_line *line, size_t column, const char *text, const char *sequence)
{
	scols_line_set_data(line, column, text);
	if (sequence && *text)
		scols_cell_set_color(scols_line_get_cell(line, column), sequence);
}

/* One row, in several lines where a column wraps. libsmartcols could break cells itself, but inside words. */
static void add_row(const struct grid *grid, struct libscols_table *table, size_t first, size_t room, bool color)
{
	size_t wrapped = grid->wrap ? first + grid->wrap - 1 : grid->cells;
	auto_free char *copy = wrapped < grid->cells ? mem_copy(grid->cell[wrapped]) : NULL;
	char *rest = copy;
	bool begun = false;

	do {
		struct libscols_line *line = scols_table_new_line(table, NULL);
		for (size_t i = first; i < first + grid->columns && i < grid->cells; i++) {
			const char *text = i == wrapped ? take_words(&rest, room) : begun ? "" : grid->cell[i];
			set_cell(line, i - first, text, color ? tone_sequence[grid->tone[i]] : NULL);
		}
		begun = true;
	} while (rest);
}

/* Blanks that fill the last column would show in a copied text and differ between versions of libsmartcols. */
static void add_trimmed(struct text *out, unsigned indent, char *drawn)
{
	for (char *line; (line = strsep(&drawn, "\n"));) {
		size_t length = strlen(line);
		while (length && line[length - 1] == ' ')
			length--;
		if (length) {
			indent_by(out, indent);
			text_bytes(out, line, length);
		}
		if (drawn)
			text_add(out, "\n");
	}
}

int grid_draw(const struct grid *grid, const struct show_style *style, unsigned indent, struct text *out)
{
	auto_free char *drawn = NULL;
	struct libscols_table *table = scols_new_table();

	if (!table)
		return -ENOMEM;
	scols_table_enable_noheadings(table, 1);
	scols_table_enable_colors(table, style->color);
	/* Cells are plain already, and its own form would spell the backslash of ours as \x5c. */
	scols_table_enable_noencoding(table, 1);
	/* Whether a table fits is decided by its author; libsmartcols would cut cells to the width it guesses. */
	scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	scols_table_set_column_separator(table, gap);
	for (size_t column = 0; column < grid->columns; column++)
		scols_table_new_column(table, "-", 0, grid->right && grid->right[column] ? SCOLS_FL_RIGHT : 0);
	size_t room = room_of(grid, style->width > indent ? style->width - indent : 0);
	for (size_t first = 0; first < grid->cells; first += grid->columns)
		add_row(grid, table, first, room, style->color);
	int error = scols_print_table_to_string(table, &drawn);
	scols_unref_table(table);
	if (error)
		return error;
	add_trimmed(out, indent, drawn ? drawn : (char[]){ "" });
	if (out->length && out->at[out->length - 1] != '\n')
		text_add(out, "\n");
	return 0;
}

void grid_done(struct grid *grid)
{
	for (size_t i = 0; i < grid->cells; i++)
		free(grid->cell[i]);
	free(grid->cell);
	free(grid->tone);
	*grid = (struct grid){ 0 };
}
