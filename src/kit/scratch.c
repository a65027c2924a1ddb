#include "kit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { CHUNK_WORDS = 8192 };

uint64_t scratch_sum(uint64_t first_word, uint64_t words)
{
	/* first + (first + 1) + … : one of the two factors of the triangle is even. */
	uint64_t triangle = words % 2 ? (words - 1) / 2 * words : words / 2 * (words - 1);

	return words ? first_word * words + triangle : 0;
}

static int fill(int fd, uint64_t size)
{
	uint64_t chunk[CHUNK_WORDS];

	for (uint64_t done = 0; done < size;) {
		size_t length = size - done < sizeof chunk ? (size_t)(size - done) : sizeof chunk;
		for (size_t i = 0; i < length / 8; i++)
			chunk[i] = done / 8 + i;
		ssize_t written = write(fd, chunk, length);
		if (written < 0)
			return -errno;
		if (written % 8)
			return -ENOSPC; /* a file that ends in mid-word: the next write would tell why */
		done += (uint64_t)written;
	}
	return 0;
}

int scratch_file(const char *directory, const char *name, uint64_t size, struct err *err)
{
	char path[1024];

	if (size % 8)
		return err_set(err, -EINVAL, "size is %" PRIu64 " bytes, but must be a multiple of 8", size);
	snprintf(path, sizeof path, "%s/%s", directory, name);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(err, -errno, "making %s", path);
	unlink(path);
	int r = fill(fd, size);
	if (r == 0)
		return fd;
	close(fd);
	return err_sys(err, r, "writing %" PRIu64 " bytes to %s", size, path);
}

uint64_t scratch_disk_bytes(void)
{
	struct rusage usage;

	/* Blocks of 512 bytes whatever the file system (fs/proc, task_io_get_inblock). */
	return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_inblock * 512 : 0;
}

const char *scratch_file_system(const char *directory)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{ EXT4_SUPER_MAGIC, "on ext4 (or ext2, ext3)" },
		{ TMPFS_MAGIC, "on tmpfs" },
		{ OVERLAYFS_SUPER_MAGIC, "on overlayfs" },
		{ BTRFS_SUPER_MAGIC, "on btrfs" },
		{ XFS_SUPER_MAGIC, "on xfs" },
		{ F2FS_SUPER_MAGIC, "on f2fs" },
		{ NFS_SUPER_MAGIC, "on nfs" },
		{ 0x2fc12fc1, "on zfs" },
		{ 0x65735546, "on fuse" },
	};
	struct statfs info;

	if (statfs(directory, &info) == 0) {
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
			if ((unsigned long)info.f_type == known[i].magic)
				return known[i].name;
		}
	}
	return "on a file system that has no name here";
}
