/* Every bench that was linked in, sorted by name. */
#ifndef HARNESS_REGISTRY_H
#define HARNESS_REGISTRY_H

#include <stddef.h>

#include "harness/bench.h"

size_t registry_count(void);
const struct bench *registry_at(size_t index);
const struct bench *registry_find(const char *name); /* NULL when there is none */

#endif
