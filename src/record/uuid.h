/* Run ids: UUID version 7 (RFC 9562, section 5.7), which sort by the time they were made. */
#ifndef RECORD_UUID_H
#define RECORD_UUID_H

#include <stdint.h>

/* Writes 36 characters, lower case, and a NUL. unix_ms: Unix time in ms. Always succeeds: where getrandom(2) is missing
 * the 74 random bits come from a seeded generator. */
void uuid7_make(char out[37], int64_t unix_ms);

#endif
