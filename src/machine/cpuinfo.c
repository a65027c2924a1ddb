#include "machine/cpuinfo.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/root.h"

/* Splits "key\t: value"; the key loses its trailing blanks. NULL when there is no colon. */
static char *split(char *line)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return NULL;
	char *value = colon + 1;
	do
		*colon-- = '\0';
	while (colon >= line && isspace((unsigned char)*colon));
	while (isspace((unsigned char)*value))
		value++;
	return value;
}

/* "processor : 3" nearly everywhere; "processor 3: version = …" on s390x. Upper-case "Processor" is old Arm's model. */
static int processor_number(const char *key, const char *value)
{
	int number;

	if (!strcmp(key, "processor") && isdigit((unsigned char)*value))
		return atoi(value);
	if (sscanf(key, "processor %d", &number) == 1)
		return number;
	return -1;
}

static void set_field(struct cpuinfo_cpu *row, const char *key, const char *value)
{
	int number = (int)strtol(value, NULL, 0);

	if (!strcmp(key, "physical id") || !strcmp(key, "package"))
		row->package = number;
	else if (!strcmp(key, "core id") || !strcmp(key, "core"))
		row->core = number;
	else if (!strcmp(key, "CPU implementer"))
		row->implementer = number;
	else if (!strcmp(key, "CPU part"))
		row->part = number;
}

size_t cpuinfo_read(struct cpuinfo_cpu **ret_rows)
{
	auto_free char *text = NULL;
	struct cpuinfo_cpu *rows = NULL;
	size_t count = 0, capacity = 0;

	if (root_read("/proc/cpuinfo", &text) < 0)
		return 0;
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		char *value = split(line);
		int cpu = value ? processor_number(line, value) : -1;
		if (cpu >= 0) {
			rows = mem_room(rows, count, &capacity, sizeof *rows);
			rows[count++] = (struct cpuinfo_cpu){ cpu, -1, -1, -1, -1 };
		} else if (value && count) {
			set_field(&rows[count - 1], line, value);
		}
	}
	*ret_rows = rows;
	return count;
}

static char *value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length))
			continue;
		const char *s = line + length;
		s += strspn(s, " \t");
		if (*s++ != ':')
			continue;
		s += strspn(s, " \t");
		size_t end = strcspn(s, "\n");
		while (end && isspace((unsigned char)s[end - 1]))
			end--;
		return end ? mem_text("%.*s", (int)end, s) : NULL;
	}
	return NULL;
}

char *cpuinfo_value(const char *text, const char *const *keys)
{
	for (; *keys; keys++) {
		char *value = value_of(text, *keys);
		if (value)
			return value;
	}
	return NULL;
}

/* Implementer codes: Arm Architecture Reference Manual, MIDR_EL1; vendors' own beyond it as in
 * arch/arm64/include/asm/cputype.h. */
const char *cpuinfo_arm_vendor(int implementer)
{
	static const struct {
		int code;
		const char *name;
	} vendors[] = {
		{ 0x41, "Arm" }, { 0x42, "Broadcom" }, { 0x43, "Cavium" }, { 0x46, "Fujitsu" }, { 0x48, "HiSilicon" },
		{ 0x4e, "NVIDIA" }, { 0x50, "Applied Micro" }, { 0x51, "Qualcomm" }, { 0x53, "Samsung" },
		{ 0x56, "Marvell" }, { 0x61, "Apple" }, { 0x6d, "Microsoft" }, { 0x70, "Phytium" }, { 0xc0, "Ampere" },
	};

	for (size_t i = 0; i < countof(vendors); i++) {
		if (vendors[i].code == implementer)
			return vendors[i].name;
	}
	return NULL;
}

/* Part numbers: the cores' Technical Reference Manuals and arch/arm64/include/asm/cputype.h. */
const char *cpuinfo_arm_name(int implementer, int part)
{
	static const struct {
		int implementer, part;
		const char *name;
	} parts[] = {
		{ 0x41, 0xb76, "ARM1176" },      { 0x41, 0xc05, "Cortex-A5" },    { 0x41, 0xc07, "Cortex-A7" },
		{ 0x41, 0xc08, "Cortex-A8" },    { 0x41, 0xc09, "Cortex-A9" },    { 0x41, 0xc0e, "Cortex-A17" },
		{ 0x41, 0xc0f, "Cortex-A15" },   { 0x41, 0xd02, "Cortex-A34" },   { 0x41, 0xd03, "Cortex-A53" },
		{ 0x41, 0xd04, "Cortex-A35" },   { 0x41, 0xd05, "Cortex-A55" },   { 0x41, 0xd06, "Cortex-A65" },
		{ 0x41, 0xd07, "Cortex-A57" },   { 0x41, 0xd08, "Cortex-A72" },   { 0x41, 0xd09, "Cortex-A73" },
		{ 0x41, 0xd0a, "Cortex-A75" },   { 0x41, 0xd0b, "Cortex-A76" },   { 0x41, 0xd0c, "Neoverse-N1" },
		{ 0x41, 0xd0d, "Cortex-A77" },   { 0x41, 0xd40, "Neoverse-V1" },  { 0x41, 0xd41, "Cortex-A78" },
		{ 0x41, 0xd42, "Cortex-A78AE" }, { 0x41, 0xd44, "Cortex-X1" },    { 0x41, 0xd46, "Cortex-A510" },
		{ 0x41, 0xd47, "Cortex-A710" },  { 0x41, 0xd48, "Cortex-X2" },    { 0x41, 0xd49, "Neoverse-N2" },
		{ 0x41, 0xd4b, "Cortex-A78C" },  { 0x41, 0xd4d, "Cortex-A715" },  { 0x41, 0xd4e, "Cortex-X3" },
		{ 0x41, 0xd4f, "Neoverse-V2" },  { 0x41, 0xd80, "Cortex-A520" },  { 0x41, 0xd81, "Cortex-A720" },
		{ 0x41, 0xd82, "Cortex-X4" },    { 0x41, 0xd84, "Neoverse-V3" },  { 0x41, 0xd85, "Cortex-X925" },
		{ 0x41, 0xd87, "Cortex-A725" },  { 0x41, 0xd8e, "Neoverse-N3" },  { 0x43, 0x0a1, "ThunderX" },
		{ 0x43, 0x0af, "ThunderX2" },    { 0x46, 0x001, "A64FX" },        { 0x48, 0xd01, "Kunpeng 920" },
		{ 0x4e, 0x004, "Carmel" },       { 0x51, 0x001, "Oryon" },        { 0x51, 0x800, "Kryo 2xx Gold" },
		{ 0x51, 0x801, "Kryo 2xx Silver" }, { 0x51, 0x802, "Kryo 3xx Gold" }, { 0x51, 0x803, "Kryo 3xx Silver" },
		{ 0x51, 0x804, "Kryo 4xx Gold" }, { 0x51, 0x805, "Kryo 4xx Silver" }, { 0x61, 0x022, "M1 Icestorm" },
		{ 0x61, 0x023, "M1 Firestorm" }, { 0x61, 0x032, "M2 Blizzard" },  { 0x61, 0x033, "M2 Avalanche" },
		{ 0xc0, 0xac3, "Ampere-1" },     { 0xc0, 0xac4, "Ampere-1A" },
	};

	for (size_t i = 0; i < countof(parts); i++) {
		if (parts[i].implementer == implementer && parts[i].part == part)
			return parts[i].name;
	}
	return NULL;
}
