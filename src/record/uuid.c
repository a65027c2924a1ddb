#include "record/uuid.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/random.h"

void uuid7_make(char out[37], int64_t unix_ms)
{
	unsigned char b[16];
	struct random fallback = { 0 };

	if (getrandom(b, sizeof b, GRND_NONBLOCK) != sizeof b) {
		fallback.state = random_seed();
		for (size_t i = 0; i < sizeof b; i++)
			b[i] = (unsigned char)random_next(&fallback);
	}
	for (int i = 0; i < 6; i++)
		b[i] = (unsigned char)((uint64_t)unix_ms >> (40 - 8 * i));
	b[6] = (unsigned char)(0x70 | (b[6] & 0x0f)); /* version 7 */
	b[8] = (unsigned char)(0x80 | (b[8] & 0x3f)); /* variant 10 */
	snprintf(out, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
		 b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}
