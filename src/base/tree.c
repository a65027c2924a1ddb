#include "base/tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

/* One is slower in deep trees, which these are not, and works where descriptors are short. */
enum { OPEN_DIRECTORIES = 1 };

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
	(void)info, (void)type, (void)ftw;
	remove(path); /* what stays shows at the end */
	return 0;
}

int tree_remove(const char *path)
{
	nftw(path, remove_entry, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	return access(path, F_OK) == 0 ? -ENOTEMPTY : 0;
}
