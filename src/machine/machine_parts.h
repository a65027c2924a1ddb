/* Between the files that read and tell a struct machine; nobody else includes this. */
#ifndef MACHINE_MACHINE_PARTS_H
#define MACHINE_MACHINE_PARTS_H

#include "machine/machine.h"

/* Notes that `what` (dotted, as in the JSON) is not known, and why. */
void machine_lacks(struct machine *machine, const char *what, const char *why, ...)
	__attribute__((format(printf, 3, 4)));

/* A small file as text without trailing blanks; NULL and a note when it is unreadable or empty. Caller frees. */
char *machine_text(struct machine *machine, const char *what, const char *path);

/* A number out of a file; -1 and a note when there is none. */
int64_t machine_number(struct machine *machine, const char *what, const char *path);

/* Each fills its part; topology comes first, since others ask it. */
void machine_read_cpu(struct machine *machine);
void machine_read_frequency(struct machine *machine);
void machine_read_kernel(struct machine *machine);
void machine_read_virtual(struct machine *machine);
void machine_read_build(struct machine *machine);

/* CPUs of the architecture that a cpuinfo text betrays: "x86_64", "aarch64" …; NULL when it could be several. Static. */
const char *machine_architecture_of(const char *cpuinfo);

extern const char machine_build_version[], machine_build_flags[]; /* filled in by Meson: build.c.in */

#endif
