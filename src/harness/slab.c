#include "harness/slab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where memfd_create(2) is missing (Linux < 3.17, some sandboxes) an unlinked file serves. */
static int memory_file(void)
{
	int fd = memfd_create("assay", MFD_CLOEXEC);

	if (fd >= 0)
		return fd;
	const char *directory = getenv("TMPDIR");
	return open(directory && *directory ? directory : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

struct slab *slab_new(int *ret_fd, struct err *err)
{
	int fd = memory_file();

	if (fd < 0 || ftruncate(fd, sizeof(struct slab)) < 0) {
		err_sys(err, -errno, "no shared memory file for the worker (memfd_create, then TMPDIR)");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	void *memory = mmap(NULL, sizeof(struct slab), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		err_sys(err, -errno, "mapping %zu bytes for the worker's results", sizeof(struct slab));
		close(fd);
		return NULL;
	}
	struct slab *slab = memory;
	slab->magic = SLAB_MAGIC;
	*ret_fd = fd;
	return slab;
}

struct slab *slab_attach(int fd)
{
	struct stat info;

	if (fstat(fd, &info) < 0 || info.st_size != (off_t)sizeof(struct slab))
		return NULL;
	void *memory = mmap(NULL, sizeof(struct slab), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	struct slab *slab = memory;
	if (slab->magic == SLAB_MAGIC && slab->points > 0 && slab->points <= SLAB_POINTS)
		return slab;
	slab_free(slab);
	return NULL;
}

void slab_free(struct slab *slab)
{
	if (slab)
		munmap(slab, sizeof *slab);
}
