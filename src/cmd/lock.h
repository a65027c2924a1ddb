/* One run at a time: two would measure each other. */
#ifndef CMD_LOCK_H
#define CMD_LOCK_H

#include <stdbool.h>

/* True when no other assay has claimed the same scope on this machine (as far as this network namespace can tell): the
 * machine itself (NULL), or a book, by device and inode of its file. The claim lasts until the process ends, however it
 * ends; it leaves no file. */
bool lock_claim(const char *book_path);

#endif
