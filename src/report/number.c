#include "report/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 6, DIGITS_WITHOUT_INTERVAL = 2, LEAST_PLACE = -15 };

bool number_has_interval(double low, double high)
{
	return isfinite(low) && isfinite(high) && low <= high;
}

static int magnitude(double value)
{
	return value == 0 || !isfinite(value) ? 0 : (int)floor(log10(fabs(value)) + 1e-12);
}

int number_place(double value, double low, double high, bool exact)
{
	bool interval = number_has_interval(low, high);
	double largest = interval ? fmax(fabs(value), fmax(fabs(low), fabs(high))) : fabs(value);
	int finest = magnitude(largest) - MOST_DIGITS + 1;
	int place = finest;

	/* Half the width, and the longer side of a lopsided interval counts for all of it. */
	if (interval && high > low)
		place = magnitude(isfinite(value) ? fmax(high - value, value - low) : (high - low) / 2);
	else if (exact)
		place = 0;
	else if (!interval)
		place = magnitude(value) - DIGITS_WITHOUT_INTERVAL + 1;
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
