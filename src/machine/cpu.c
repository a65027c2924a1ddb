#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "base/root.h"
#include "base/text.h"
#include "machine/cpuinfo.h"
#include "machine/machine_parts.h"

static const char *const model_keys[] = { "model name", "Model Name", "cpu model", "uarch", "cpu", NULL };
static const char *const vendor_keys[] = { "vendor_id", "CPU Vendor", "system type", NULL };
static const char *const isa_keys[] = { "isa", "ISA", NULL };

const char *machine_architecture_of(const char *cpuinfo)
{
	/* Words that one architecture alone writes: flags of x86, feature names of arm64 ("neon" on 32-bit Arm). */
	static const struct {
		const char *word, *architecture;
	} marks[] = {
		{ " lm ", "x86_64" },    { " lm\n", "x86_64" },     { " asimd", "aarch64" }, { ": rv64", "riscv64" },
		{ ": rv32", "riscv32" }, { ": IBM/S390", "s390x" }, { "Loongson-64bit", "loongarch64" },
		{ "loongarch64", "loongarch64" },
	};

	for (size_t i = 0; cpuinfo && i < countof(marks); i++) {
		if (strstr(cpuinfo, marks[i].word))
			return marks[i].architecture;
	}
	return NULL;
}

static char *architecture(struct machine *machine, const char *cpuinfo)
{
	struct utsname name;
	char *text = NULL;

	if (!root_is_recorded() && uname(&name) == 0)
		return mem_copy(name.machine);
	if (root_read("/proc/sys/kernel/arch", &text) == 0) /* since Linux 6.1 */
		return text;
	const char *betrayed = machine_architecture_of(cpuinfo);
	if (!betrayed)
		machine_lacks(machine, "cpu.architecture", "the recorded tree has no /proc/sys/kernel/arch, and "
			      "/proc/cpuinfo does not tell");
	return mem_copy(betrayed);
}

/* Names of the core kinds with " + " between them, when every kind has one: "Cortex-A76 + Cortex-A55". */
static char *model_from_kinds(const struct topology *topology)
{
	struct text out = { 0 };

	for (size_t i = 0; i < topology->kinds; i++) {
		const char *name = topology->kind[i].name;
		if (!name) {
			text_done(&out);
			return NULL;
		}
		if (!strstr(text_get(&out), name))
			text_add(&out, out.length ? " + %s" : "%s", name);
	}
	return out.length ? text_take(&out) : NULL;
}

/* "processor 0: version = FF,  identification = 2B8868,  machine = 3906" (s390x). */
static char *model_of_s390(const char *cpuinfo)
{
	const char *at = strstr(cpuinfo, ": IBM/S390") ? strstr(cpuinfo, "machine = ") : NULL;

	return at ? mem_text("IBM Z machine type %.4s", at + strlen("machine = ")) : NULL;
}

static char *model(struct machine *machine, const char *cpuinfo, int implementer, int part)
{
	/* Arm's "model name" is the architecture ("ARMv7 Processor rev 4"), so that the part number goes first. */
	char *name = implementer >= 0 ? model_from_kinds(&machine->topology) : NULL;

	if (!name)
		name = model_of_s390(cpuinfo);
	if (!name)
		name = cpuinfo_value(cpuinfo, model_keys);
	if (!name && implementer >= 0)
		name = mem_text("Arm core of implementer 0x%02x, part 0x%03x", implementer, part);
	if (!name)
		machine_lacks(machine, "cpu.model", "/proc/cpuinfo has no line that names it");
	return name;
}

static char *stepping(const char *cpuinfo)
{
	static const char *const family[] = { "cpu family", NULL }, *const number[] = { "model", NULL };
	static const char *const step[] = { "stepping", NULL }, *const variant[] = { "CPU variant", NULL };
	static const char *const revision[] = { "CPU revision", NULL }, *const ppc[] = { "revision", NULL };
	auto_free char *f = cpuinfo_value(cpuinfo, family), *m = cpuinfo_value(cpuinfo, number);
	auto_free char *s = cpuinfo_value(cpuinfo, step);
	auto_free char *v = cpuinfo_value(cpuinfo, variant), *r = cpuinfo_value(cpuinfo, revision);

	if (f && m && s)
		return mem_text("family %s model %s stepping %s", f, m, s);
	if (v && r) /* Arm writes rNpM, from variant and revision of the MIDR */
		return mem_text("r%ldp%s", strtol(v, NULL, 0), r);
	return cpuinfo_value(cpuinfo, ppc);
}

static char *microcode(struct machine *machine, const char *cpuinfo)
{
	static const char *const keys[] = { "microcode", NULL };
	char *text = cpuinfo_value(cpuinfo, keys);

	if (!text && root_read("/sys/devices/system/cpu/cpu0/microcode/version", &text) < 0)
		machine_lacks(machine, "cpu.microcode", "neither /proc/cpuinfo nor sysfs gives a revision");
	return text;
}

void machine_read_cpu(struct machine *machine)
{
	struct machine_cpu *cpu = &machine->cpu;
	auto_free char *text = NULL;
	auto_free struct cpuinfo_cpu *row = NULL;
	bool readable = root_read("/proc/cpuinfo", &text) == 0;

	cpu->architecture = architecture(machine, text);
	if (!readable) {
		machine_lacks(machine, "cpu", "/proc/cpuinfo cannot be read");
		return;
	}
	bool any = cpuinfo_read(&row) > 0;
	int implementer = any ? row[0].implementer : -1;

	cpu->model = model(machine, text, implementer, any ? row[0].part : -1);
	cpu->vendor = implementer >= 0 ? mem_copy(cpuinfo_arm_vendor(implementer)) : cpuinfo_value(text, vendor_keys);
	cpu->stepping = stepping(text);
	cpu->microcode = microcode(machine, text);
	cpu->isa = cpuinfo_value(text, isa_keys);
	if (!cpu->vendor)
		machine_lacks(machine, "cpu.vendor", "/proc/cpuinfo has no line that names it");
	if (!cpu->stepping)
		machine_lacks(machine, "cpu.stepping", "/proc/cpuinfo has no line about it");
	if (!cpu->isa)
		machine_lacks(machine, "cpu.isa", "this architecture has no ISA string (RISC-V and MIPS do)");
}
