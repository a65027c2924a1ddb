/* Arrays of doubles as bytes in the book: IEEE 754 binary64, little-endian, so that a book may move between machines;
 * batches compressed with zlib (RFC 1950) on top.
 */
#ifndef STORE_PACK_H
#define STORE_PACK_H

#include <stddef.h>
#include <stdint.h>

/* out: 8 × count bytes. */
void pack_doubles(const double *values, size_t count, unsigned char *out);
void unpack_doubles(const unsigned char *bytes, size_t count, double *ret_values);

/* Caller frees *ret_bytes. */
void pack_compressed(const double *values, size_t count, unsigned char **ret_bytes, size_t *ret_length);

/* Caller frees *ret_values. 0, or -EUCLEAN when the bytes are not count compressed doubles. */
int unpack_compressed(const void *bytes, size_t length, size_t count, double **ret_values);

#endif
