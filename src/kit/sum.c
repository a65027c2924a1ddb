#include "kit/sum.h"

uint64_t sum_words(const uint64_t *from, size_t words)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (size_t i = 0; i < words; i += 8) {
		a += from[i] + from[i + 4];
		b += from[i + 1] + from[i + 5];
		c += from[i + 2] + from[i + 6];
		d += from[i + 3] + from[i + 7];
	}
	return a + b + c + d;
}
