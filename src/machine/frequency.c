#include <stdlib.h>

#include "base/mem.h"
#include "base/root.h"
#include "machine/machine_parts.h"

static char *policy_text(int cpu, const char *file)
{
	char *text = NULL;

	return root_readf(&text, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, file) < 0 ? NULL : text;
}

/* The files hold kHz (Documentation/admin-guide/pm/cpufreq.rst). */
static uint64_t policy_hz(int cpu, const char *file)
{
	uint64_t khz = 0;

	root_number(&khz, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", cpu, file);
	return khz * 1000;
}

/* One switch for all CPUs: cpufreq/boost, or intel_pstate's with the opposite sense. */
static enum known boost(void)
{
	uint64_t value;

	if (root_number(&value, "/sys/devices/system/cpu/cpufreq/boost") == 0)
		return value ? KNOWN_YES : KNOWN_NO;
	if (root_number(&value, "/sys/devices/system/cpu/intel_pstate/no_turbo") == 0)
		return value ? KNOWN_NO : KNOWN_YES;
	return KNOWN_NOT;
}

static char *pstate(void)
{
	char *text = NULL;

	if (root_read("/sys/devices/system/cpu/intel_pstate/status", &text) == 0 ||
	    root_read("/sys/devices/system/cpu/amd_pstate/status", &text) == 0)
		return text;
	return NULL;
}

static void note_gaps(struct machine *machine)
{
	const struct machine_frequency *frequency = &machine->frequency;

	if (!frequency->driver && !frequency->governor) {
		machine_lacks(machine, "frequency", "no cpufreq driver in sysfs: the hypervisor or the firmware "
			      "sets the clock without telling");
		return;
	}
	if (!frequency->preference)
		machine_lacks(machine, "frequency.preference", "the driver has no energy_performance_preference");
	if (!frequency->pstate)
		machine_lacks(machine, "frequency.pstate", "neither intel_pstate nor amd_pstate is there");
	if (frequency->boost == KNOWN_NOT)
		machine_lacks(machine, "frequency.boost", "neither cpufreq/boost nor intel_pstate/no_turbo in sysfs");
	if (!frequency->driver || !frequency->governor || !frequency->min_hz || !frequency->max_hz ||
	    !frequency->policy_min_hz || !frequency->policy_max_hz)
		machine_lacks(machine, "frequency", "what is null has no file in the cpufreq directory");
}

void machine_read_frequency(struct machine *machine)
{
	const struct cpulist *allowed = &machine->topology.allowed;
	struct machine_frequency *frequency = &machine->frequency;
	int cpu = allowed->count ? allowed->cpu[0] : 0;

	*frequency = (struct machine_frequency){
		.driver = policy_text(cpu, "scaling_driver"),
		.governor = policy_text(cpu, "scaling_governor"),
		.preference = policy_text(cpu, "energy_performance_preference"),
		.pstate = pstate(),
		.boost = boost(),
		.min_hz = policy_hz(cpu, "cpuinfo_min_freq"),
		.max_hz = policy_hz(cpu, "cpuinfo_max_freq"),
		.policy_min_hz = policy_hz(cpu, "scaling_min_freq"),
		.policy_max_hz = policy_hz(cpu, "scaling_max_freq"),
	};
	note_gaps(machine);
}
