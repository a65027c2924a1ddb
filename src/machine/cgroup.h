/* The control groups this process is in, v1 and v2, from its own upwards. */
#ifndef MACHINE_CGROUP_H
#define MACHINE_CGROUP_H

/* The directories whose limits bind this process, own group first, up to what is mounted: one allocation, each path
 * NUL-terminated, ended by an empty one. controller: a v1 controller ("memory", "cpu", "cpuset"), or NULL for the
 * unified hierarchy. Caller frees. NULL when this process sees no such hierarchy. */
char *cgroup_directories(const char *controller);

/* CPUs' worth of time that the tightest quota grants (cpu.max, cpu.cfs_quota_us); INFINITY when there is none, NaN when
 * no hierarchy that could hold one is visible. */
double cgroup_cpu_quota(void);

/* Control group paths of this process as /proc/self/cgroup has them. Caller frees; NULL when unreadable. */
char *cgroup_paths(void);

#endif
