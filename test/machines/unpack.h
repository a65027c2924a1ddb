/* Recorded machines as text: a manifest becomes a tree of files below a temporary directory.
 *
 *   # a comment, before the first entry only
 *   === /path                  the lines that follow are the file's content; the same path again appends to it
 *   === /path = text           a file of one line
 *   @for i FIRST LAST … @end   the lines between, once for every i; {i/16*32+5} is replaced, computed left to right
 *   @core PACKAGE CORE LIST    topology directories of the CPUs of one core (PACKAGE may be -1)
 *   @cache LEVEL TYPE SIZE LINE WAYS LIST   the next cache/indexN of every CPU in LIST; "-" leaves a file out
 *   @node NODE KB LIST         a NUMA node
 *   @names old|new             only the old (thread_siblings, before Linux 5.3) or new (core_cpus) names of CPU sets
 *
 * Where the manifest does not give them, cpu/online and cpu/present are made from the CPUs that have a @core line, and
 * node/online from the nodes.
 */
#ifndef MACHINES_UNPACK_H
#define MACHINES_UNPACK_H

enum { UNPACK_PATH = 256 };

/* Makes a fresh directory and unpacks the machine of this name into it. 0, or -errno after a line on standard error. */
int unpack_machine(const char *manifests, const char *name, char ret_directory[UNPACK_PATH]);

/* The same into a directory that exists. */
int unpack_into(const char *manifest, const char *directory);

void unpack_remove(const char *directory);

#endif
