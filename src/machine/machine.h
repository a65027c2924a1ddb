/* What this machine is: everything a reader of a figure needs to know about where it was measured.
 *
 * Read from /proc, /sys and, on the real machine only, a few system calls; with a recorded tree (base/root.h) nothing
 * is asked from the machine underneath. A fact that cannot be known is NULL, 0 or -1 as said beside it, appears as null
 * in JSON, and has an entry in `lack` that says why.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/memory.h"
#include "machine/timer.h"
#include "machine/topology.h"

struct json; /* base/json.h, whose names clash with jansson's: not for every reader of this header */

enum known { KNOWN_NOT = -1, KNOWN_NO = 0, KNOWN_YES = 1 };

struct machine_cpu {
	char *architecture; /* "x86_64", "aarch64", as uname -m */
	char *model;
	char *vendor;
	char *stepping;     /* family/model/stepping, or variant and revision, in the architecture's own words */
	char *microcode;
	char *isa;          /* RISC-V: the ISA string */
};

/* cpufreq of the first allowed CPU (core kinds have their own highest frequency in the topology). */
struct machine_frequency {
	char *driver;
	char *governor;
	char *preference; /* energy_performance_preference */
	char *pstate;     /* status of intel_pstate or amd_pstate */
	enum known boost;
	uint64_t min_hz, max_hz;           /* of the hardware; 0 when unknown */
	uint64_t policy_min_hz, policy_max_hz; /* what the policy allows; 0 when unknown */
};

struct machine_kernel {
	char *release;
	char *version;    /* uname -v */
	char *preemption; /* "none", "voluntary", "full", "lazy", "rt", "dynamic" (mode not readable), NULL */
	char *cmdline;
	char *clocksource;
	char *clocksources; /* available, blanks between */
	char *lsm;          /* commas between */
	char *smt;          /* "on", "off", "forceoff", "notsupported", "notimplemented" */
	char *boot_id;
	int64_t aslr;           /* randomize_va_space; -1 when unknown, as are the others */
	int64_t numa_balancing;
	int64_t timer_slack_ns; /* of the calling thread */
};

struct machine_virtual {
	char *hypervisor; /* "none", "kvm", "vmware", "xen", "hyperv", "unidentified" (there is one); NULL: unknown */
	char *emulation;  /* "none", "tcg", "qemu-user"; NULL when unknown: timings of an emulated machine mean nothing */
	char *container;  /* "none", "docker", "podman", "lxc", "kubernetes", "systemd-nspawn", …; NULL when unknown */
	char *product;    /* DMI vendor and product, or the device tree's model */
	double cpu_quota; /* CPUs' worth of time per second that cgroups grant; INFINITY: no quota; NaN: unknown */
};

struct machine_build {
	char *version;  /* of assay */
	char *compiler;
	char *flags;
	char *libc;
};

struct machine_mitigation {
	char *name, *state;
};

struct machine_lack {
	char *what, *why; /* "cpu.microcode", "/proc/cpuinfo has no line about it" */
};

struct machine {
	char *hostname;
	char *os; /* PRETTY_NAME of os-release */
	struct machine_cpu cpu;
	struct topology topology; /* no CPUs when even they are unknown */
	struct memory memory;
	struct machine_frequency frequency;
	struct machine_kernel kernel;
	struct machine_virtual virt;
	struct machine_build build;
	struct timer_facts timer; /* name NULL for a recorded tree */
	struct machine_mitigation *mitigation;
	size_t mitigations;
	struct machine_lack *lack;
	size_t lacks, lack_capacity;
};

/* Always succeeds as far as it can: 0, or -errno when not even the CPUs could be counted (the rest is filled). */
int machine_read(struct machine *machine, struct err *err);
void machine_done(struct machine *machine);

/* One JSON object, schema assay.machine/1. */
void machine_json(const struct machine *machine, struct json *json);

/* The same as a document on one line, as run.machine holds it. Caller frees. */
char *machine_document(const struct machine *machine);

/* Is the lo interface up? KNOWN_NOT when neither sysfs nor a socket can tell. */
enum known machine_has_loopback(void);

/* Does the machine only imitate its CPU (TCG, qemu-user)? Then no time means anything. */
bool machine_is_emulated(const struct machine *machine);

#endif
