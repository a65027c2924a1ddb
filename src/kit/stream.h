/* Blocks from a peer that produces them only when asked: so many as one batch takes, and none before its clock starts.
 *
 * Each batch begins with one message on a control pipe that says how many blocks are wanted. A producer that ran freely
 * would fill the buffers between two batches, and the next batch would find its first blocks made for nothing; with
 * the request every byte that is counted was written and read within the clock.
 *
 * The price is paid once a batch: the peer's wake-up by the request, and ours by the first block. That is 1 to 2 µs on
 * one CPU, but was measured as 45 µs across two idle CPUs of a virtual machine. So an operation is not one block but a
 * request's worth: 4 MiB (2,048 blocks at most) on one CPU, 16 MiB (4,096) across, and one block at least. It takes
 * milliseconds whatever the size of a block, and the price is about 0.1 % and 1 %. Longer ones would be hit more often
 * by what else runs.
 *
 * The first bytes of each block carry its number, which is compared; the rest is a fixed pattern, compared once at the
 * end for the last block.
 */
#ifndef KIT_STREAM_H
#define KIT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kit/peer.h"
#include "kit/transfer.h"

struct stream {
	struct peer peer;
	struct transfer_pair pair; /* data: the peer's out to our in */
	int ask[2];                /* the control pipe */
	uint64_t size;             /* bytes of a block, at least 1 */
	uint64_t blocks;           /* of one operation, at least 1 */
	uint64_t done;             /* blocks that arrived right */
	int failed;                /* 0, or the negative errno that ended it */
	char *block;
	bool open;
};

/* Takes the pair over, on failure too: it is closed then. The state must be zeroed. 0 or -errno. */
int stream_start(struct stream *stream, const struct transfer_pair *pair, uint64_t size, int peer_cpu, struct err *err);

/* Asks for the blocks of n operations and takes them in, or none any more once it has failed. */
void stream_run(struct stream *stream, uint64_t n);

/* Did the blocks of ops operations arrive, with the right bytes? whom: what the connection is called in the sentence. */
int stream_check(struct stream *stream, uint64_t ops, const char *whom, struct err *err);

uint64_t stream_bytes(const struct stream *stream); /* of one operation */

void stream_stop(struct stream *stream); /* a zeroed struct is allowed */

#endif
