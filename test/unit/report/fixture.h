/* A hand-made run: every kind of verdict, intervals and none, caches that agree and that do not. */
#ifndef TEST_REPORT_FIXTURE_H
#define TEST_REPORT_FIXTURE_H

#include "record/record.h"

/* The caller ends it with run_done. */
void fixture_run(struct run *run);

/* A selection of two curves and a single point, noisy for reasons that differ in numbers. */
void fixture_selection(struct run *run);

/* Adds a measured point: value ± percent of it on both sides, 10 rounds; percent < 0 means no interval (3 rounds). */
struct point *fixture_point(struct run *run, const char *id, const char *unit, double value, double percent);

#endif
