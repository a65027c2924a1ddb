#include "machine/machine.h"

#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/mem.h"
#include "base/root.h"
#include "machine/machine_parts.h"

void machine_lacks(struct machine *machine, const char *what, const char *why, ...)
{
	char text[256];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof text, why, args);
	va_end(args);
	machine->lack = mem_room(machine->lack, machine->lacks, &machine->lack_capacity, sizeof *machine->lack);
	machine->lack[machine->lacks++] = (struct machine_lack){ mem_copy(what), mem_copy(text) };
}

char *machine_text(struct machine *machine, const char *what, const char *path)
{
	char *text = NULL;
	int r = root_read(path, &text);

	if (r < 0) {
		machine_lacks(machine, what, "%s: %s", path, strerror(-r));
		return NULL;
	}
	size_t length = strlen(text);
	while (length && strchr(" \t\n", text[length - 1]))
		text[--length] = '\0';
	if (length)
		return text;
	machine_lacks(machine, what, "%s is empty", path);
	free(text);
	return NULL;
}

int64_t machine_number(struct machine *machine, const char *what, const char *path)
{
	auto_free char *text = machine_text(machine, what, path);
	char *end;

	if (!text)
		return -1;
	long long value = strtoll(text, &end, 10);
	if (end != text)
		return value;
	machine_lacks(machine, what, "%s holds no number", path);
	return -1;
}

static char *hostname(struct machine *machine)
{
	char name[256] = "";

	if (root_is_recorded())
		return machine_text(machine, "hostname", "/proc/sys/kernel/hostname");
	if (gethostname(name, sizeof name - 1) == 0 && *name)
		return mem_copy(name);
	machine_lacks(machine, "hostname", "gethostname: %s", *name ? strerror(errno) : "the name is empty");
	return NULL;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" (os-release(5)). */
static char *os_name(struct machine *machine)
{
	auto_free char *text = NULL;

	if (root_read("/etc/os-release", &text) < 0 && root_read("/usr/lib/os-release", &text) < 0) {
		machine_lacks(machine, "os", "no os-release file");
		return NULL;
	}
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		if (strncmp(line, "PRETTY_NAME=", 12))
			continue;
		char *value = line + 12;
		size_t length = strlen(value);
		if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value)
			return mem_text("%.*s", (int)length - 2, value + 1);
		return mem_copy(value);
	}
	machine_lacks(machine, "os", "os-release has no PRETTY_NAME");
	return NULL;
}

void machine_read_build(struct machine *machine)
{
	struct machine_build *build = &machine->build;

	build->version = mem_copy(machine_build_version);
	if (root_is_recorded()) {
		machine_lacks(machine, "build", "the machine is a recorded tree: nothing was built or run on it");
		return;
	}
#ifdef __clang__
	build->compiler = mem_text("clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
	build->compiler = mem_text("gcc %s", __VERSION__);
#endif
	build->flags = mem_copy(machine_build_flags);
#ifdef __GLIBC__
	build->libc = mem_text("glibc %s", gnu_get_libc_version());
#else
	machine_lacks(machine, "build.libc", "this C library (musl?) does not tell its version");
#endif
}

static void note_topology(struct machine *machine)
{
	const struct topology *topology = &machine->topology;

	if (!topology->online_known) {
		static const char *const what[] = { "topology.threads", "topology.online", "topology.offline" };
		for (size_t i = 0; i < countof(what); i++)
			machine_lacks(machine, what[i], "neither /sys nor /proc is there: only the affinity is known");
	}
	if (!topology->packages)
		machine_lacks(machine, "topology.packages", "the firmware or the kernel does not say");
	if (!topology->cores)
		machine_lacks(machine, "topology.cores", "neither sysfs nor /proc/cpuinfo tells which CPUs share a core");
	if (!topology->threads_per_core)
		machine_lacks(machine, "topology.threads_per_core", "it is not known which CPUs share a core");
	if (!topology->allowed_known)
		machine_lacks(machine, "topology.allowed", "neither affinity nor cpuset can be read");
	if (!topology->caches)
		machine_lacks(machine, "topology.caches",
			      "sysfs describes no cache (as on many Arm and RISC-V boards and guests)");
	if (!topology->nodes)
		machine_lacks(machine, "topology.nodes",
			      "/sys/devices/system/node is missing: a kernel without NUMA, or no sysfs");
}

/* Gaps in single rows: one note for all rows is enough. */
static void note_rows(struct machine *machine)
{
	const struct topology *topology = &machine->topology;
	bool kind = false, cache = false, node = false;

	for (size_t i = 0; i < topology->kinds; i++) {
		const struct core_kind *row = &topology->kind[i];
		kind |= !row->name || !row->cores || row->capacity < 0 || !row->max_hz;
	}
	for (size_t i = 0; i < topology->caches; i++) {
		const struct cache *row = &topology->cache[i];
		cache |= !row->size_bytes || !row->line_bytes || !row->ways;
	}
	for (size_t i = 0; i < topology->nodes; i++)
		node |= !topology->node[i].memory_known;
	if (kind)
		machine_lacks(machine, "topology.kinds", "names come from hybrid PMUs or Arm's part numbers, capacities "
			      "from cpu_capacity, frequencies from cpufreq: what is null has no such source here");
	if (cache)
		machine_lacks(machine, "topology.caches", "sysfs gives some caches without size, line or ways");
	if (node)
		machine_lacks(machine, "topology.nodes", "a node's meminfo cannot be read");
}

static void note_memory(struct machine *machine)
{
	const struct memory *memory = &machine->memory;

	if (!memory->total_bytes)
		machine_lacks(machine, "memory.total_bytes", "/proc/meminfo cannot be read");
	if (!memory->available_bytes)
		machine_lacks(machine, "memory.available_bytes", "/proc/meminfo cannot be read");
	if (memory->swap_bytes < 0)
		machine_lacks(machine, "memory.swap_bytes", "/proc/meminfo has no SwapTotal");
	if (!memory->usable_bytes)
		machine_lacks(machine, "memory.usable_bytes", "neither /proc/meminfo nor a limit can be read");
	if (!memory->page_bytes)
		machine_lacks(machine, "memory.page_bytes", "the recorded tree does not say (no /proc/self/smaps)");
	if (!memory->thp_mode)
		machine_lacks(machine, "memory.thp_mode", "/sys/kernel/mm/transparent_hugepage/enabled is missing");
	if (!memory->thp_bytes)
		machine_lacks(machine, "memory.thp_bytes",
			      "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size is missing");
	if (!memory->hugepage_bytes)
		machine_lacks(machine, "memory.hugepage_bytes", "/proc/meminfo has no Hugepagesize: no hugetlbfs");
	if (memory->hugepages < 0)
		machine_lacks(machine, "memory.hugepages", "/proc/meminfo has no HugePages_Total: no hugetlbfs");
	if (memory->hugepages_free < 0)
		machine_lacks(machine, "memory.hugepages_free", "/proc/meminfo has no HugePages_Free: no hugetlbfs");
}

static void read_timer(struct machine *machine)
{
	if (root_is_recorded()) {
		machine_lacks(machine, "timer", "the machine is a recorded tree: there is no clock to read");
		return;
	}
	timer_self_test(&machine->timer);
	if (isnan(machine->timer.grain_ns))
		machine_lacks(machine, "timer.grain_ns", "the clock did not step within 20 ms");
}

int machine_read(struct machine *machine, struct err *err)
{
	*machine = (struct machine){ 0 };
	int r = topology_read(&machine->topology, TOPOLOGY_ANY, err);
	if (r < 0)
		machine_lacks(machine, "topology", "%s", err && *err->text ? err->text : strerror(-r));
	memory_read(&machine->memory);
	if (r == 0) {
		note_topology(machine);
		note_rows(machine);
	}
	note_memory(machine);
	machine->hostname = hostname(machine);
	machine->os = os_name(machine);
	machine_read_cpu(machine);
	machine_read_frequency(machine);
	machine_read_kernel(machine);
	machine_read_virtual(machine);
	machine_read_build(machine);
	read_timer(machine);
	return r;
}

static void free_texts(char **text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(text[i]);
}

void machine_done(struct machine *machine)
{
	if (!machine)
		return;
	struct machine_cpu *cpu = &machine->cpu;
	struct machine_frequency *frequency = &machine->frequency;
	struct machine_kernel *kernel = &machine->kernel;
	struct machine_virtual *virt = &machine->virt;
	struct machine_build *build = &machine->build;
	char *texts[] = {
		machine->hostname, machine->os, cpu->architecture, cpu->model, cpu->vendor, cpu->stepping,
		cpu->microcode, cpu->isa, frequency->driver, frequency->governor, frequency->preference,
		frequency->pstate, kernel->release, kernel->version, kernel->preemption, kernel->cmdline, kernel->clocksource,
		kernel->clocksources, kernel->lsm, kernel->smt, kernel->boot_id, virt->hypervisor, virt->emulation,
		virt->container, virt->product, build->version, build->compiler, build->flags, build->libc,
	};

	free_texts(texts, countof(texts));
	topology_done(&machine->topology);
	memory_done(&machine->memory);
	for (size_t i = 0; i < machine->mitigations; i++)
		free_texts((char *[]){ machine->mitigation[i].name, machine->mitigation[i].state }, 2);
	for (size_t i = 0; i < machine->lacks; i++)
		free_texts((char *[]){ machine->lack[i].what, machine->lack[i].why }, 2);
	free(machine->mitigation);
	free(machine->lack);
	*machine = (struct machine){ 0 };
}

bool machine_is_emulated(const struct machine *machine)
{
	return machine->virt.emulation && strcmp(machine->virt.emulation, "none");
}

static enum known loopback_by_socket(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return KNOWN_NOT;
	int r = ioctl(fd, SIOCGIFFLAGS, &request);
	int code = r < 0 ? errno : 0;
	close(fd);
	if (code)
		return code == ENODEV ? KNOWN_NO : KNOWN_NOT;
	return request.ifr_flags & IFF_UP ? KNOWN_YES : KNOWN_NO;
}

enum known machine_has_loopback(void)
{
	uint64_t flags;

	/* A socket sees this process's own network namespace, while /sys may have been mounted in another. */
	if (!root_is_recorded()) {
		enum known known = loopback_by_socket();
		if (known != KNOWN_NOT)
			return known;
	}
	if (root_number(&flags, "/sys/class/net/lo/flags") < 0)
		return root_exists("/sys/class/net") ? KNOWN_NO : KNOWN_NOT;
	return flags & IFF_UP ? KNOWN_YES : KNOWN_NO;
}
