/* What the conditions of all processes say about the run as a whole. */
#ifndef HARNESS_CONDITIONS_H
#define HARNESS_CONDITIONS_H

#include "record/record.h"

/* Adds to the run, for each condition that was judged, the share of processes in which it was not ok. Can be called
 * again: what an earlier call added is replaced. */
void summarise_conditions(struct run *run);

#endif
