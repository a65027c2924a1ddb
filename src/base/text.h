/* A growing string. A zeroed struct text is empty and valid; text_done frees it. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

struct text {
	char *at; /* NUL-terminated once anything was added */
	size_t length;
	size_t capacity;
};

void text_add(struct text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_bytes(struct text *text, const void *bytes, size_t length);
const char *text_get(const struct text *text); /* "" when nothing was added */
char *text_take(struct text *text);            /* caller frees; text is empty again */
void text_done(struct text *text);

#define auto_text __attribute__((cleanup(text_done)))

#endif
