/* Directory trees. */
#ifndef BASE_TREE_H
#define BASE_TREE_H

/* Removes a directory with all in it, as far as it can: does not follow links, does not leave the file system.
 * 0, or -ENOTEMPTY when something stayed. */
int tree_remove(const char *path);

#endif
