/* Figures one a line. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/figure.h"
#include "report/plain.h"

enum { INDENT = 2, DEEPER = 4, MOST_COLUMNS = 10 };

enum cycles { CYCLES_NONE, CYCLES_SHORT, CYCLES_FULL };

/* Which columns a list has; the others are the same for all. */
struct shape {
	bool names, intervals, details;
	enum cycles cycles;
	bool right[MOST_COLUMNS];
	size_t columns;
};

static void shape_column(struct shape *shape, bool right)
{
	shape->right[shape->columns++] = right;
}

static struct shape shape_of(const struct figure *figure, size_t count, bool names, enum cycles cycles, bool details)
{
	struct shape shape = { .names = names, .details = details };

	for (size_t i = 0; i < count; i++) {
		shape.intervals |= figure_has_interval(&figure[i]);
		if (figure_has_cycles(&figure[i]))
			shape.cycles = cycles;
	}
	if (names)
		shape_column(&shape, false);
	shape_column(&shape, true);  /* value */
	shape_column(&shape, false); /* unit */
	if (shape.intervals) {
		shape_column(&shape, false); /* low … high */
		shape_column(&shape, true);  /* ± % */
	}
	if (shape.cycles != CYCLES_NONE)
		shape_column(&shape, shape.cycles == CYCLES_SHORT);
	if (details) {
		shape_column(&shape, true); /* rounds */
		shape_column(&shape, true); /* batches */
		shape_column(&shape, true); /* noise */
	}
	shape_column(&shape, false); /* verdict */
	return shape;
}

static void add_heads(struct grid *grid, const struct shape *shape, const struct show_style *style)
{
	if (shape->names)
		grid_add(grid, style, TONE_HEAD, "figure");
	grid_add(grid, style, TONE_HEAD, "value");
	grid_add(grid, style, TONE_HEAD, "unit");
	if (shape->intervals) {
		grid_add(grid, style, TONE_HEAD, "low … high");
		grid_add(grid, style, TONE_HEAD, "± %");
	}
	if (shape->cycles != CYCLES_NONE)
		grid_add(grid, style, TONE_HEAD, shape->cycles == CYCLES_FULL ? "cycles (low … high)" : "cycles");
	if (shape->details) {
		grid_add(grid, style, TONE_HEAD, "rounds");
		grid_add(grid, style, TONE_HEAD, "batches");
		grid_add(grid, style, TONE_HEAD, "noise");
	}
	grid_add(grid, style, TONE_HEAD, "verdict");
}

static void add_interval(struct grid *grid, const struct figure *figure, const struct show_style *style)
{
	char low[NUMBER_TEXT], high[NUMBER_TEXT];
	auto_text struct text cell = { 0 };

	if (figure_has_interval(figure))
		text_add(&cell, "%s … %s", figure_low(low, figure), figure_high(high, figure));
	grid_add(grid, style, TONE_NONE, cell.length ? text_get(&cell) : "–");
	grid_add(grid, style, TONE_NONE, figure_percent(low, figure));
}

static void add_cycles(struct grid *grid, const struct figure *figure, enum cycles cycles,
		       const struct show_style *style)
{
	char value[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];
	auto_text struct text cell = { 0 };

	text_add(&cell, "%s", figure_cycles(value, figure));
	if (cycles == CYCLES_FULL && figure_has_cycles(figure) &&
	    number_has_interval(figure->point->cycles_low, figure->point->cycles_high))
		text_add(&cell, " (%s … %s)", figure_cycles_low(low, figure), figure_cycles_high(high, figure));
	grid_add(grid, style, TONE_NONE, text_get(&cell));
}

static char *noise_words(const struct point *point)
{
	char percent[NUMBER_TEXT];

	if (!point || !isfinite(point->noise))
		return mem_copy("–");
	return mem_text("%s %%", number_format(percent, 100 * point->noise, -1, NUMBER_NEAREST));
}

static void add_details(struct grid *grid, const struct figure *figure, const struct show_style *style)
{
	const struct point *point = figure->point;
	auto_free char *rounds = point ? mem_text("%u", point->rounds) : mem_copy("–");
	auto_free char *batches = point ? mem_text("%" PRIu64, point->samples) : mem_copy("–");
	auto_free char *noise = noise_words(point);

	grid_add(grid, style, TONE_NONE, rounds);
	grid_add(grid, style, TONE_NONE, batches);
	grid_add(grid, style, TONE_NONE, noise);
}

static void add_figure(struct grid *grid, const struct shape *shape, const struct figure *figure,
		       const struct show_style *style)
{
	char value[NUMBER_TEXT];

	if (shape->names)
		grid_add(grid, style, TONE_NONE, figure->name);
	grid_add(grid, style, TONE_HEAD, figure_value(value, figure));
	grid_add(grid, style, TONE_NONE, figure->unit);
	if (shape->intervals)
		add_interval(grid, figure, style);
	if (shape->cycles != CYCLES_NONE)
		add_cycles(grid, figure, shape->cycles, style);
	if (shape->details)
		add_details(grid, figure, style);
	grid_add(grid, style, figure_tone(figure), figure->word);
}

static void fill(struct grid *grid, const struct shape *shape, const struct figure *figure, size_t count,
		 const struct show_style *style)
{
	*grid = (struct grid){ .columns = shape->columns, .right = shape->right };
	add_heads(grid, shape, style);
	for (size_t i = 0; i < count; i++)
		add_figure(grid, shape, &figure[i], style);
}

static void add_name_line(const struct figure *figure, const struct show_style *style, struct text *out)
{
	auto_text struct text line = { 0 };
	auto_free char *noise = noise_words(figure->point);

	text_add(&line, "%s", figure->name);
	if (style->long_form && figure->point)
		text_add(&line, " (%u rounds, %" PRIu64 " batches, noise %s)", figure->point->rounds,
			 figure->point->samples, noise);
	paragraph_add(out, style, INDENT, DEEPER, text_get(&line));
}

/* The grid's lines, each below the name and the details of its figure. */
static int draw_under_names(const struct grid *grid, const struct figure *figure, size_t count,
			    const struct show_style *style, struct text *out)
{
	auto_text struct text drawn = { 0 };
	int error = grid_draw(grid, style, DEEPER, &drawn);
	auto_free char *lines = text_take(&drawn);
	char *rest = lines;

	if (error)
		return error;
	text_add(out, "%s\n", strsep(&rest, "\n"));
	for (size_t i = 0; i < count && rest; i++) {
		add_name_line(&figure[i], style, out);
		text_add(out, "%s\n", strsep(&rest, "\n"));
	}
	return 0;
}

int figures_list(const struct figure *figure, size_t count, const struct show_style *style, struct text *out)
{
	/* From the richest; details move to the line of the name when that has one of its own. */
	static const struct {
		bool names;
		enum cycles cycles;
	} shapes[] = { { true, CYCLES_FULL }, { true, CYCLES_SHORT }, { false, CYCLES_FULL }, { false, CYCLES_SHORT },
		       { false, CYCLES_NONE } };

	for (size_t i = 0;; i++) {
		bool names = shapes[i].names, last = i + 1 == countof(shapes);
		struct shape shape = shape_of(figure, count, names, shapes[i].cycles, names && style->long_form);
		auto_grid struct grid grid = { 0 };
		fill(&grid, &shape, figure, count, style);
		if (!last && (names ? INDENT : DEEPER) + grid_width(&grid) > style->width)
			continue;
		return names ? grid_draw(&grid, style, INDENT, out) :
			       draw_under_names(&grid, figure, count, style, out);
	}
}
