#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void reserve(struct text *text, size_t more)
{
	size_t need = text->length + more + 1;

	if (need <= text->capacity)
		return;
	text->capacity = need > 2 * text->capacity ? need : 2 * text->capacity;
	text->at = mem_grow(text->at, text->capacity, 1);
}

void text_add(struct text *text, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (length > 0) {
		reserve(text, (size_t)length);
		vsnprintf(text->at + text->length, (size_t)length + 1, fmt, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

void text_bytes(struct text *text, const void *bytes, size_t length)
{
	reserve(text, length);
	if (length)
		memcpy(text->at + text->length, bytes, length);
	text->length += length;
	text->at[text->length] = '\0';
}

const char *text_get(const struct text *text)
{
	return text->at ? text->at : "";
}

char *text_take(struct text *text)
{
	char *at = text->at ? text->at : mem_copy("");

	*text = (struct text){ 0 };
	return at;
}

void text_done(struct text *text)
{
	free(text->at);
	*text = (struct text){ 0 };
}
