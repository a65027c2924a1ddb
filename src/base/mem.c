#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The one exception to "below cmd nothing prints and nothing exits": there is no memory left to report through. */
static void *insist(void *memory)
{
	if (memory)
		return memory;
	fputs("assay: out of memory\n", stderr);
	_Exit(1);
}

void *mem_new(size_t count, size_t size)
{
	return insist(calloc(count ? count : 1, size ? size : 1));
}

void *mem_grow(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return insist(NULL);
	size_t bytes = count * size;
	return insist(realloc(old, bytes ? bytes : 1));
}

char *mem_copy(const char *text)
{
	return text ? insist(strdup(text)) : NULL;
}

char *mem_text(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	int length = vasprintf(&text, fmt, args);
	va_end(args);
	return insist(length < 0 ? NULL : text);
}

void *mem_room(void *array, size_t used, size_t *capacity, size_t size)
{
	if (used < *capacity)
		return array;
	*capacity = *capacity ? 2 * *capacity : 8;
	return mem_grow(array, *capacity, size);
}

void mem_free_ptr(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}
