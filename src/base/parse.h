/* Outside text into numbers. Every function returns 0, or -EINVAL / -ERANGE with one sentence in err. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdint.h>

#include "base/err.h"

int parse_count(const char *text, uint64_t *ret_value, struct err *err);

/* A decimal number with an optional binary suffix k, m, g or t (either case): "64k" is 65,536. */
int parse_size(const char *text, uint64_t *ret_bytes, struct err *err);

/* A duration needs a unit: ns, us, ms, s, m, h; fractions are fine ("1.5s"). */
int parse_duration(const char *text, uint64_t *ret_ns, struct err *err);

/* A decimal number with a dot, whatever the locale; an optional % behind it is ignored. Rejects NaN and infinity. */
int parse_double(const char *text, double *ret_value, struct err *err);

#endif
