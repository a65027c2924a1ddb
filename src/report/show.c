#include "report/show.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/classic.h"
#include "report/curve.h"
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

/* What of a run still has to be shown, and the curves that some of it belongs to. */
struct rest {
	const struct run *run;
	bool *shown;            /* of each point */
	struct curve **curve_of; /* of each point: the curve that shows it, or NULL */
	struct curves curves;
};

/* Curves stand whole, also where a table has some of their points; those of which it has all are done. */
static struct rest rest_of(const struct run *run, bool others_only)
{
	struct rest rest = { .run = run, .curves = curves_find(run) };

	rest.shown = mem_new(run->points + 1, sizeof *rest.shown);
	rest.curve_of = mem_new(run->points + 1, sizeof(struct curve *));
	if (others_only)
		classic_mark(run, rest.shown);
	for (size_t i = 0; i < rest.curves.count; i++) {
		struct curve *curve = &rest.curves.curve[i];
		curve->done = true;
		for (size_t j = 0; j < curve->points; j++) {
			size_t point = (size_t)(curve->point[j].point - run->point);
			rest.curve_of[point] = curve;
			curve->done &= rest.shown[point];
		}
	}
	return rest;
}

static void rest_done(struct rest *rest)
{
	free(rest->shown);
	free(rest->curve_of);
	curves_done(&rest->curves);
}

/* The points of a room that no curve shows, from `first` on. */
static int list_singles(struct rest *rest, size_t first, const struct show_style *style, struct text *out)
{
	const struct run *run = rest->run;
	auto_free struct figure *figure = mem_new(run->points + 1, sizeof *figure);
	size_t count = 0;

	for (size_t i = first; i < run->points; i++) {
		if (rest->shown[i] || rest->curve_of[i] || !same_room(run->point[first].id, run->point[i].id))
			continue;
		figure[count++] = figure_of_point(&run->point[i]);
		rest->shown[i] = true;
	}
	if (!count)
		return 0;
	text_add(out, "\n");
	int error = figures_list(figure, count, style, out);
	figures_explain(figure, count, style, out);
	return error;
}

/* A curve and its siblings. */
static int draw_family(struct rest *rest, size_t first, const struct show_style *style, struct text *out)
{
	auto_free const struct curve **family = mem_new(rest->curves.count, sizeof *family);
	size_t count = 0;

	for (size_t i = first; i < rest->curves.count; i++) {
		struct curve *curve = &rest->curves.curve[i];
		if (curve->done || !curve_is_sibling(&rest->curves.curve[first], curve))
			continue;
		family[count++] = curve;
		curve->done = true;
		for (size_t j = 0; j < curve->points; j++)
			rest->shown[curve->point[j].point - rest->run->point] = true;
	}
	return curves_draw(family, count, style, out);
}

/* All of the room of point `first`: single figures, then curves. */
static int show_room(struct rest *rest, size_t first, const struct show_style *style, struct text *out)
{
	int error = list_singles(rest, first, style, out);

	for (size_t i = 0; !error && i < rest->curves.count; i++) {
		const struct curve *curve = &rest->curves.curve[i];
		if (!curve->done && same_room(rest->run->point[first].id, curve->bench))
			error = draw_family(rest, i, style, out);
	}
	return error;
}

/* Rooms come in the order of their first point. */
static int show_rest(struct rest *rest, const struct show_style *style, struct text *out)
{
	int error = 0;

	for (size_t i = 0; !error && i < rest->run->points; i++) {
		if (!rest->shown[i])
			error = show_room(rest, i, style, out);
	}
	return error;
}

static int show_points(const struct run *run, const struct show_style *style, struct text *out)
{
	struct rest rest = rest_of(run, false);
	int error = show_rest(&rest, style, out);

	rest_done(&rest);
	return error;
}

/* A set measures whole curves for one figure of a table: they would bury the tables, and are only counted. */
static int show_others(const struct run *run, const struct show_style *style, bool after_tables, size_t *ret_hidden,
		       struct text *out)
{
	struct rest rest = rest_of(run, true);
	size_t count = 0;
	int error = 0;

	for (size_t i = 0; i < run->points; i++)
		count += !rest.shown[i];
	*ret_hidden = !run->selection && count > FEW_OTHERS ? count : 0;
	if (*ret_hidden) {
		rest_done(&rest);
		return 0;
	}
	if (count && after_tables && !run->selection) {
		text_add(out, "\n");
		heading_add(out, style, "Other figures");
	}
	error = show_rest(&rest, style, out);
	rest_done(&rest);
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

static int show_tables(const struct run *run, const struct show_style *style, size_t *ret_hidden, struct text *out)
{
	bool any = false;
	int error = 0;

	for (size_t i = 0; !error && i < classic_count; i++) {
		if (!classic_has(run, &classic_tables[i]))
			continue;
		any = true;
		error = table_draw(run, &classic_tables[i], style, out);
	}
	if (!error)
		error = show_others(run, style, any, ret_hidden, out);
	if (!error && run->points && !run->selection) /* whoever selects knows what was left out */
		say_absent(run, style, out);
	return error;
}

static void say_legend(const struct run *run, const struct show_style *style, struct text *out)
{
	auto_free char *words = mem_text("Each value lies between low and high with %g %% confidence, untrusted (untr.) "
					 "figures aside.", 100 * run->point[0].confidence);

	paragraph_add(out, style, 0, HANG, words);
}

/* Hints are there to be pasted: a file's name that a shell would take apart is left out. */
static bool is_simple(const char *path)
{
	return path && *path && !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,:")];
}

/* The reference that brings this run back, whatever was measured since. */
static void say_more(const struct run *run, const struct show_style *style, size_t hidden, struct text *out)
{
	bool named = is_simple(style->book);
	auto_free char *others = hidden ? mem_text("%zu figures more", hidden) : mem_copy("every figure");
	auto_free char *words =
		mem_text("More: %s show %.*s%s%s --long (points, rounds, noise), --points (%s), --json; %s help verdicts, "
			 "%s help units.",
			 style->program, SHOW_ID_LENGTH, run->id, named ? " --book " : "", named ? style->book : "",
			 others, style->program, style->program);

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
	size_t hidden = 0;
	int error;

	show_verdicts(run, &real, out);
	head_run(run, &real, out);
	head_machine(run, &real, out);
	if (!run->points)
		paragraph_add(out, &real, 0, HANG, "Nothing was measured.");
	error = real.points ? show_points(run, &real, out) : show_tables(run, &real, &hidden, out);
	if (error)
		return error;
	text_add(out, "\n");
	if (run->points)
		say_legend(run, &real, out);
	say_more(run, &real, hidden, out);
	return 0;
}
