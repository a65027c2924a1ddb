/* Whole messages over descriptors that may take or give them in parts. */
#ifndef KIT_TRANSFER_H
#define KIT_TRANSFER_H

#include <stddef.h>

/* All size bytes. 0 or -errno; end of file before the last byte is -EPIPE, as writing to a closed pipe is. */
int transfer_write(int fd, const void *bytes, size_t size);
int transfer_read(int fd, void *bytes, size_t size);

/* What one side reads from and writes to; the same descriptor twice for a socket. */
struct transfer_ends {
	int in, out;
};

/* Both sides of a connection within this machine, before the other process is forked. */
struct transfer_pair {
	struct transfer_ends here, there;
};

/* A pipe each way, or a pair of connected AF_UNIX stream sockets; close-on-exec. 0, or -errno and nothing is open. */
int transfer_pipes(struct transfer_pair *pair);
int transfer_unix(struct transfer_pair *pair);

/* Closes a side and marks it closed (-1), so that closing it again does nothing. */
void transfer_close(struct transfer_ends *ends);

#endif
