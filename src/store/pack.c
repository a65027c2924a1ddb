#include "store/pack.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

void pack_doubles(const double *values, size_t count, unsigned char *out)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;
		memcpy(&bits, &values[i], sizeof bits);
		bits = htole64(bits);
		memcpy(out + i * sizeof bits, &bits, sizeof bits);
	}
}

void unpack_doubles(const unsigned char *bytes, size_t count, double *ret_values)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;
		memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
		bits = le64toh(bits);
		memcpy(&ret_values[i], &bits, sizeof bits);
	}
}

void pack_compressed(const double *values, size_t count, unsigned char **ret_bytes, size_t *ret_length)
{
	auto_free unsigned char *raw = mem_new(count, sizeof *values);
	uLong size = count * sizeof *values;
	uLongf length = compressBound(size);
	unsigned char *packed = mem_new(length, 1);

	pack_doubles(values, count, raw);
	/* Cannot fail: the buffer is as large as the bound, and memory ends the program. Level 1 is 5 to 10 times as
	 * fast as the default, and noise does not compress further. */
	if (compress2(packed, &length, raw, size, 1) != Z_OK)
		abort();
	*ret_bytes = packed;
	*ret_length = length;
}

int unpack_compressed(const void *bytes, size_t length, size_t count, double **ret_values)
{
	/* Deflate reaches 1032 : 1 at most, so a larger claim is a lie that must not cost memory. */
	if (!count || count > SIZE_MAX / sizeof **ret_values || count * sizeof **ret_values / 1100 > length)
		return -EUCLEAN;
	uLongf size = count * sizeof **ret_values;
	auto_free unsigned char *raw = mem_new(size, 1);
	if (uncompress(raw, &size, bytes, length) != Z_OK || size != count * sizeof **ret_values)
		return -EUCLEAN;
	*ret_values = mem_new(count, sizeof **ret_values);
	unpack_doubles(raw, count, *ret_values);
	return 0;
}
