/* The sum of memory, as a reader of data does it at the least: every 8-byte word loaded and added. */
#ifndef KIT_SUM_H
#define KIT_SUM_H

#include <stddef.h>
#include <stdint.h>

/* Eight words a turn in four sums, so that adding does not hold up loading. words: a multiple of 8. */
uint64_t sum_words(const uint64_t *from, size_t words);

#endif
