#include "report/table.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/head.h"

enum { INDENT = 2, HANG = 6, MOST_FIGURES = CLASSIC_COLUMNS * CLASSIC_BANDS };

/* The grid of cache sizes is three an octave, and an edge is blurred by a step on either side: two steps are 1.59. */
static const double cache_tolerance = 1.6;

/* The figures of a table, band after band. Optional bands that the run has nothing of are left out; of a selection also
 * every other band and column that nobody asked for. */
struct cells {
	size_t columns, bands;
	size_t column[CLASSIC_COLUMNS], band[CLASSIC_BANDS];
	struct figure figure[MOST_FIGURES];
};

static bool has_column(const struct run *run, const struct classic_table *table, size_t column)
{
	for (size_t band = 0; band < classic_bands(table); band++) {
		if (classic_figure(run, table, &table->column[column], band).point)
			return true;
	}
	return false;
}

static struct figure *figures_of_band(struct cells *cells, size_t band)
{
	return &cells->figure[band * cells->columns];
}

static struct cells cells_of(const struct run *run, const struct classic_table *table)
{
	struct cells cells = { 0 };
	bool selected = run->selection != NULL;

	for (size_t i = 0; i < classic_columns(table); i++) {
		if (!selected || has_column(run, table, i))
			cells.column[cells.columns++] = i;
	}
	for (size_t band = 0; band < classic_bands(table); band++) {
		if ((selected || table->band[band].optional) && !classic_has_band(run, table, band))
			continue;
		for (size_t i = 0; i < cells.columns; i++)
			figures_of_band(&cells, cells.bands)[i] =
				classic_figure(run, table, &table->column[cells.column[i]], band);
		cells.band[cells.bands++] = band;
	}
	return cells;
}

/* Which band a figure belongs to is told where there are several; what no band has is told once, without one. */
static void name_bands(struct cells *cells, const struct classic_table *table)
{
	for (size_t i = 0; i < cells->columns && cells->bands > 1; i++) {
		bool present = false;
		for (size_t band = 0; band < cells->bands; band++)
			present |= figures_of_band(cells, band)[i].point != NULL;
		for (size_t band = 0; band < cells->bands; band++) {
			figures_of_band(cells, band)[i].band = present ? table->band[cells->band[band]].name : NULL;
			figures_of_band(cells, band)[i].said = !present && band;
		}
	}
}

static void add_title(const struct classic_table *table, const struct show_style *style, struct text *out)
{
	static const char *const better[] = { "", " – less is better", " – more is better" };
	auto_free char *words = mem_text("%s%s%s%s", table->title, table->shown ? ", " : "",
					 table->shown ? table->shown : "", better[table->better]);

	text_add(out, "\n");
	heading_add(out, style, words);
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

static void add_headings(struct grid *grid, const struct classic_table *table, const struct cells *cells,
			 const struct show_style *style)
{
	bool broken = false;

	for (size_t i = 0; i < cells->columns; i++)
		broken |= strchr(table->column[cells->column[i]].heading, ' ') != NULL;
	for (unsigned line = broken ? 0 : 1; line < 2; line++) {
		grid_add(grid, style, TONE_HEAD, "");
		for (size_t i = 0; i < cells->columns; i++) {
			auto_free char *part = heading_part(table->column[cells->column[i]].heading, line);
			grid_add(grid, style, TONE_HEAD, part);
		}
	}
	if (table->shown)
		return;
	grid_add(grid, style, TONE_DIM, "unit");
	for (size_t i = 0; i < cells->columns; i++)
		grid_add(grid, style, TONE_DIM, table->column[cells->column[i]].shown);
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

static void add_kernel_sizes(struct grid *grid, const struct show_style *style, const struct run *run,
			     const struct cells *cells)
{
	char words[NUMBER_TEXT];

	grid_add(grid, style, TONE_NONE, "kernel says");
	for (size_t i = 0; i < cells->columns; i++)
		grid_add(grid, style, TONE_NONE,
			 kernel_size(words, head_kernel_cache(run, (unsigned)cells->column[i] + 1)));
}

static bool any(const struct figure *figure, size_t count, bool (*has)(const struct figure *))
{
	for (size_t i = 0; i < count; i++) {
		if (has(&figure[i]))
			return true;
	}
	return false;
}

/* The bounds of the cycles are those of the time, at the clock beside it: the long form tells them. */
static void add_band(struct grid *grid, const struct show_style *style, const char *name, const struct figure *figure,
		     size_t count, bool cycles)
{
	add_row(grid, style, name, TONE_HEAD, figure, count, figure_value);
	if (any(figure, count, figure_has_interval)) {
		add_row(grid, style, "  low", TONE_NONE, figure, count, figure_low);
		add_row(grid, style, "  high", TONE_NONE, figure, count, figure_high);
	}
	add_verdicts(grid, style, figure, count);
	if (cycles && any(figure, count, figure_has_cycles))
		add_row(grid, style, "  cycles", TONE_NONE, figure, count, figure_cycles);
}

static void fill(struct grid *grid, const struct run *run, const struct classic_table *table, struct cells *cells,
		 const struct show_style *style)
{
	add_headings(grid, table, cells, style);
	for (size_t band = 0; band < cells->bands; band++)
		add_band(grid, style, table->band[cells->band[band]].name, figures_of_band(cells, band), cells->columns,
			 table->cycles);
	if (table->cache_sizes)
		add_kernel_sizes(grid, style, run, cells);
}

static bool agrees(const struct point *point, double kernel)
{
	if (number_has_interval(point->low, point->high) && kernel >= point->low && kernel <= point->high)
		return true;
	return point->value < kernel * cache_tolerance && kernel < point->value * cache_tolerance;
}

/* What is to be said of one level; NULL when measurement and kernel agree. Caller frees. */
static char *cache_words(const struct figure *figure, double kernel)
{
	char says[NUMBER_TEXT], measured[NUMBER_TEXT];

	if (kernel == 0)
		return mem_text("%s: the kernel reports no size, so there is nothing to compare with.", figure->name);
	kernel_size(says, (uint64_t)kernel);
	if (!figure->usable)
		return mem_text("%s: nothing was measured that could be compared with the kernel's %s KiB.", figure->name,
				says);
	if (agrees(figure->point, kernel))
		return NULL;
	return mem_text("%s: measured %s KiB, the kernel says %s KiB: a guest may be told others, others may share it.",
			figure->name, figure_value(measured, figure), says);
}

/* Reported and measured sizes are kept apart; where they differ a reader must not have to find it out alone. */
static void explain_caches(const struct run *run, const struct cells *cells, const struct show_style *style,
			   struct text *out)
{
	auto_text struct text agreeing = { 0 }, others = { 0 };

	for (size_t i = 0; i < cells->columns; i++) {
		double kernel = (double)head_kernel_cache(run, (unsigned)cells->column[i] + 1);
		auto_free char *words = cache_words(&cells->figure[i], kernel);
		if (words)
			paragraph_add(&others, style, INDENT, HANG, words);
		else
			text_add(&agreeing, "%s%s", agreeing.length ? ", " : "", cells->figure[i].name);
	}
	if (agreeing.length) {
		text_add(&agreeing, ": measurement and kernel agree.");
		paragraph_add(out, style, INDENT, HANG, text_get(&agreeing));
	}
	text_add(out, "%s", text_get(&others));
}

/* Only figures that the run has; that and why the others are missing is said beneath. */
static int draw_long(struct cells *cells, const struct classic_table *table, const struct show_style *style,
		     struct text *out)
{
	int error = 0;

	for (size_t band = 0; !error && band < cells->bands; band++) {
		struct figure present[CLASSIC_COLUMNS];
		size_t count = 0;
		for (size_t i = 0; i < cells->columns; i++) {
			if (figures_of_band(cells, band)[i].point)
				present[count++] = figures_of_band(cells, band)[i];
		}
		if (cells->bands > 1 && count) {
			auto_free char *head = mem_text("%s:", table->band[cells->band[band]].name);
			paragraph_add(out, style, INDENT, INDENT, head);
		}
		if (count)
			error = figures_list(present, count, style, out);
	}
	return error;
}

static void say_copies(const struct run *run, const struct show_style *style, struct text *out)
{
	auto_free char *words = mem_text("scal load: %u (copies of a bench that ran at once: a setting, not a figure)",
					 classic_copies(run));

	paragraph_add(out, style, INDENT, HANG, words);
}

int table_draw(const struct run *run, const struct classic_table *table, const struct show_style *style,
	       struct text *out)
{
	static const bool right[CLASSIC_COLUMNS + 1] = { false, true, true, true, true, true, true, true, true, true, true };
	struct cells cells = cells_of(run, table);
	auto_grid struct grid grid = { .columns = cells.columns + 1, .right = right };
	int error;

	name_bands(&cells, table);
	add_title(table, style, out);
	fill(&grid, run, table, &cells, style);
	if (!style->long_form && INDENT + grid_width(&grid) <= style->width)
		error = grid_draw(&grid, style, INDENT, out);
	else
		error = draw_long(&cells, table, style, out);
	figures_explain(cells.figure, cells.bands * cells.columns, style, out);
	if (table->cache_sizes)
		explain_caches(run, &cells, style, out);
	if (table->copies && !run->selection)
		say_copies(run, style, out);
	return error;
}
