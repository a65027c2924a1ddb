#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Reads the digits at *cursor and moves it behind them. */
static int digits(const char **cursor, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *s = *cursor;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	for (; isdigit((unsigned char)*s); s++) {
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
			return -ERANGE;
	}
	*cursor = s;
	*ret_value = value;
	return 0;
}

static int complain(int code, const char *text, const char *expected, struct err *err)
{
	if (code == -ERANGE)
		return err_set(err, code, "'%.60s' is too large", text);
	return err_set(err, code, "'%.60s' is not %s", text, expected);
}

int parse_count(const char *text, uint64_t *ret_value, struct err *err)
{
	const char *s = text;
	uint64_t value = 0;
	int r = digits(&s, &value);

	if (r == 0 && *s)
		r = -EINVAL;
	if (r < 0)
		return complain(r, text, "a whole number", err);
	*ret_value = value;
	return 0;
}

int parse_size(const char *text, uint64_t *ret_bytes, struct err *err)
{
	static const char suffixes[] = "kmgt";
	const char *s = text;
	uint64_t value = 0;
	int r = digits(&s, &value);

	if (r == 0 && *s) {
		const char *suffix = strchr(suffixes, tolower((unsigned char)*s));
		if (!suffix || s[1])
			r = -EINVAL;
		else if (__builtin_mul_overflow(value, UINT64_C(1) << (10 * (suffix - suffixes + 1)), &value))
			r = -ERANGE;
	}
	if (r < 0)
		return complain(r, text, "a size (a number, with k, m, g or t behind it for powers of 1024)", err);
	*ret_bytes = value;
	return 0;
}

/* strtod would follow the locale. Digits are gathered as one whole number and divided once, so that "0.3" is the double
 * nearest to 0.3; what a fraction has beyond the 18th digit is dropped. */
static int decimal(const char **cursor, double *ret_value)
{
	uint64_t number = 0, scale = 1;
	int r = digits(cursor, &number);

	if (r < 0)
		return r;
	if (**cursor == '.') {
		if (!isdigit((unsigned char)(*cursor)[1]))
			return -EINVAL;
		for ((*cursor)++; isdigit((unsigned char)**cursor); (*cursor)++) {
			if (number >= UINT64_C(100000000000000000) || scale >= UINT64_C(1000000000000000000))
				continue;
			number = 10 * number + (uint64_t)(**cursor - '0');
			scale *= 10;
		}
	}
	*ret_value = (double)number / (double)scale;
	return 0;
}

int parse_duration(const char *text, uint64_t *ret_ns, struct err *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 },
		      { "s", 1e9 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 } };
	const char *s = text;
	double value = 0;
	int r = decimal(&s, &value);

	for (unsigned i = 0; r == 0 && i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(s, units[i].name))
			continue;
		if (value * units[i].ns > 1e18)
			return complain(-ERANGE, text, "", err);
		*ret_ns = (uint64_t)(value * units[i].ns + 0.5);
		return 0;
	}
	return complain(r == -ERANGE ? r : -EINVAL, text, "a duration (a number and a unit: 500ms, 30s, 5m, 1h)", err);
}

int parse_double(const char *text, double *ret_value, struct err *err)
{
	const char *s = text;
	double value = 0;
	int r = decimal(&s, &value);

	if (r == 0 && *s == '%')
		s++;
	if (r == 0 && *s)
		r = -EINVAL;
	if (r < 0)
		return complain(r, text, "a number", err);
	*ret_value = value;
	return 0;
}
