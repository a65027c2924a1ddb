/* Starts a worker and waits for it: a fresh process, or in line for tests with a scripted clock. */
#ifndef HARNESS_SPAWN_H
#define HARNESS_SPAWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "harness/sampler.h"
#include "harness/slab.h"

enum spawn_end {
	SPAWN_FINISHED,    /* the slab tells the outcome of every point */
	SPAWN_DIED,        /* crashed or left without a word: err says how */
	SPAWN_TIMED_OUT,   /* stopped at the deadline */
	SPAWN_INTERRUPTED, /* a signal asked assay to end; *ret_signal */
};

struct spawn {
	const char *program; /* the executable of this process */
	bool in_line;        /* measure in this process */
	const struct sampler_clock *scripted; /* for in_line */
};

/* Blocks SIGCHLD and those of SIGINT, SIGTERM, SIGHUP and SIGQUIT that are not ignored, so that spawn_worker can wait for all
 * of them without polling; makes this process the reaper of orphaned grandchildren. spawn_end_session undoes the
 * first; afterwards another Ctrl-C ends the program at once. */
void spawn_begin_session(void);
void spawn_end_session(void);

/* Was a session signal delivered meanwhile? Its number, or 0. */
int spawn_pending_signal(void);

/* Runs a worker on slab->cpu (-1: anywhere) in its own process group; ends the whole group in any case. */
enum spawn_end spawn_worker(const struct spawn *spawn, struct slab *slab, int slab_fd, uint64_t deadline_ns,
			    int *ret_signal, struct err *err);

/* Path of this executable, also where there is no /proc. Caller frees. */
char *spawn_program_path(const char *argv0);

#endif
