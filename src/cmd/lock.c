#include "cmd/lock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

bool lock_claim(const char *book_path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char *name = address.sun_path + 1; /* a NUL before it: the abstract namespace (unix(7)), free again at our end */
	struct stat book;
	int length;

	if (!book_path)
		length = snprintf(name, sizeof address.sun_path - 1, "assay-run");
	else if (stat(book_path, &book) == 0)
		length = snprintf(name, sizeof address.sun_path - 1, "assay-book-%llx-%llx",
				  (unsigned long long)book.st_dev, (unsigned long long)book.st_ino);
	else
		return true;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return true;
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
	if (bind(fd, (struct sockaddr *)&address, size) == 0)
		return true; /* the descriptor stays open on purpose */
	bool taken = errno == EADDRINUSE;
	close(fd);
	return !taken;
}
