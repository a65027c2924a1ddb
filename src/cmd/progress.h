/* Progress on standard error: a redrawn line on a terminal, a line per round elsewhere. Writes only between workers,
 * so never while a batch is timed. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>

#include "harness/runner.h"

struct progress {
	bool terminal;
	bool drawn; /* a line stands there that must be wiped */
};

void progress_init(struct progress *progress);
void progress_emit(void *progress, const struct event *event); /* for struct sink */
void progress_wipe(struct progress *progress);

#endif
