#include "report/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 6, DIGITS_WITHOUT_INTERVAL = 3, LEAST_PLACE = -15 };

bool number_has_interval(double low, double high)
{
	return isfinite(low) && isfinite(high) && low <= high;
}

static int magnitude(double value)
{
	return value == 0 || !isfinite(value) ? 0 : (int)floor(log10(fabs(value)) + 1e-12);
}

/* 1143 needs a digit more than 8143 to be told as finely. */
static int fewest_digits(double value)
{
	return fabs(value) < 2 * pow(10, magnitude(value)) ? 3 : 2;
}

static int lower(int a, int b)
{
	return a < b ? a : b;
}

int number_place(double value, double low, double high, bool exact)
{
	bool interval = number_has_interval(low, high);
	double largest = interval ? fmax(fabs(value), fmax(fabs(low), fabs(high))) : fabs(value);
	int finest = magnitude(largest) - MOST_DIGITS + 1;
	int place = finest;

	if (exact && value == floor(value)) {
		place = 0;
	} else if (exact) {
		place = lower(0, magnitude(value) - DIGITS_WITHOUT_INTERVAL + 1);
	} else if (interval && high > low) {
		/* Half the width, and the longer side of a lopsided interval counts for all of it. */
		double half = isfinite(value) ? fmax(high - value, value - low) : (high - low) / 2;
		double size = fmax(fabs(value), half); /* a difference near zero is told as finely as its interval */
		place = lower(magnitude(half), magnitude(size) - fewest_digits(size) + 1);
	} else if (!interval) {
		place = magnitude(value) - DIGITS_WITHOUT_INTERVAL + 1;
	}
	if (place < finest)
		place = finest;
	return place < LEAST_PLACE ? LEAST_PLACE : place;
}

static double round_to(double steps, enum number_rounding rounding)
{
	/* A bound that sits on a step up to the error of the division stays there. */
	double slack = 1e-9 * fmax(1, fabs(steps));

	if (rounding == NUMBER_DOWN)
		return floor(steps + slack);
	if (rounding == NUMBER_UP)
		return ceil(steps - slack);
	return round(steps);
}

char *number_format(char out[NUMBER_TEXT], double value, int place, enum number_rounding rounding)
{
	out[0] = '\0';
	if (!isfinite(value) || fabs(value) > 1e30)
		return out;
	double step = pow(10, abs(place));
	double steps = round_to(place < 0 ? value * step : value / step, rounding);
	double rounded = place < 0 ? steps / step : steps * step;
	snprintf(out, NUMBER_TEXT, "%.*f", place < 0 ? -place : 0, rounded == 0 ? 0.0 : rounded);
	char *comma = strchr(out, ','); /* printf follows LC_NUMERIC */
	if (comma)
		*comma = '.';
	return out;
}

char *number_percent(char out[NUMBER_TEXT], double value, double low, double high)
{
	out[0] = '\0';
	if (!number_has_interval(low, high) || !isfinite(value) || value == 0)
		return out;
	double percent = 100 * (high - low) / 2 / fabs(value);
	if (percent < 0.005)
		return strcpy(out, "0");
	int place = magnitude(percent) - 1;
	return number_format(out, percent, place < -2 ? -2 : place, NUMBER_NEAREST);
}
