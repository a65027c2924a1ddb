#include "report/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char nothing[] = "–";

static const struct {
	const char *recorded, *shown;
	double scale;
	double from; /* the scale for values of at least so much */
} scales[] = {
	{ "ns", "s", 1e-9, 1e9 },
	{ "ns", "ms", 1e-6, 1e6 },
	{ "ns", "µs", 1e-3, 1e3 },
	{ "B/s", "MB/s", 1e-6, 0 },
	{ "Hz", "MHz", 1e-6, 1e6 },
	{ "Hz", "kHz", 1e-3, 1e3 },
	{ "B", "MiB", 1.0 / (1 << 20), 1 << 20 },
	{ "B", "KiB", 1.0 / (1 << 10), 1 << 10 },
	{ "B", "bytes", 1, 0 },
	{ "ratio", "×", 1, 0 },
};

static bool has_number(const struct point *point)
{
	return point && isfinite(point->value) && point->verdict != VERDICT_SKIPPED &&
	       point->verdict != VERDICT_FAILED;
}

struct figure figure_of(const char *name, const struct point *point, const char *recorded, const char *unit,
			double scale)
{
	struct figure figure = { .name = name, .point = point, .unit = unit, .scale = scale };

	if (!point) {
		figure.word = "not run";
		figure.reason = "not part of this run";
		return figure;
	}
	figure.word = verdict_name(point->verdict);
	figure.usable = has_number(point);
	if (point->reason && *point->reason)
		figure.reason = point->reason;
	else if (point->verdict != VERDICT_OK)
		figure.reason = "the record gives no reason";
	else if (!figure.usable)
		figure.reason = "the record holds no value";
	if (recorded && (!point->unit || strcmp(point->unit, recorded))) {
		figure.usable = false;
		figure.reason = "recorded in another unit than this table's";
	}
	return figure;
}

struct figure figure_of_point(const struct point *point)
{
	const char *unit = point->unit ? point->unit : "";
	double scale = 1;

	for (size_t i = 0; i < countof(scales); i++) {
		if (strcmp(unit, scales[i].recorded) || !(fabs(point->value) >= scales[i].from))
			continue;
		unit = scales[i].shown;
		scale = scales[i].scale;
		break;
	}
	return figure_of(point->id, point, NULL, unit, scale);
}

bool figure_has_interval(const struct figure *figure)
{
	return figure->usable && number_has_interval(figure->point->low, figure->point->high);
}

bool figure_is_zero(const struct figure *figure)
{
	return figure_has_interval(figure) && figure->point->low <= 0 && figure->point->high >= 0;
}

/* Sizes and counts are one of a few whole numbers; a decimal or a rounded digit would be wrong, not imprecise. */
static bool is_exact(const struct figure *figure)
{
	const char *unit = figure->point->unit;

	return unit && (!strcmp(unit, "B") || !strcmp(unit, "pages") || !strcmp(unit, "count"));
}

enum part { PART_VALUE, PART_LOW, PART_HIGH };

static char *put(char out[NUMBER_TEXT], const double part[3], double scale, bool exact, enum part which)
{
	static const enum number_rounding rounding[] = { NUMBER_NEAREST, NUMBER_DOWN, NUMBER_UP };

	if (which != PART_VALUE && !number_has_interval(part[PART_LOW], part[PART_HIGH]))
		return strcpy(out, nothing);
	int place = number_place(part[0] * scale, part[1] * scale, part[2] * scale, exact);
	number_format(out, part[which] * scale, place, rounding[which]);
	return *out ? out : strcpy(out, nothing);
}

static char *put_value(char out[NUMBER_TEXT], const struct figure *figure, enum part which)
{
	if (!figure->usable)
		return strcpy(out, nothing);
	double part[] = { figure->point->value, figure->point->low, figure->point->high };
	return put(out, part, figure->scale, is_exact(figure), which);
}

static char *put_cycles(char out[NUMBER_TEXT], const struct figure *figure, enum part which)
{
	if (!figure_has_cycles(figure))
		return strcpy(out, nothing);
	double part[] = { figure->point->cycles, figure->point->cycles_low, figure->point->cycles_high };
	return put(out, part, 1, false, which);
}

char *figure_value(char out[NUMBER_TEXT], const struct figure *figure)
{
	return put_value(out, figure, PART_VALUE);
}

char *figure_low(char out[NUMBER_TEXT], const struct figure *figure)
{
	return put_value(out, figure, PART_LOW);
}

char *figure_high(char out[NUMBER_TEXT], const struct figure *figure)
{
	return put_value(out, figure, PART_HIGH);
}

char *figure_percent(char out[NUMBER_TEXT], const struct figure *figure)
{
	out[0] = '\0';
	if (figure->usable)
		number_percent(out, figure->point->value, figure->point->low, figure->point->high);
	return *out ? out : strcpy(out, nothing);
}

bool figure_has_cycles(const struct figure *figure)
{
	return figure->usable && isfinite(figure->point->cycles);
}

char *figure_cycles(char out[NUMBER_TEXT], const struct figure *figure)
{
	return put_cycles(out, figure, PART_VALUE);
}

char *figure_cycles_low(char out[NUMBER_TEXT], const struct figure *figure)
{
	return put_cycles(out, figure, PART_LOW);
}

char *figure_cycles_high(char out[NUMBER_TEXT], const struct figure *figure)
{
	return put_cycles(out, figure, PART_HIGH);
}

const char *figure_mark(const struct figure *figure)
{
	static const char *const marks[] = { "ok", "noisy", "untr.", "skip", "fail" };

	if (!figure->point)
		return nothing;
	return figure->point->verdict == VERDICT_OK && !figure->usable ? "none" : marks[figure->point->verdict];
}

enum grid_tone figure_tone(const struct figure *figure)
{
	static const enum grid_tone tones[] = { TONE_GOOD, TONE_WARN, TONE_BAD, TONE_DIM, TONE_BAD };

	return figure->point ? tones[figure->point->verdict] : TONE_DIM;
}
