#include "cmd/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/tree.h"

static const char prefix[] = "assay-run-";

/* A living run holds a lock on its directory, which the kernel lets go however the run ends: also right when another
 * container shares the place, where process numbers would say nothing. The lock is kept while the leftover is removed,
 * so that a run that has just made its directory, but not locked it yet, notices. */
static void remove_leftover(const char *path)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
		tree_remove(path);
	close(fd);
}

static void sweep(const char *directory)
{
	DIR *dir = opendir(directory);

	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		auto_free char *path = mem_text("%s/%s", directory, entry->d_name);
		remove_leftover(path);
	}
	closedir(dir);
}

/* ext4 puts a new directory, and with it the inodes of its files, into the block group of its parent, unless that is
 * marked as the top of hierarchies (chattr +T): then into any. A worker's files shall not land where the worker before
 * has just removed some, since ext4 steps over those one by one for a minute. Other file systems refuse the flag. */
static void spread_directories(int directory)
{
	int flags = 0;

	if (ioctl(directory, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_TOPDIR_FL;
		ioctl(directory, FS_IOC_SETFLAGS, &flags);
	}
}

/* Makes the directory and locks it; the descriptor stays open until the process ends. NULL: not made, or another run's
 * sweep was quicker than the lock. */
static char *make_locked(const char *directory)
{
	char *path = mem_text("%s/%s%d-XXXXXX", directory, prefix, (int)getpid());
	struct stat info;

	int fd = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0 && flock(fd, LOCK_EX) == 0 && fstat(fd, &info) == 0 && info.st_nlink > 0 && access(path, F_OK) == 0) {
		spread_directories(fd);
		return path;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return NULL;
}

char *scratch_make(void)
{
	const char *directory = getenv("TMPDIR");
	char *path = NULL;

	if (!directory || !*directory)
		directory = "/tmp";
	sweep(directory);
	for (int attempt = 0; !path && attempt < 3; attempt++)
		path = make_locked(directory);
	return path;
}

void scratch_remove(char *path)
{
	if (path)
		tree_remove(path);
	free(path);
}
