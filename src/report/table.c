#include "report/table.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/head.h"
#include "report/plain.h"

enum { INDENT = 2, HANG = 6, MOST_FIGURES = CLASSIC_COLUMNS * CLASSIC_BANDS };

/* The grid of cache sizes is three an octave, and an edge is blurred by a step on either side: two steps are 1.59. */
static const double cache_tolerance = 1.6;

/* The figures of a table, band after band; optional bands that the run has nothing of are left out. */
struct cells {
	size_t columns, bands;
	size_t band[CLASSIC_BANDS];
	struct figure figure[MOST_FIGURES];
};

static struct cells cells_of(const struct run *run, const struct classic_table *table)
{
	struct cells cells = { .columns = classic_columns(table) };

	for (size_t band = 0; band < classic_bands(table); band++) {
		if (table->band[band].optional && !classic_has_band(run, table, band))
			continue;
		for (size_t i = 0; i < cells.columns; i++)
			cells.figure[cells.bands * cells.columns + i] =
				classic_figure(run, table, &table->column[i], band);
		cells.band[cells.bands++] = band;
	}
	return cells;
}

static void add_title(const struct classic_table *table, const struct show_style *style, struct text *out)
{
	static const char *const better[] = { "", " – less is better", " – more is better" };
	auto_free char *words = mem_text("%s%s%s%s", table->title, table->shown ? ", " : "",
					 table->shown ? table->shown : "", better[table->better]);
	auto_free char *plain = plain_copy(words, style->utf8);

	text_add(out, "\n");
	tone_add(out, style, TONE_HEAD, plain);
	text_add(out, "\n");
	if (table->about)
		paragraph_add(out, style, INDENT, INDENT, table->about);
}

/* Part `line` (0 or 1) of a heading that its blank breaks in two; one without a blank stands in the lower line. */
static char *heading_part(const char *heading, unsigned line)
{
	const char *blank = strchr(heading, ' ');

	if (!blank)
		return mem_copy(line ? heading : "");
	return line ? mem_copy(blank + 1) : mem_text("%.*s", (int)(blank - heading), heading);
}

static void add_headings(struct grid *grid, const struct classic_table *table, const struct show_style *style)
{
	bool broken = false;

	for (size_t i = 0; i < classic_columns(table); i++)
		broken |= strchr(table->column[i].heading, ' ') != NULL;
	for (unsigned line = broken ? 0 : 1; line < 2; line++) {
		grid_add(grid, style, TONE_HEAD, "");
		for (size_t i = 0; i < classic_columns(table); i++) {
			auto_free char *part = heading_part(table->column[i].heading, line);
			grid_add(grid, style, TONE_HEAD, part);
		}
	}
	if (table->shown)
		return;
	grid_add(grid, style, TONE_DIM, "unit");
	for (size_t i = 0; i < classic_columns(table); i++)
		grid_add(grid, style, TONE_DIM, table->column[i].shown);
}

typedef char *text_of_figure(char out[NUMBER_TEXT], const struct figure *figure);

static void add_row(struct grid *grid, const struct show_style *style, const char *label, enum grid_tone tone,
		    const struct figure *figure, size_t count, text_of_figure *words_of)
{
	char words[NUMBER_TEXT];

	grid_add(grid, style, TONE_NONE, label);
	for (size_t i = 0; i < count; i++)
		grid_add(grid, style, tone, words_of(words, &figure[i]));
}

static void add_verdicts(struct grid *grid, const struct show_style *style, const struct figure *figure, size_t count)
{
	grid_add(grid, style, TONE_NONE, "  verdict");
	for (size_t i = 0; i < count; i++)
		grid_add(grid, style, figure_tone(&figure[i]), figure_mark(&figure[i]));
}

static char *kernel_size(char out[NUMBER_TEXT], uint64_t bytes)
{
	return bytes ? number_format(out, (double)bytes / 1024, 0, NUMBER_NEAREST) : strcpy(out, "–");
}

static void add_kernel_sizes(struct grid *grid, const struct show_style *style, const struct run *run, size_t count)
{
	char words[NUMBER_TEXT];

	grid_add(grid, style, TONE_NONE, "kernel says");
	for (unsigned level = 1; level <= count; level++)
		grid_add(grid, style, TONE_NONE, kernel_size(words, head_kernel_cache(run, level)));
}

static void fill(struct grid *grid, const struct run *run, const struct classic_table *table,
		 const struct cells *cells, const struct show_style *style)
{
	add_headings(grid, table, style);
	for (size_t band = 0; band < cells->bands; band++) {
		const struct figure *figure = &cells->figure[band * cells->columns];
		bool cycles = false;
		for (size_t i = 0; i < cells->columns; i++)
			cycles |= table->cycles && figure_has_cycles(&figure[i]);
		add_row(grid, style, table->band[cells->band[band]].name, TONE_HEAD, figure, cells->columns,
			figure_value);
		add_row(grid, style, "  low", TONE_NONE, figure, cells->columns, figure_low);
		add_row(grid, style, "  high", TONE_NONE, figure, cells->columns, figure_high);
		add_verdicts(grid, style, figure, cells->columns);
		if (!cycles)
			continue;
		add_row(grid, style, "cycles", TONE_HEAD, figure, cells->columns, figure_cycles);
		add_row(grid, style, "  low", TONE_NONE, figure, cells->columns, figure_cycles_low);
		add_row(grid, style, "  high", TONE_NONE, figure, cells->columns, figure_cycles_high);
	}
	if (table->cache_sizes)
		add_kernel_sizes(grid, style, run, cells->columns);
}

static bool agrees(const struct point *point, double kernel)
{
	if (number_has_interval(point->low, point->high) && kernel >= point->low && kernel <= point->high)
		return true;
	return point->value < kernel * cache_tolerance && kernel < point->value * cache_tolerance;
}

/* Reported and measured sizes are kept apart; where they differ a reader must not have to find it out alone. */
static void explain_caches(const struct run *run, const struct cells *cells, const struct show_style *style,
			   struct text *out)
{
	for (unsigned level = 1; level <= cells->columns; level++) {
		const struct figure *figure = &cells->figure[level - 1];
		double kernel = (double)head_kernel_cache(run, level);
		char says[NUMBER_TEXT], measured[NUMBER_TEXT];
		auto_text struct text words = { 0 };
		kernel_size(says, (uint64_t)kernel);
		figure_value(measured, figure);
		if (kernel == 0)
			text_add(&words, "%s: the kernel reports no size, so there is nothing to compare with.",
				 figure->name);
		else if (!figure->usable)
			text_add(&words, "%s: nothing was measured that could be compared with the kernel's %s KiB.",
				 figure->name, says);
		else if (agrees(figure->point, kernel))
			text_add(&words, "%s: measurement and kernel agree.", figure->name);
		else
			text_add(&words, "%s: they disagree: measured %s KiB, the kernel says %s KiB. A guest may be told "
				 "other caches than it has, and a shared cache may be partly in others' use.",
				 figure->name, measured, says);
		paragraph_add(out, style, INDENT, HANG, text_get(&words));
	}
}

/* A figure that no band of the table has is said once, not under every band. */
static void explain_absent(struct cells *cells, const struct show_style *style, struct text *out)
{
	auto_text struct text names = { 0 };

	for (size_t i = 0; i < cells->columns && cells->bands > 1; i++) {
		bool present = false;
		for (size_t band = 0; band < cells->bands; band++)
			present |= cells->figure[band * cells->columns + i].point != NULL;
		if (present)
			continue;
		text_add(&names, "%s%s", names.length ? ", " : "", cells->figure[i].name);
		for (size_t band = 0; band < cells->bands; band++)
			cells->figure[band * cells->columns + i].said = true;
	}
	if (names.length) {
		text_add(&names, ": not part of this run");
		paragraph_add(out, style, INDENT, HANG, text_get(&names));
	}
}

static int draw_wide(const struct grid *grid, struct cells *cells, const struct classic_table *table,
		     const struct show_style *style, struct text *out)
{
	int error = grid_draw(grid, style, INDENT, out);

	explain_absent(cells, style, out);
	for (size_t band = 0; !error && band < cells->bands; band++) {
		auto_text struct text words = { 0 };
		figures_explain(&cells->figure[band * cells->columns], cells->columns, style, &words);
		if (words.length && cells->bands > 1) {
			auto_free char *head = mem_text("About %s:", table->band[cells->band[band]].name);
			paragraph_add(out, style, INDENT, INDENT, head);
		}
		text_add(out, "%s", text_get(&words));
	}
	return error;
}

static int draw_long(const struct cells *cells, const struct classic_table *table, const struct show_style *style,
		     struct text *out)
{
	int error = 0;

	for (size_t band = 0; !error && band < cells->bands; band++) {
		const struct figure *figure = &cells->figure[band * cells->columns];
		if (cells->bands > 1) {
			auto_free char *head = mem_text("%s:", table->band[cells->band[band]].name);
			paragraph_add(out, style, INDENT, INDENT, head);
		}
		error = figures_list(figure, cells->columns, style, out);
		figures_explain(figure, cells->columns, style, out);
	}
	return error;
}

int table_draw(const struct run *run, const struct classic_table *table, const struct show_style *style,
	       struct text *out)
{
	static const bool right[CLASSIC_COLUMNS + 1] = { false, true, true, true, true, true, true, true, true, true, true };
	struct cells cells = cells_of(run, table);
	auto_grid struct grid grid = { .columns = cells.columns + 1, .right = right };
	int error;

	add_title(table, style, out);
	fill(&grid, run, table, &cells, style);
	if (!style->long_form && INDENT + grid_width(&grid) <= style->width)
		error = draw_wide(&grid, &cells, table, style, out);
	else
		error = draw_long(&cells, table, style, out);
	if (!error && table->cache_sizes)
		explain_caches(run, &cells, style, out);
	return error;
}
