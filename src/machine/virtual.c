#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/mem.h"
#include "base/root.h"
#include "base/text.h"
#include "machine/cgroup.h"
#include "machine/machine_parts.h"

struct mark {
	const char *word, *name;
};

static const char *find_mark(const char *text, const struct mark *marks, size_t count)
{
	for (size_t i = 0; text && i < count; i++) {
		if (strstr(text, marks[i].word))
			return marks[i].name;
	}
	return NULL;
}

/* What the firmware says the machine is: DMI, or the device tree's model. Caller frees; NULL when neither is there. */
static char *product(void)
{
	auto_free char *vendor = NULL, *name = NULL, *model = NULL;

	root_read("/sys/class/dmi/id/sys_vendor", &vendor);
	root_read("/sys/class/dmi/id/product_name", &name);
	if (vendor || name)
		return mem_text("%s%s%s", vendor ? vendor : "", vendor && name ? " " : "", name ? name : "");
	if (root_read("/proc/device-tree/model", &model) == 0 || root_read("/proc/device-tree/compatible", &model) == 0)
		return mem_copy(model);
	return NULL;
}

/* The twelve letters of CPUID leaf 0x40000000, "" when no hypervisor shows itself; false where there is no CPUID to ask:
 * another architecture, or a recorded tree. */
static bool cpuid_signature(char ret_text[13])
{
	memset(ret_text, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
	unsigned a, b, c, d;
	if (root_is_recorded() || !__get_cpuid(1, &a, &b, &c, &d))
		return false;
	if (c & 1u << 31) {
		__cpuid(0x40000000, a, b, c, d);
		memcpy(ret_text, &b, 4);
		memcpy(ret_text + 4, &c, 4);
		memcpy(ret_text + 8, &d, 4);
		if (!*ret_text)
			strcpy(ret_text, "?");
	}
	return true;
#else
	return false;
#endif
}

/* Vendors' signatures, as in arch/x86/kernel/cpu/hypervisor.c and its kin. */
static const char *hypervisor_by_signature(const char *signature)
{
	static const struct mark marks[] = {
		{ "KVMKVMKVM", "kvm" },    { "Microsoft Hv", "hyperv" }, { "VMwareVMware", "vmware" },
		{ "XenVMMXenVMM", "xen" }, { "TCGTCGTCGTCG", "qemu" },   { "prl hyperv", "parallels" },
		{ "VBoxVBoxVBox", "virtualbox" }, { "bhyve bhyve", "bhyve" }, { "ACRNACRNACRN", "acrn" },
		{ "Jailhouse", "jailhouse" }, { "Linux KVM Hv", "kvm" },
	};
	const char *name = find_mark(signature, marks, countof(marks));

	return *signature ? name ? name : "unidentified" : "none";
}

static const char *hypervisor_by_product(const char *text)
{
	static const struct mark marks[] = {
		{ "VMware", "vmware" },      { "VirtualBox", "virtualbox" }, { "Microsoft Corporation Virtual", "hyperv" },
		{ "Xen", "xen" },            { "Parallels", "parallels" },   { "BHYVE", "bhyve" },
		{ ".metal", "none" },        { "Amazon EC2", "kvm" },        { "Google Compute Engine", "kvm" },
		{ "Alibaba Cloud", "kvm" },  { "OpenStack", "kvm" },         { "KVM", "kvm" },
		{ "QEMU", "unidentified" },  { "linux,dummy-virt", "unidentified" },
		{ "riscv-virtio", "unidentified" },
	};

	return find_mark(text, marks, countof(marks));
}

/* Sources every architecture may have: Xen's own file, the device tree, the paravirtual clock, z/VM's page. */
static const char *hypervisor_by_files(const struct machine *machine)
{
	static const struct mark types[] = { { "xen", "xen" } };
	static const struct mark trees[] = { { "linux,kvm", "kvm" }, { "xen", "xen" } };
	static const struct mark clocks[] = { { "kvm-clock", "kvm" }, { "hyperv", "hyperv" }, { "xen", "xen" } };
	static const struct mark programs[] = { { "KVM", "kvm" }, { "z/VM", "zvm" } };
	auto_free char *type = NULL, *tree = NULL, *program = NULL;
	const char *name = NULL;

	if (root_read("/sys/hypervisor/type", &type) == 0)
		name = find_mark(type, types, countof(types));
	if (!name && root_read("/proc/device-tree/hypervisor/compatible", &tree) == 0)
		name = find_mark(tree, trees, countof(trees));
	if (!name)
		name = find_mark(machine->kernel.clocksources, clocks, countof(clocks));
	if (!name && root_read("/proc/sysinfo", &program) == 0)
		name = find_mark(program, programs, countof(programs));
	return name;
}

/* The flag that Linux shows for CPUID's hypervisor bit: x86 only. */
static enum known hypervisor_flag(const char *cpuinfo)
{
	const char *flags = cpuinfo ? strstr(cpuinfo, "\nflags\t") : NULL;

	if (!flags)
		return KNOWN_NOT;
	const char *end = strchr(flags + 1, '\n');
	const char *flag = strstr(flags, " hypervisor");
	return flag && (!end || flag < end) ? KNOWN_YES : KNOWN_NO;
}

static const char *hypervisor(const struct machine *machine, const char *cpuinfo)
{
	char signature[13];

	if (cpuid_signature(signature))
		return hypervisor_by_signature(signature);
	enum known flag = hypervisor_flag(cpuinfo);
	if (flag == KNOWN_NO)
		return "none";
	const char *name = hypervisor_by_files(machine);
	const char *by_product = hypervisor_by_product(machine->virt.product);
	if (!name)
		name = by_product;
	if (!name && flag == KNOWN_YES)
		return "unidentified";
	/* Firmware that names an ordinary machine, and nobody who contradicts. */
	return !name && machine->virt.product ? "none" : name;
}

/* x86_64 and i686 are one family, armv7l and aarch64 another: a 32-bit program on a 64-bit kernel is no emulation. */
static const char *family(const char *architecture)
{
	static const struct mark marks[] = {
		{ "86", "x86" },       { "arm", "arm" },   { "aarch64", "arm" }, { "riscv", "riscv" }, { "s390", "s390" },
		{ "ppc", "powerpc" },  { "powerpc", "powerpc" }, { "mips", "mips" }, { "loongarch", "loongarch" },
	};

	return find_mark(architecture, marks, countof(marks));
}

static bool differ(const char *a, const char *b)
{
	const char *x = family(a), *y = family(b);

	return x && y && strcmp(x, y);
}

/* qemu-user imitates uname(2) but lets some files of the real kernel through. */
static bool is_user_emulation(const struct machine *machine, const char *cpuinfo)
{
	auto_free char *kernel = NULL;
	const char *own = machine->cpu.architecture;

	if (root_is_recorded())
		return false; /* there, the architecture comes from these very files */
	return (root_read("/proc/sys/kernel/arch", &kernel) == 0 && differ(own, kernel)) ||
	       differ(own, machine_architecture_of(cpuinfo));
}

/* A QEMU guest without KVM computes its CPU. x86 tells in CPUID or by the model's name, Arm by a part number that no
 * silicon has ("max": implementer 0, part 0x051). */
static const char *emulation(struct machine *machine, const char *cpuinfo)
{
	char signature[13];
	const char *model = machine->cpu.model ? machine->cpu.model : "";
	const char *hypervisor_name = machine->virt.hypervisor;

	if (is_user_emulation(machine, cpuinfo))
		return "qemu-user";
	if (cpuid_signature(signature))
		return strstr(signature, "TCGTCG") ? "tcg" : "none";
	if (strstr(model, "QEMU TCG") || (cpuinfo && strstr(cpuinfo, "CPU implementer\t: 0x00") &&
					  strstr(cpuinfo, "CPU part\t: 0x051")))
		return "tcg";
	if (!hypervisor_name || !strcmp(hypervisor_name, "unidentified")) {
		machine_lacks(machine, "virtual.emulation", "nothing says whether a hypervisor or an emulator runs here");
		return NULL;
	}
	return "none";
}

/* "container=lxc" in the environment of process 1, whose strings end in NUL: only the first lies within a C string, so
 * systemd's copy of it is asked as well. Caller frees. */
static char *container_by_announcement(void)
{
	char *text = NULL;

	if (root_read("/run/systemd/container", &text) == 0)
		return text;
	if (root_read("/proc/1/environ", &text) == 0 && !strncmp(text, "container=", 10) && text[10]) {
		memmove(text, text + 10, strlen(text + 10) + 1);
		return text;
	}
	free(text);
	return NULL;
}

static char *container(struct machine *machine)
{
	static const struct mark paths[] = {
		{ "kubepods", "kubernetes" }, { "docker", "docker" }, { "libpod", "podman" }, { "/lxc", "lxc" },
		{ "containerd", "containerd" }, { "machine.slice/systemd-nspawn", "systemd-nspawn" },
	};
	auto_free char *groups = cgroup_paths();

	if (root_exists("/var/run/secrets/kubernetes.io") || (groups && strstr(groups, "kubepods")))
		return mem_copy("kubernetes");
	if (root_exists("/.dockerenv"))
		return mem_copy("docker");
	if (root_exists("/run/.containerenv"))
		return mem_copy("podman");
	char *announced = container_by_announcement();
	if (announced)
		return announced;
	const char *name = find_mark(groups, paths, countof(paths));
	if (!name && !groups) {
		machine_lacks(machine, "virtual.container", "/proc/self/cgroup cannot be read");
		return NULL;
	}
	return mem_copy(name ? name : "none");
}

void machine_read_virtual(struct machine *machine)
{
	struct machine_virtual *virt = &machine->virt;
	auto_free char *cpuinfo = NULL;

	root_read("/proc/cpuinfo", &cpuinfo);
	virt->product = product();
	if (!virt->product)
		machine_lacks(machine, "virtual.product", "neither DMI nor a device tree names the machine");
	virt->hypervisor = mem_copy(hypervisor(machine, cpuinfo));
	if (!virt->hypervisor)
		machine_lacks(machine, "virtual.hypervisor", "neither CPU flags, firmware nor sysfs tell");
	virt->emulation = mem_copy(emulation(machine, cpuinfo));
	virt->container = container(machine);
	virt->cpu_quota = cgroup_cpu_quota();
	if (isnan(virt->cpu_quota)) {
		machine_lacks(machine, "virtual.cpu_limited", "no cgroup hierarchy with CPU control is visible");
		machine_lacks(machine, "virtual.cpu_quota", "no cgroup hierarchy with CPU control is visible");
	}
}
