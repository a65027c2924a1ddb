/* Round trips of one message over a pair of stream descriptors, with a peer that sends back what it got.
 *
 * Every message carries its number in its first bytes and a fixed pattern behind; the number is compared on each trip,
 * all bytes of the last message at the end.
 */
#ifndef KIT_PINGPONG_H
#define KIT_PINGPONG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kit/peer.h"
#include "kit/transfer.h"

struct pingpong {
	struct peer peer;
	struct transfer_pair pair;
	uint64_t size;   /* bytes of a message, at least 1 */
	uint64_t done;   /* round trips that came back right */
	int failed;      /* 0, or the negative errno that ended the conversation */
	char *sent, *got;
	bool open;
};

/* Takes the pair over, on failure too: it is closed then. The state must be zeroed. 0 or -errno. */
int pingpong_start(struct pingpong *pingpong, const struct transfer_pair *pair, uint64_t size, int peer_cpu,
		   struct err *err);

/* n round trips, or none any more once one has failed. */
void pingpong_run(struct pingpong *pingpong, uint64_t n);

/* Were there ops round trips, and did the bytes come back? whom: what the other end is called in the sentence. */
int pingpong_check(struct pingpong *pingpong, uint64_t ops, const char *whom, struct err *err);

void pingpong_stop(struct pingpong *pingpong); /* a zeroed struct is allowed */

#endif
