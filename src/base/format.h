/* Numbers and sizes as text. Each function fills the caller's buffer and returns it. */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum {
	FORMAT_DOUBLE = 40,
	FORMAT_SIZE = 24,
	FORMAT_DURATION = 24,
};

/* The shortest decimal that reads back as the same double; always a dot, whatever the locale. */
char *format_double(char out[FORMAT_DOUBLE], double value);

/* value with this many significant digits, no exponent, a dot whatever the locale: 1234.5, 3 → "1230". */
char *format_digits(char out[FORMAT_DOUBLE], double value, int digits);

/* Bytes with the largest binary suffix that is exact: 65536 → "64k", 1000 → "1000". */
char *format_size(char out[FORMAT_SIZE], uint64_t bytes);

/* A duration for people: "1.5 s", "2 min 05 s". */
char *format_duration(char out[FORMAT_DURATION], uint64_t ns);

#endif
