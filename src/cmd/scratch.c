#include "cmd/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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

/* A directory is a leftover when it is ours and the process in its name is gone. Another PID namespace may share the
 * place: an hour's age keeps its runs safe. */
static bool is_leftover(const char *path, const char *name)
{
	struct stat info;
	long pid = strtol(name + strlen(prefix), NULL, 10);

	if (pid <= 0 || lstat(path, &info) < 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
		return false;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH && time(NULL) - info.st_mtime > 3600;
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
		if (is_leftover(path, entry->d_name))
			remove_tree(path);
	}
	closedir(dir);
}

char *scratch_make(void)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory)
		directory = "/tmp";
	sweep(directory);
	char *path = mem_text("%s/%s%d-XXXXXX", directory, prefix, (int)getpid());
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

void scratch_remove(char *path)
{
	if (path)
		remove_tree(path);
	free(path);
}
