#include "base/format.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf and strtod follow LC_NUMERIC; data never may. The separator can be longer than one byte (ps_AF: U+066B). */
static void force_dot(char *text)
{
	const char *separator = localeconv()->decimal_point;
	char *found = *separator ? strstr(text, separator) : NULL;

	if (!found)
		return;
	*found = '.';
	memmove(found + 1, found + strlen(separator), strlen(found + strlen(separator)) + 1);
}

char *format_double(char out[FORMAT_DOUBLE], double value)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(out, FORMAT_DOUBLE, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	/* %g writes 100 as 1e+02, which is neither shorter nor for people; below 10^15 such a number is a whole one. */
	if (strchr(out, 'e') && fabs(value) >= 1 && fabs(value) < 1e15)
		snprintf(out, FORMAT_DOUBLE, "%.0f", value);
	force_dot(out);
	return out;
}

/* "1.23e+04" with 2 zeros behind its digits: "12300". */
static void write_whole(char *out, const char *rounded, int zeros)
{
	for (; *rounded != 'e'; rounded++) {
		if (*rounded != '.')
			*out++ = *rounded;
	}
	memset(out, '0', (size_t)zeros);
	out[zeros] = '\0';
}

char *format_digits(char out[FORMAT_DOUBLE], double value, int digits)
{
	char rounded[FORMAT_DOUBLE];

	if (value == 0 || !isfinite(value)) {
		snprintf(out, FORMAT_DOUBLE, "%s", value == 0 ? "0" : "-");
		return out;
	}
	/* printf rounds the decimal exactly and knows that 9.996 at three digits becomes 10.0, one decimal less. */
	int length = snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
	force_dot(rounded);
	int zeros = atoi(strchr(rounded, 'e') + 1) - (digits - 1);
	/* What has no room without an exponent keeps it: a cut number would be a wrong one. */
	if (length + abs(zeros) >= FORMAT_DOUBLE)
		return strcpy(out, rounded);
	if (zeros >= 0)
		write_whole(out, rounded, zeros);
	else
		snprintf(out, FORMAT_DOUBLE, "%.*f", -zeros, value);
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
	double value = (double)ns;
	uint64_t seconds = ns / 1000000000 + (ns % 1000000000 >= 500000000);

	/* Each limit lies where rounding would reach the next unit: never "1000 ms". */
	if (ns < 1000)
		snprintf(out, FORMAT_DURATION, "%" PRIu64 " ns", ns);
	else if (value < 999.5e3)
		snprintf(out, FORMAT_DURATION, "%.0f µs", value / 1e3);
	else if (value < 999.5e6)
		snprintf(out, FORMAT_DURATION, "%.0f ms", value / 1e6);
	else if (value < 9.95e9 && (uint64_t)(value / 1e8 + 0.5) % 10)
		snprintf(out, FORMAT_DURATION, "%.1f s", value / 1e9);
	else if (seconds < 60)
		snprintf(out, FORMAT_DURATION, "%" PRIu64 " s", seconds);
	else
		snprintf(out, FORMAT_DURATION, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
	force_dot(out);
	return out;
}
