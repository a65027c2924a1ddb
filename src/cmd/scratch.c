#include "cmd/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
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

static const char prefix[] = "assay-run-";

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
	(void)info, (void)type, (void)ftw;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* A living run holds a lock on its directory, which the kernel lets go however the run ends: also right when another
 * container shares the place, where process numbers would say nothing. */
static bool is_leftover(const char *path)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	bool leftover = fstat(fd, &info) == 0 && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return leftover;
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
		if (is_leftover(path))
			remove_tree(path);
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

char *scratch_make(void)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory)
		directory = "/tmp";
	sweep(directory);
	char *path = mem_text("%s/%s%d-XXXXXX", directory, prefix, (int)getpid());
	if (mkdtemp(path)) {
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0) {
			flock(fd, LOCK_EX | LOCK_NB); /* kept open until the process ends */
			spread_directories(fd);
		}
		return path;
	}
	free(path);
	return NULL;
}

void scratch_remove(char *path)
{
	if (path)
		remove_tree(path);
	free(path);
}
