/* Words about benches that list, help and completion share. */
#ifndef CMD_BENCH_WORDS_H
#define CMD_BENCH_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/bench.h"

const char *bench_unit_word(enum bench_unit unit); /* as records have it: "ns", "B/s", "Hz" */
const char *bench_need_word(unsigned bit);         /* of 1 << bit, NULL past the last */
const char *param_type_word(enum param_type type); /* "count", "size", "choice" */

/* A value as it is written in a point: a size with its suffix, a choice's word, "memory" for PARAM_MEMORY (the number
 * of bytes then depends on the machine). Caller frees. */
char *param_value_word(const struct param *param, uint64_t value);

/* "1 … 64k", or the choices with bars between. Caller frees. */
char *param_range_words(const struct param *param);

/* Does NAME, NAME:VARIANT, a room ("mem") or a pattern ("mem.*") name this bench? Params ("/size=4k,…") may follow, and
 * must be the bench's. Hidden benches need "self" before the
 * first dot. ret_variant, when not NULL: the variant's pattern, or NULL. Caller frees *ret_variant. */
bool bench_is_selected(const struct bench *bench, const char *selector, char **ret_variant);

#endif
