#include "base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t random_below(struct random *random, uint64_t bound)
{
	/* Values past the last whole multiple of bound would favour small results: draw again. */
	uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
	uint64_t value;

	do
		value = random_next(random);
	while (value >= limit);
	return value % bound;
}

double random_unit(struct random *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

double random_normal(struct random *random)
{
	/* Box–Muller; 1 − u keeps the logarithm's argument above zero. */
	double radius = sqrt(-2 * log(1 - random_unit(random)));

	return radius * cos(2 * M_PI * random_unit(random));
}

void random_shuffle(struct random *random, void *array, size_t count, size_t size)
{
	unsigned char swap[64];
	unsigned char *bytes = array;

	assert(size <= sizeof swap);
	for (size_t i = count; i > 1; i--) {
		size_t j = random_below(random, i);
		memcpy(swap, bytes + (i - 1) * size, size);
		memmove(bytes + (i - 1) * size, bytes + j * size, size);
		memcpy(bytes + j * size, swap, size);
	}
}

uint64_t random_seed(void)
{
	uint64_t seed = 0;
	struct timespec now;

	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed)
		return seed;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec * 1000003u + (uint64_t)getpid();
}
