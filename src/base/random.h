/* Pseudo-random numbers that a seed reproduces: SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state; /* the seed; every value is a good one */
};

uint64_t random_next(struct random *random);
uint64_t random_below(struct random *random, uint64_t bound); /* uniform in [0, bound), bound > 0 */
double random_unit(struct random *random);                    /* uniform in [0, 1) */
double random_normal(struct random *random);                  /* mean 0, deviation 1 */

/* Fisher–Yates shuffle of count things of size bytes (64 at most). */
void random_shuffle(struct random *random, void *array, size_t count, size_t size);

/* A seed nobody chose: getrandom(2), or clock and process id where that is missing. */
uint64_t random_seed(void);

#endif
