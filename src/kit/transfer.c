#include "kit/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

int transfer_write(int fd, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size > 0) {
		ssize_t moved = write(fd, from, size);
		if (moved < 0 && errno != EINTR)
			return -errno;
		if (moved > 0) {
			from += moved;
			size -= (size_t)moved;
		}
	}
	return 0;
}

int transfer_read(int fd, void *bytes, size_t size)
{
	char *to = bytes;

	while (size > 0) {
		ssize_t moved = read(fd, to, size);
		if (moved == 0)
			return -EPIPE;
		if (moved < 0 && errno != EINTR)
			return -errno;
		if (moved > 0) {
			to += moved;
			size -= (size_t)moved;
		}
	}
	return 0;
}

int transfer_pipes(struct transfer_pair *pair)
{
	int forth[2], back[2];

	if (pipe2(forth, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(back, O_CLOEXEC) < 0) {
		int failed = -errno;
		close(forth[0]);
		close(forth[1]);
		return failed;
	}
	pair->here = (struct transfer_ends){ .in = back[0], .out = forth[1] };
	pair->there = (struct transfer_ends){ .in = forth[0], .out = back[1] };
	return 0;
}

int transfer_unix(struct transfer_pair *pair)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return -errno;
	pair->here = (struct transfer_ends){ fd[0], fd[0] };
	pair->there = (struct transfer_ends){ fd[1], fd[1] };
	return 0;
}

void transfer_close(struct transfer_ends *ends)
{
	if (ends->in >= 0)
		close(ends->in);
	if (ends->out >= 0 && ends->out != ends->in)
		close(ends->out);
	*ends = (struct transfer_ends){ -1, -1 };
}
