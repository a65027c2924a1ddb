#include "cmd/lock.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool lock_claim(void)
{
	/* A name in the abstract namespace (unix(7)): taken by one process at most, and free again when it is gone. */
	static const char name[] = "\0assay-run";
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return true;
	memcpy(address.sun_path, name, sizeof name - 1);
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof name - 1);
	if (bind(fd, (struct sockaddr *)&address, length) == 0)
		return true; /* the descriptor stays open on purpose */
	bool taken = errno == EADDRINUSE;
	close(fd);
	return !taken;
}
