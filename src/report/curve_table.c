#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/curve.h"
#include "report/figure.h"

enum { INDENT = 2, MOST_COLUMNS = 64 };

/* What can be told of each figure, in the order of columns. */
enum part {
	PART_VALUE, PART_LOW, PART_HIGH, PART_PERCENT, PART_CYCLES, PART_ROUNDS, PART_BATCHES, PART_NOISE, PART_VERDICT,
	PART_COUNT
};

#define BIT(part) (1u << (part))
#define BOUNDS (BIT(PART_LOW) | BIT(PART_HIGH))
#define DETAILS (BIT(PART_ROUNDS) | BIT(PART_BATCHES) | BIT(PART_NOISE))
#define LEAST (BIT(PART_VALUE) | BIT(PART_VERDICT))

/* From the richest; the first one that fits is taken. */
static const unsigned shapes[] = {
	LEAST | BOUNDS | BIT(PART_PERCENT) | BIT(PART_CYCLES) | DETAILS, /* the long form only */
	LEAST | BOUNDS | BIT(PART_PERCENT) | BIT(PART_CYCLES),
	LEAST | BOUNDS | BIT(PART_PERCENT),
	LEAST | BOUNDS,
	LEAST | BIT(PART_PERCENT),
};

/* Siblings side by side: figures curve by curve, one for each row. */
struct sheet {
	const struct curve *const *curve;
	size_t curves, rows;
	char **value; /* of the param, one a row */
	char **name;  /* "size=64k" */
	double *x;
	struct figure *figure;
};

static const struct figure *figure_at(const struct sheet *sheet, size_t curve, size_t row)
{
	return &sheet->figure[curve * sheet->rows + row];
}

static void add_value(struct sheet *sheet, const struct curve *curve, const struct curve_point *point)
{
	size_t at = sheet->rows;

	for (size_t i = 0; i < sheet->rows; i++) {
		if (!strcmp(sheet->value[i], point->value))
			return;
	}
	for (; at > 0 && sheet->x[at - 1] > point->x; at--) {
		sheet->x[at] = sheet->x[at - 1];
		sheet->value[at] = sheet->value[at - 1];
		sheet->name[at] = sheet->name[at - 1];
	}
	sheet->x[at] = point->x;
	sheet->value[at] = point->value;
	sheet->name[at] = mem_text("%s=%s", curve->param, point->value);
	sheet->rows++;
}

static const struct point *point_of(const struct curve *curve, const char *value)
{
	for (size_t i = 0; i < curve->points; i++) {
		if (!strcmp(curve->point[i].value, value))
			return curve->point[i].point;
	}
	return NULL;
}

/* One unit for all, that of the smallest value: a curve is read by comparing. */
static struct figure pattern_of(const struct curve *const *curve, size_t count)
{
	struct figure least = figure_of_point(curve[0]->point[0].point);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < curve[i]->points; j++) {
			struct figure figure = figure_of_point(curve[i]->point[j].point);
			if (figure.usable &&
			    (!least.usable || fabs(figure.point->value) < fabs(least.point->value)))
				least = figure;
		}
	}
	return least;
}

static struct sheet sheet_of(const struct curve *const *curve, size_t count)
{
	struct sheet sheet = { .curve = curve, .curves = count };
	struct figure pattern = pattern_of(curve, count);
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		most += curve[i]->points;
	sheet.value = mem_new(most, sizeof *sheet.value);
	sheet.name = mem_new(most, sizeof *sheet.name);
	sheet.x = mem_new(most, sizeof *sheet.x);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < curve[i]->points; j++)
			add_value(&sheet, curve[i], &curve[i]->point[j]);
	}
	sheet.figure = mem_new(count * sheet.rows, sizeof *sheet.figure);
	for (size_t i = 0; i < count * sheet.rows; i++) {
		const struct curve *of = curve[i / sheet.rows];
		size_t row = i % sheet.rows;
		struct figure *figure = &sheet.figure[i];
		*figure = figure_of(sheet.name[row], point_of(of, sheet.value[row]), pattern.point->unit, pattern.unit,
				    pattern.scale);
		figure->band = count > 1 && *of->variant ? of->variant : NULL;
		figure->said = !figure->point; /* an empty cell: that value was not asked for */
	}
	return sheet;
}

static void sheet_done(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->rows; i++)
		free(sheet->name[i]);
	free(sheet->name);
	free(sheet->value);
	free(sheet->x);
	free(sheet->figure);
}

/* Parts that any figure has; columns of nothing but dashes are left out. */
static unsigned parts_there(const struct sheet *sheet)
{
	unsigned parts = LEAST | DETAILS;

	for (size_t i = 0; i < sheet->curves * sheet->rows; i++) {
		if (figure_has_interval(&sheet->figure[i]))
			parts |= BOUNDS | BIT(PART_PERCENT);
		if (figure_has_cycles(&sheet->figure[i]))
			parts |= BIT(PART_CYCLES);
	}
	return parts;
}

static const char *part_words(char out[NUMBER_TEXT], const struct figure *figure, enum part part, bool brief)
{
	const struct point *point = figure->point;

	if (!point)
		return "";
	switch (part) {
	case PART_VALUE:
		return figure_value(out, figure);
	case PART_LOW:
		return figure_low(out, figure);
	case PART_HIGH:
		return figure_high(out, figure);
	case PART_PERCENT:
		return figure_percent(out, figure);
	case PART_CYCLES:
		return figure_cycles(out, figure);
	case PART_ROUNDS:
		snprintf(out, NUMBER_TEXT, "%u", point->rounds);
		return out;
	case PART_BATCHES:
		snprintf(out, NUMBER_TEXT, "%" PRIu64, point->samples);
		return out;
	case PART_NOISE:
		return isfinite(point->noise) ? number_format(out, 100 * point->noise, -1, NUMBER_NEAREST) : "–";
	default:
		return brief ? figure_mark(figure) : figure->word;
	}
}

static enum grid_tone part_tone(const struct figure *figure, enum part part)
{
	return part == PART_VALUE ? TONE_HEAD : part == PART_VERDICT ? figure_tone(figure) : TONE_NONE;
}

/* Curves `begin` to `end` of a sheet in one shape. */
struct cut {
	size_t begin, end;
	unsigned parts;
	bool right[MOST_COLUMNS];
};

static void add_heads(struct grid *grid, const struct sheet *sheet, const struct cut *cut,
		      const struct show_style *style)
{
	static const char *const heads[] = { "value", "low", "high", "± %", "cycles", "rounds", "batches", "noise %",
					     "verdict" };
	bool several = cut->end - cut->begin > 1;

	for (unsigned line = several ? 0 : 1; line < 2; line++) {
		grid_add(grid, style, TONE_HEAD, line ? sheet->curve[0]->param : "");
		for (size_t curve = cut->begin; curve < cut->end; curve++) {
			for (unsigned part = 0; part < PART_COUNT; part++) {
				if (cut->parts & BIT(part))
					grid_add(grid, style, TONE_HEAD, line ? heads[part] :
						 part == PART_VALUE ? sheet->curve[curve]->variant : "");
			}
		}
	}
}

static void fill(struct grid *grid, const struct sheet *sheet, struct cut *cut, const struct show_style *style)
{
	bool several = cut->end - cut->begin > 1;
	char words[NUMBER_TEXT];
	size_t columns = 0;

	cut->right[columns++] = true;
	for (size_t curve = cut->begin; curve < cut->end; curve++) {
		for (unsigned part = 0; part < PART_COUNT; part++) {
			if (cut->parts & BIT(part))
				cut->right[columns++] = part != PART_VERDICT;
		}
	}
	*grid = (struct grid){ .columns = columns, .right = cut->right };
	add_heads(grid, sheet, cut, style);
	for (size_t row = 0; row < sheet->rows; row++) {
		grid_add(grid, style, TONE_HEAD, sheet->value[row]);
		for (size_t curve = cut->begin; curve < cut->end; curve++) {
			const struct figure *figure = figure_at(sheet, curve, row);
			for (unsigned part = 0; part < PART_COUNT; part++) {
				if (cut->parts & BIT(part))
					grid_add(grid, style, part_tone(figure, part),
						 part_words(words, figure, part, several));
			}
		}
	}
}

/* "mem.latency:random/page=huge,spacing=64, ns – less is better"; variants side by side stand over their columns. */
static void add_title(const struct sheet *sheet, const struct cut *cut, const struct show_style *style,
		      struct text *out)
{
	static const char *const better[] = { "", " – less is better", " – more is better" };
	const struct curve *curve = sheet->curve[cut->begin];
	const struct figure *figure = &sheet->figure[cut->begin * sheet->rows];
	const struct point *point = curve->point[0].point;
	bool named = cut->end - cut->begin == 1 && *curve->variant, unit = figure->unit && *figure->unit;
	auto_free char *words = mem_text("%s%s%s%s%s%s%s%s", curve->bench, named ? ":" : "", named ? curve->variant : "",
					 *curve->others ? "/" : "", curve->others, unit ? ", " : "",
					 unit ? figure->unit : "", better[point->better]);

	text_add(out, "\n");
	heading_add(out, style, words);
	if (style->long_form && point->title)
		paragraph_add(out, style, INDENT, INDENT, point->title);
}

/* Draws from curve `begin` as many as fit beside each other; how many, or -errno. The long form has one at a time. */
static int draw_some(const struct sheet *sheet, size_t begin, const struct show_style *style, struct text *out)
{
	unsigned there = parts_there(sheet);

	for (size_t count = style->long_form ? 1 : sheet->curves - begin;; count--) {
		for (size_t i = style->long_form ? 0 : 1; i < countof(shapes); i++) {
			struct cut cut = { .begin = begin, .end = begin + count, .parts = shapes[i] & there };
			bool last = count == 1 && i + 1 == countof(shapes);
			auto_grid struct grid grid = { 0 };
			if (1 + count * PART_COUNT > MOST_COLUMNS)
				break;
			fill(&grid, sheet, &cut, style);
			if (!last && INDENT + grid_width(&grid) > style->width)
				continue;
			add_title(sheet, &cut, style, out);
			int error = grid_draw(&grid, style, INDENT, out);
			return error < 0 ? error : (int)count;
		}
	}
}

int curves_draw(const struct curve *const *curve, size_t count, const struct show_style *style, struct text *out)
{
	struct sheet sheet = sheet_of(curve, count);
	struct show_style brief = *style;
	int drawn = 0;

	for (size_t begin = 0; drawn >= 0 && begin < count; begin += (size_t)drawn) {
		drawn = draw_some(&sheet, begin, style, out);
		if (drawn < 0)
			break;
	}
	brief.long_form = false; /* which points they are is said by title and rows */
	figures_explain(sheet.figure, count * sheet.rows, &brief, out);
	sheet_done(&sheet);
	return drawn < 0 ? drawn : 0;
}
