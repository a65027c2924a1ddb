#include "base/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf and strtod follow LC_NUMERIC; data never may. */
static void force_dot(char *text)
{
	char *comma = strpbrk(text, ",");

	if (comma)
		*comma = '.';
}

char *format_double(char out[FORMAT_DOUBLE], double value)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(out, FORMAT_DOUBLE, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	force_dot(out);
	return out;
}

char *format_digits(char out[FORMAT_DOUBLE], double value, int digits)
{
	if (value == 0 || !isfinite(value)) {
		snprintf(out, FORMAT_DOUBLE, "%s", value == 0 ? "0" : "-");
		return out;
	}
	int magnitude = (int)floor(log10(fabs(value)));
	double step = pow(10, magnitude - digits + 1);
	double rounded = round(value / step) * step;
	/* 9.996 at three digits becomes 10.0: one decimal less. */
	magnitude = (int)floor(log10(fabs(rounded)) + 1e-9);
	int decimals = digits - 1 - magnitude;
	snprintf(out, FORMAT_DOUBLE, "%.*f", decimals > 0 ? decimals : 0, rounded);
	force_dot(out);
	return out;
}

char *format_size(char out[FORMAT_SIZE], uint64_t bytes)
{
	static const char suffix[] = { 0, 'k', 'm', 'g', 't' };
	unsigned i = 0;

	while (bytes && bytes % 1024 == 0 && i + 1 < sizeof suffix) {
		bytes /= 1024;
		i++;
	}
	snprintf(out, FORMAT_SIZE, "%" PRIu64 "%.1s", bytes, &suffix[i]);
	return out;
}

char *format_duration(char out[FORMAT_DURATION], uint64_t ns)
{
	double seconds = (double)ns / 1e9;

	if (seconds < 1e-6)
		snprintf(out, FORMAT_DURATION, "%" PRIu64 " ns", ns);
	else if (seconds < 1e-3)
		snprintf(out, FORMAT_DURATION, "%.0f µs", seconds * 1e6);
	else if (seconds < 1)
		snprintf(out, FORMAT_DURATION, "%.0f ms", seconds * 1e3);
	else if (seconds < 59.5)
		snprintf(out, FORMAT_DURATION, "%.0f s", seconds);
	else
		snprintf(out, FORMAT_DURATION, "%" PRIu64 " min %02" PRIu64 " s", (uint64_t)(seconds + 0.5) / 60,
			 (uint64_t)(seconds + 0.5) % 60);
	return out;
}
