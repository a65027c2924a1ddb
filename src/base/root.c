#include "base/root.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum { PATH_BYTES = 512 };

static char *recorded; /* the one piece of state: which machine is looked at */

void root_set(const char *directory)
{
	free(recorded);
	recorded = directory && *directory ? mem_copy(directory) : NULL;
}

bool root_is_recorded(void)
{
	return recorded != NULL;
}

char *root_path(const char *path)
{
	return mem_text("%s%s", recorded ? recorded : "", path);
}

int root_read(const char *path, char **ret_text)
{
	auto_free char *full = root_path(path);
	struct stat info;

	/* In a tree that somebody recorded, anything may lie where a file should: a pipe would block, a device never end. */
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode)) {
		close(fd);
		return S_ISDIR(info.st_mode) ? -EISDIR : -EINVAL;
	}

	/* Sizes of kernel files say nothing, so read until the end; 4 MiB is beyond any file assay asks for. */
	struct text out = { 0 };
	char block[4096];
	ssize_t got = 0;
	while (out.length < (4u << 20)) {
		got = read(fd, block, sizeof block);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		text_bytes(&out, block, (size_t)got);
	}
	int r = got < 0 ? -errno : 0;
	close(fd);
	if (r < 0) {
		text_done(&out);
		return r;
	}
	if (out.length && out.at[out.length - 1] == '\n')
		out.at[--out.length] = '\0';
	*ret_text = text_take(&out);
	return 0;
}

int root_readf(char **ret_text, const char *fmt, ...)
{
	char path[PATH_BYTES];
	va_list args;

	va_start(args, fmt);
	int length = vsnprintf(path, sizeof path, fmt, args);
	va_end(args);
	return length < PATH_BYTES ? root_read(path, ret_text) : -ENAMETOOLONG;
}

static int leading_number(const char *text, uint64_t *ret_value)
{
	char *end;

	while (isblank((unsigned char)*text)) /* no line end: the next line's number belongs to another key */
		text++;
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	/* Not base 0: "010" is ten here. */
	bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	errno = 0;
	unsigned long long value = strtoull(text, &end, hexadecimal ? 16 : 10);
	if (errno)
		return -errno;
	*ret_value = value;
	return 0;
}

int root_number(uint64_t *ret_value, const char *fmt, ...)
{
	char path[PATH_BYTES];
	auto_free char *text = NULL;
	va_list args;

	va_start(args, fmt);
	int length = vsnprintf(path, sizeof path, fmt, args);
	va_end(args);
	int r = length < PATH_BYTES ? root_read(path, &text) : -ENAMETOOLONG;
	return r < 0 ? r : leading_number(text, ret_value);
}

int root_field(const char *path, const char *key, uint64_t *ret_value)
{
	auto_free char *text = NULL;
	size_t length = strlen(key);
	int r = root_read(path, &text);

	if (r < 0)
		return r;
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, key, length))
			continue;
		const char *rest = line + length;
		if (*rest == ':' || *rest == ' ' || *rest == '\t')
			return leading_number(rest + (*rest == ':'), ret_value);
	}
	return -ENOENT;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

ssize_t root_list(const char *path, char **ret_names)
{
	auto_free char *full = root_path(path);
	DIR *dir = opendir(full);
	char **names = NULL;
	size_t count = 0, capacity = 0;
	struct text out = { 0 };

	if (!dir)
		return -errno;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		names = mem_room(names, count, &capacity, sizeof *names);
		names[count++] = mem_copy(entry->d_name);
	}
	closedir(dir);
	if (count)
		qsort(names, count, sizeof *names, by_name);
	for (size_t i = 0; i < count; i++) {
		text_bytes(&out, names[i], strlen(names[i]) + 1);
		free(names[i]);
	}
	text_bytes(&out, "", 1);
	free(names);
	*ret_names = text_take(&out);
	return (ssize_t)count;
}

bool root_exists(const char *path)
{
	auto_free char *full = root_path(path);

	return access(full, F_OK) == 0;
}
