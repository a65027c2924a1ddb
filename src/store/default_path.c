/* Where the book is when nobody says so. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/book.h"

#define LAST_RESORT "./assay.db"

/* Can a book be written here: the file if it exists, else the nearest directory above that does? */
static bool is_usable(const char *path)
{
	struct stat info;

	if (stat(path, &info) == 0)
		return access(path, W_OK) == 0;
	auto_free char *above = mem_copy(path);
	do {
		char *cut = strrchr(above, '/');
		if (!cut)
			return false;
		if (cut == above)
			return access("/", W_OK) == 0;
		*cut = '\0';
	} while (stat(above, &info) < 0);
	return S_ISDIR(info.st_mode) && access(above, W_OK | X_OK) == 0;
}

static const char *set_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The places below the user's data directory: a home that does not exist is not made. The XDG base directory
 * specification has relative paths ignored. */
static size_t candidates(char *path[2])
{
	const char *data = set_variable("XDG_DATA_HOME");
	const char *home = set_variable("HOME");
	size_t count = 0;

	if (data && *data == '/')
		path[count++] = mem_text("%s/assay/book.db", data);
	if (home && *home == '/' && is_directory(home))
		path[count++] = mem_text("%s/.local/share/assay/book.db", home);
	return count;
}

static char *describe(size_t count, char *const path[2])
{
	if (!count)
		return mem_text("there is no home directory: the book is " LAST_RESORT);
	return mem_text("%s cannot be written: the book is " LAST_RESORT, path[count - 1]);
}

void book_default_path(const char *option, bool for_writing, char **ret_path, char **ret_notice)
{
	char *path[2] = { NULL, NULL };
	const char *chosen = option ? option : set_variable("ASSAY_BOOK");

	*ret_notice = NULL;
	if (chosen) {
		*ret_path = mem_copy(chosen);
		return;
	}
	size_t count = candidates(path);
	for (size_t i = 0; i < count && !chosen; i++)
		chosen = is_usable(path[i]) ? path[i] : NULL;
	bool fell_through = !chosen;
	if (!chosen)
		chosen = LAST_RESORT;
	/* A book in a home that became read-only can still be read. */
	if (!for_writing && access(chosen, F_OK) < 0) {
		for (size_t i = 0; i < count; i++) {
			if (access(path[i], R_OK) < 0)
				continue;
			chosen = path[i];
			fell_through = false;
			break;
		}
	}
	*ret_path = mem_copy(chosen);
	*ret_notice = fell_through ? describe(count, path) : NULL;
	free(path[0]);
	free(path[1]);
}
