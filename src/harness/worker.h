/* The worker: one process that measures the points of one job and leaves the results in the slab. */
#ifndef HARNESS_WORKER_H
#define HARNESS_WORKER_H

#include "harness/sampler.h"
#include "harness/slab.h"

/* Does what the slab asks for. The clock is the machine's unless a test hands in a scripted one, which also leaves out
 * what only a real machine has (conditions, core clock). Always returns; the outcome of every point is in the slab. */
void worker_measure(struct slab *slab, const struct sampler_clock *scripted);

/* Life of a worker process: dies with its parent, attaches the slab behind fd, measures, never returns. */
void worker_main(int fd) __attribute__((noreturn));

#endif
