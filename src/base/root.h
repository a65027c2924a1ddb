/* The only door to /proc and /sys. It can be pointed at a recorded tree, so that any machine is a test fixture.
 *
 * Paths are absolute as the kernel spells them ("/proc/meminfo"). Nothing else in the program may hold a literal
 * that begins with /proc or /sys; a test sees to that.
 */
#ifndef BASE_ROOT_H
#define BASE_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All later reads happen below this directory; NULL or "" means the real machine. The text is copied. */
void root_set(const char *directory);
bool root_is_recorded(void);

/* A whole small file, NUL-terminated, one trailing newline removed. Caller frees. 0 or -errno. */
int root_read(const char *path, char **ret_text);

/* The path may be built with printf's conversions; the rest as root_read. */
int root_readf(char **ret_text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A decimal (or 0x…) number at the start of a file. 0, -errno, or -EINVAL when there is no number. */
int root_number(uint64_t *ret_value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* First line of /proc/meminfo-like files that begins with key (colon or blank behind it); number in its own unit. */
int root_field(const char *path, const char *key, uint64_t *ret_value);

/* Names in a directory, sorted, without . and ..; one allocation, each name NUL-terminated, ended by an empty name.
 * Caller frees. Number of names or -errno. */
ssize_t root_list(const char *path, char **ret_names);

bool root_exists(const char *path);

/* The path with the root before it, for a library that opens files itself (hwloc's fsroot). Caller frees. */
char *root_path(const char *path);

#endif
