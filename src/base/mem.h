/* Bookkeeping memory: an allocator that cannot fail (it ends the program with one line instead).
 *
 * Memory that *is* the workload never comes from here; kit/buffer maps that, and fails as an error.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Zeroed memory for count things of size bytes. */
void *mem_new(size_t count, size_t size);
void *mem_grow(void *old, size_t count, size_t size);
char *mem_copy(const char *text);                   /* strdup; NULL stays NULL */
char *mem_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more in an array that doubles: *capacity is updated, the (possibly moved) array returned. */
void *mem_room(void *array, size_t used, size_t *capacity, size_t size);

void mem_free_ptr(void *pointer_to_pointer);
#define auto_free __attribute__((cleanup(mem_free_ptr)))

#define countof(array) (sizeof(array) / sizeof((array)[0]))

#endif
