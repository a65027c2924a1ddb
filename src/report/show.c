#include "report/show.h"

#include <string.h>

#include "base/mem.h"
#include "report/classic.h"
#include "report/figure.h"
#include "report/head.h"
#include "report/table.h"

enum { HANG = 4, FEW_OTHERS = 40 };

/* The bench's room, "mem" of mem.latency: figures are listed room by room. */
static bool same_room(const char *a, const char *b)
{
	size_t length = strcspn(a, ".");

	return strcspn(b, ".") == length && !strncmp(a, b, length);
}

static int list_points(const struct point *const *point, size_t count, const struct show_style *style,
		       struct text *out)
{
	struct figure *figure = mem_new(count + 1, sizeof *figure);
	int error = 0;

	for (size_t i = 0; i < count; i++)
		figure[i] = figure_of_point(point[i]);
	for (size_t begin = 0, end; !error && begin < count; begin = end) {
		end = begin + 1;
		while (end < count && same_room(figure[begin].name, figure[end].name))
			end++;
		text_add(out, "\n");
		error = figures_list(&figure[begin], end - begin, style, out);
		figures_explain(&figure[begin], end - begin, style, out);
	}
	mem_free_ptr(&figure);
	return error;
}

/* Points in the run's order, those of one room together: the rooms come in the order of their first point. */
static size_t collect(const struct run *run, bool others_only, const struct point **ret_point)
{
	bool *taken = mem_new(run->points + 1, sizeof *taken);
	size_t count = 0;

	if (others_only)
		classic_mark(run, taken);
	for (size_t i = 0; i < run->points; i++) {
		for (size_t j = i; !taken[i] && j < run->points; j++) {
			if (taken[j] || (j > i && !same_room(run->point[i].id, run->point[j].id)))
				continue;
			ret_point[count++] = &run->point[j];
			if (j > i)
				taken[j] = true;
		}
		taken[i] = true;
	}
	mem_free_ptr(&taken);
	return count;
}

static int show_points(const struct run *run, const struct show_style *style, bool others_only, struct text *out)
{
	const struct point **point = mem_new(run->points + 1, sizeof *point);
	size_t count = collect(run, others_only, point);
	bool selected = run->selection != NULL;
	int error = 0;

	if (count && others_only) {
		text_add(out, "\n");
		tone_add(out, style, TONE_HEAD, "Other figures");
		text_add(out, "\n");
	}
	if (others_only && !selected && count > FEW_OTHERS) {
		auto_free char *words = mem_text("%zu more that stand in no table: assay show --points", count);
		paragraph_add(out, style, 2, HANG, words);
	} else {
		error = list_points(point, count, style, out);
	}
	mem_free_ptr(&point);
	return error;
}

static void say_absent(const struct run *run, const struct show_style *style, struct text *out)
{
	auto_text struct text words = { 0 };

	for (size_t i = 0; i < classic_count; i++) {
		if (!classic_has(run, &classic_tables[i]))
			text_add(&words, "%s%s", words.length ? ", " : "", classic_tables[i].title);
	}
	if (!words.length)
		return;
	auto_free char *all = mem_text("Not part of this run: %s.", text_get(&words));
	text_add(out, "\n");
	paragraph_add(out, style, 0, HANG, all);
}

static int show_tables(const struct run *run, const struct show_style *style, struct text *out)
{
	int error = 0;

	for (size_t i = 0; !error && i < classic_count; i++) {
		if (classic_has(run, &classic_tables[i]))
			error = table_draw(run, &classic_tables[i], style, out);
	}
	if (!error)
		error = show_points(run, style, true, out);
	if (!error)
		say_absent(run, style, out);
	return error;
}

static void say_legend(const struct run *run, const struct show_style *style, struct text *out)
{
	double confidence = run->points ? run->point[0].confidence : 0.95;
	auto_free char *words = mem_text("Each value lies between low and high with %g %% confidence, as far as its "
					 "verdict is ok; no digit is shown that the interval does not support.",
					 100 * confidence);

	text_add(out, "\n");
	paragraph_add(out, style, 0, HANG, words);
}

/* The reference that brings this run back, whatever was measured since. */
static void say_more(const struct run *run, const struct show_style *style, struct text *out)
{
	enum { ENOUGH_OF_ID = 13 };
	auto_free char *words =
		mem_text("More: assay show %.*s --long (points, rounds, noise), --points (every figure), --json; "
			 "assay help verdicts, assay help units.",
			 ENOUGH_OF_ID, run->id);

	text_add(out, "\nCopies measured in parallel: %u (a setting of the run, not a figure).\n", classic_copies(run));
	paragraph_add(out, style, 0, HANG, words);
}

void show_verdicts(const struct run *run, const struct show_style *style, struct text *out)
{
	struct show_style real = style_effective(style);

	head_verdicts(run, &real, out);
	head_conditions(run, &real, out);
}

int show_run(const struct run *run, const struct show_style *style, struct text *out)
{
	struct show_style real = style_effective(style);
	int error;

	show_verdicts(run, &real, out);
	head_run(run, &real, out);
	head_machine(run, &real, out);
	if (!run->points)
		paragraph_add(out, &real, 0, HANG, "Nothing was measured.");
	else
		say_legend(run, &real, out);
	error = real.points ? show_points(run, &real, false, out) : show_tables(run, &real, out);
	if (!error)
		say_more(run, &real, out);
	return error;
}
