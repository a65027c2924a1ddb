#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	struct err fresh; /* an argument may be err->text itself */
	va_list args;

	if (!err)
		return code;
	va_start(args, fmt);
	vsnprintf(fresh.text, sizeof fresh.text, fmt, args);
	va_end(args);
	memcpy(err->text, fresh.text, sizeof err->text);
	return code;
}

int err_sys(struct err *err, int code, const char *fmt, ...)
{
	char words[256];
	va_list args;

	if (!err)
		return code;
	va_start(args, fmt);
	vsnprintf(words, sizeof words, fmt, args);
	va_end(args);
	snprintf(err->text, sizeof err->text, "%s: %s", words, strerror(-code));
	return code;
}

int err_wrap(struct err *err, int code, const char *fmt, ...)
{
	char inner[sizeof err->text];
	char words[256];
	va_list args;

	if (!err)
		return code;
	va_start(args, fmt);
	vsnprintf(words, sizeof words, fmt, args);
	va_end(args);
	memcpy(inner, err->text, sizeof inner);
	int used = snprintf(err->text, sizeof err->text, "%s: ", words);
	if (used > 0 && (size_t)used < sizeof err->text)
		strncat(err->text, inner, sizeof err->text - (size_t)used - 1);
	return code;
}
