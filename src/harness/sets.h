/* The named sets: lists of selectors. */
#ifndef HARNESS_SETS_H
#define HARNESS_SETS_H

#include <stdint.h>

const char *const *set_members(const char *name); /* NULL-terminated, or NULL for an unknown name */
const char *set_names(void);                      /* "classic, quick" */
uint64_t set_budget_ns(const char *name);         /* time a run of it takes; 0 for an unknown name */

#endif
