/* Between the files that build a topology; nobody else includes this. */
#ifndef MACHINE_TOPOLOGY_BUILD_H
#define MACHINE_TOPOLOGY_BUILD_H

#include "base/err.h"
#include "machine/topology.h"

/* Fill online, cpu (package, core, node), cache, node, packages and cores of a zeroed topology. 0 or -errno; after an
 * error what was filled still needs topology_done. */
int topology_from_hwloc(struct topology *topology, struct err *err);
int topology_from_sysfs(struct topology *topology, struct err *err);

/* Fill kind of a topology that has everything else. */
void topology_find_kinds(struct topology *topology);

/* Makes the row of every online CPU, nothing known about it yet. */
void topology_make_cpus(struct topology *topology);

/* For writing: the row of cpu, or NULL. */
struct topology_cpu *topology_row(struct topology *topology, int cpu);

void topology_add_cache(struct topology *topology, const struct cache *cache); /* takes over what it owns */
struct topology_node *topology_add_node(struct topology *topology, int node);

#endif
