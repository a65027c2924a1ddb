#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "base/root.h"
#include "machine/machine_parts.h"

/* "Linux version 6.1.0 (…) #1 SMP …": release is the third word, version begins at the '#'. */
static char *from_proc_version(bool release)
{
	auto_free char *text = NULL;

	if (root_read("/proc/version", &text) < 0 || strncmp(text, "Linux version ", 14))
		return NULL;
	const char *name = text + 14;
	if (release)
		return mem_text("%.*s", (int)strcspn(name, " "), name);
	const char *hash = strstr(name, " #");
	return hash ? mem_copy(hash + 1) : NULL;
}

static void read_names(struct machine *machine)
{
	struct machine_kernel *kernel = &machine->kernel;
	struct utsname name;

	if (!root_is_recorded() && uname(&name) == 0) {
		kernel->release = mem_copy(name.release);
		kernel->version = mem_copy(name.version);
		return;
	}
	if (root_read("/proc/sys/kernel/osrelease", &kernel->release) < 0)
		kernel->release = from_proc_version(true);
	if (root_read("/proc/sys/kernel/version", &kernel->version) < 0)
		kernel->version = from_proc_version(false);
	if (!kernel->release)
		machine_lacks(machine, "kernel.release", "neither /proc/sys/kernel/osrelease nor /proc/version");
	if (!kernel->version)
		machine_lacks(machine, "kernel.version", "neither /proc/sys/kernel/version nor /proc/version");
}

/* Is word a blank-separated word of text? */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; at && (at = strstr(at, word)); at += length) {
		if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	}
	return false;
}

/* The mode in use of a kernel that can change it: debugfs marks it "none voluntary (full) lazy" (kernel/sched/debug.c);
 * where that cannot be read, the boot parameter preempt=. */
static char *dynamic_mode(const struct machine_kernel *kernel)
{
	auto_free char *text = NULL;

	if (root_read("/sys/kernel/debug/sched/preempt", &text) == 0) {
		char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
		if (close)
			return mem_text("%.*s", (int)(close - open - 1), open + 1);
	}
	const char *set = kernel->cmdline ? strstr(kernel->cmdline, "preempt=") : NULL;
	if (set && (set == kernel->cmdline || set[-1] == ' '))
		return mem_text("%.*s", (int)strcspn(set + 8, " "), set + 8);
	return mem_copy("dynamic");
}

/* The version text has no word for either; the configuration beside the kernel has. */
static char *without_preemption(const struct machine_kernel *kernel)
{
	auto_free char *config = NULL;

	if (!kernel->release || root_readf(&config, "/boot/config-%s", kernel->release) < 0)
		return mem_copy("none or voluntary");
	return mem_copy(strstr(config, "\nCONFIG_PREEMPT_VOLUNTARY=y") ? "voluntary" : "none");
}

static char *preemption(struct machine *machine)
{
	const struct machine_kernel *kernel = &machine->kernel;
	uint64_t realtime = 0;

	if ((root_number(&realtime, "/sys/kernel/realtime") == 0 && realtime) ||
	    has_word(kernel->version, "PREEMPT_RT"))
		return mem_copy("rt");
	if (!kernel->version) {
		machine_lacks(machine, "kernel.preemption", "the kernel's version text is not known");
		return NULL;
	}
	if (has_word(kernel->version, "PREEMPT_DYNAMIC"))
		return dynamic_mode(kernel);
	return has_word(kernel->version, "PREEMPT") ? mem_copy("full") : without_preemption(kernel);
}

static int64_t timer_slack_ns(struct machine *machine)
{
	if (root_is_recorded())
		return machine_number(machine, "kernel.timer_slack_ns", "/proc/self/timerslack_ns");
	/* The library's prctl hands an int back, and a slack beyond 2 s does not happen. */
	int slack = prctl(PR_GET_TIMERSLACK);
	if (slack < 0)
		machine_lacks(machine, "kernel.timer_slack_ns", "prctl(PR_GET_TIMERSLACK): %s", strerror(errno));
	return slack < 0 ? -1 : slack;
}

static void read_mitigations(struct machine *machine)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	auto_free char *names = NULL;
	ssize_t count = root_list(folder, &names);

	if (count < 0) {
		machine_lacks(machine, "mitigations", "%s: %s", folder, strerror((int)-count));
		return;
	}
	machine->mitigation = mem_new((size_t)count + 1, sizeof *machine->mitigation);
	for (const char *name = names; *name; name += strlen(name) + 1) {
		struct machine_mitigation *row = &machine->mitigation[machine->mitigations++];
		row->name = mem_copy(name);
		auto_free char *path = mem_text("%s/%s", folder, name);
		auto_free char *what = mem_text("mitigations.%s", name);
		row->state = machine_text(machine, what, path);
	}
}

void machine_read_kernel(struct machine *machine)
{
	struct machine_kernel *kernel = &machine->kernel;
	static const char clock[] = "/sys/devices/system/clocksource/clocksource0";
	auto_free char *current = mem_text("%s/current_clocksource", clock);
	auto_free char *available = mem_text("%s/available_clocksource", clock);

	read_names(machine);
	kernel->cmdline = machine_text(machine, "kernel.cmdline", "/proc/cmdline");
	kernel->preemption = preemption(machine);
	kernel->clocksource = machine_text(machine, "kernel.clocksource", current);
	kernel->clocksources = machine_text(machine, "kernel.clocksources", available);
	kernel->lsm = machine_text(machine, "kernel.lsm", "/sys/kernel/security/lsm");
	kernel->smt = machine_text(machine, "kernel.smt", "/sys/devices/system/cpu/smt/control");
	kernel->boot_id = machine_text(machine, "kernel.boot_id", "/proc/sys/kernel/random/boot_id");
	kernel->aslr = machine_number(machine, "kernel.aslr", "/proc/sys/kernel/randomize_va_space");
	kernel->numa_balancing = machine_number(machine, "kernel.numa_balancing", "/proc/sys/kernel/numa_balancing");
	kernel->timer_slack_ns = timer_slack_ns(machine);
	read_mitigations(machine);
}
