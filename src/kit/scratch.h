/* Files for benches that read: made in the process's scratch directory, of known content. */
#ifndef KIT_SCRATCH_H
#define KIT_SCRATCH_H

#include <stdint.h>

#include "base/err.h"

/* The 8-byte words of such a file count 0, 1, 2 …: the sum of any stretch is known without reading it. */
uint64_t scratch_sum(uint64_t first_word, uint64_t words); /* modulo 2^64 */

/* Makes directory/name with size bytes (a multiple of 8) of that content, open for reading and writing and unlinked.
 * The descriptor, or a negative errno with a sentence. */
int scratch_file(const char *directory, const char *name, uint64_t size, struct err *err);

/* Bytes that this process has had to read from storage so far (getrusage(2)); 0 where the kernel does not count. A file
 * that is meant to be in the page cache, and is not, shows here. */
uint64_t scratch_disk_bytes(void);

/* Which file system holds directory, as a remark: "on tmpfs", or that it has no name here. Static text. */
const char *scratch_file_system(const char *directory);

#endif
