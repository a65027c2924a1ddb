/* The other process of a conversation: forked, placed, and never left behind. */
#ifndef KIT_PEER_H
#define KIT_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct peer {
	pid_t pid;  /* 0: none, or its end has been collected */
	int life;   /* end of file here when the peer has ended; valid while pid is not 0 */
	int status; /* as of waitpid(2), once ended */
	bool ended;
};

/* Forks; the child runs main(arg) and leaves with what that returns. peer_cpu -1 leaves it where this process is.
 *
 * The child dies with this process, has every signal at its default but SIGPIPE, which is ignored in both (a broken
 * pipe is to be an error that check can tell). Both have all descriptors: each side closes what is the other's, or the
 * end of one would not be seen by the other. 0, or a negative errno when it cannot be forked or placed.
 */
int peer_start(struct peer *peer, int peer_cpu, int (*main)(void *arg), void *arg, struct err *err);

/* Whether the peer has ended, or does within wait_ms; if so, words says how ("killed by signal 9 (Killed)"). */
bool peer_ended(struct peer *peer, int wait_ms, char *words, size_t size);

/* Kills and collects it. A zeroed struct, or one whose peer has ended, is allowed. */
void peer_stop(struct peer *peer);

#endif
