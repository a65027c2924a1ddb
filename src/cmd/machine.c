/* assay machine: what this machine is, for a person (one screen) or as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/root.h"
#include "base/text.h"
#include "cmd/style.h"
#include "cmd/verb.h"
#include "machine/machine.h"
#include "report/grid.h"

struct config {
	bool json;
	const char *root;
};

static const char *or_unknown(const char *text)
{
	return text && *text ? text : "unknown";
}

static struct show_style style;

static void heading(struct text *out, const char *name)
{
	if (out->length)
		text_add(out, "\n");
	heading_add(out, &style, name);
}

enum { VALUE_COLUMN = 18, MOST_NODES = 8 };

static void row(struct text *out, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A label and its value, wrapped between words and hanging under itself. */
static void row(struct text *out, const char *label, const char *fmt, ...)
{
	auto_text struct text words = { 0 };
	char *value = NULL;
	va_list args;

	va_start(args, fmt);
	int length = vasprintf(&value, fmt, args);
	va_end(args);
	/* The paragraph is begun where the label ends: its own indent makes way for it. */
	if (length >= 0) {
		paragraph_add(&words, &style, VALUE_COLUMN, VALUE_COLUMN, value);
		free(value);
	}
	size_t column = words.length < VALUE_COLUMN ? words.length : VALUE_COLUMN;
	text_add(out, "  %-*s%s", VALUE_COLUMN - 2, label, words.length ? words.at + column : "\n");
}

enum { BYTES_TEXT = 32 };

/* "48 KiB", "15.6 GiB": one decimal where it is not exact. */
static const char *bytes_text(char out[BYTES_TEXT], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	unsigned unit = 0;

	if (!bytes)
		return "unknown";
	while (value >= 1024 && unit + 1 < countof(units)) {
		value /= 1024;
		unit++;
	}
	snprintf(out, BYTES_TEXT, value == floor(value) ? "%.0f %s" : "%.1f %s", value, units[unit]);
	return out;
}

static void add_hz(struct text *out, uint64_t hz)
{
	if (hz)
		text_add(out, "%.2f GHz", (double)hz / 1e9);
	else
		text_add(out, "unknown");
}

static void host_rows(struct text *out, const struct machine *machine)
{
	const struct machine_virtual *virt = &machine->virt;
	char quota[48] = "unknown";

	if (isinf(virt->cpu_quota))
		snprintf(quota, sizeof quota, "none");
	else if (!isnan(virt->cpu_quota))
		snprintf(quota, sizeof quota, "%.2f CPUs", virt->cpu_quota);
	heading(out, "Machine");
	row(out, "host", "%s", or_unknown(machine->hostname));
	row(out, "system", "%s", or_unknown(machine->os));
	row(out, "product", "%s", or_unknown(virt->product));
	row(out, "virtual", "hypervisor %s, container %s, emulation %s", or_unknown(virt->hypervisor),
	    or_unknown(virt->container), or_unknown(virt->emulation));
	row(out, "CPU quota", "%s", quota);
}

/* With blanks where the list may be broken into lines: large machines have long ones. Caller frees. */
static char *cpus_text(const struct cpulist *list)
{
	auto_free char *whole = cpulist_format(list);
	struct text words = { 0 };

	for (const char *at = whole; *at; at++)
		text_add(&words, "%c%s", *at, *at == ',' ? " " : "");
	return text_take(&words);
}

static void add_count(struct text *out, unsigned count, const char *one, const char *many)
{
	if (count)
		text_add(out, "%u %s", count, count == 1 ? one : many);
	else
		text_add(out, "unknown %s", many);
}

static void layout_rows(struct text *out, const struct topology *topology)
{
	auto_text struct text line = { 0 };
	auto_free char *online = cpus_text(&topology->online), *allowed = cpus_text(&topology->allowed);
	auto_free char *offline = cpus_text(&topology->offline);

	add_count(&line, topology->packages, "package", "packages");
	text_add(&line, ", ");
	add_count(&line, topology->cores, "core", "cores");
	text_add(&line, ", ");
	add_count(&line, topology->online_known ? (unsigned)topology->cpus : 0, "CPU", "CPUs");
	if (topology->threads_per_core > 1)
		text_add(&line, ", %u threads per core", topology->threads_per_core);
	row(out, "layout", "%s", text_get(&line));
	row(out, "CPUs", "%s online, %s allowed%s%s%s", topology->online_known ? or_unknown(online) : "unknown",
	    topology->allowed_known ? or_unknown(allowed) : "unknown", *offline ? ", " : "", offline,
	    *offline ? " offline" : "");
}

static void kind_rows(struct text *out, const struct topology *topology)
{
	for (size_t i = 0; topology->kinds > 1 && i < topology->kinds; i++) {
		const struct core_kind *kind = &topology->kind[i];
		auto_text struct text line = { 0 };
		auto_free char *cpus = cpus_text(&kind->cpus);
		if (kind->cores)
			text_add(&line, "%u × ", kind->cores);
		text_add(&line, "%s, CPUs %s", kind->name ? kind->name : "cores of another kind", cpus);
		if (kind->capacity >= 0)
			text_add(&line, ", capacity %d", kind->capacity);
		if (kind->max_hz) {
			text_add(&line, ", up to ");
			add_hz(&line, kind->max_hz);
		}
		row(out, i ? "" : "core kinds", "%s", text_get(&line));
	}
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->level == b->level && a->type == b->type && a->size_bytes == b->size_bytes &&
	       a->line_bytes == b->line_bytes && a->ways == b->ways && a->shared_by.count == b->shared_by.count;
}

static void cache_row(struct text *out, const char *label, const struct cache *cache, unsigned count)
{
	auto_text struct text line = { 0 };
	char size[BYTES_TEXT];

	text_add(&line, "L%u%s %s × %u", cache->level,
		 cache->type == CACHE_DATA ? "d" : cache->type == CACHE_INSTRUCTION ? "i" : "",
		 bytes_text(size, cache->size_bytes), count);
	if (cache->line_bytes)
		text_add(&line, ", lines of %u B", cache->line_bytes);
	if (cache->ways)
		text_add(&line, ", %u ways", cache->ways);
	if (cache->shared_by.count > 1)
		text_add(&line, ", shared by %zu CPUs", cache->shared_by.count);
	row(out, label, "%s", text_get(&line));
}

/* Alike caches in one row; they need not be neighbours (P and E cores may alternate). */
static void cache_rows(struct text *out, const struct topology *topology)
{
	if (!topology->caches)
		row(out, "caches", "unknown");
	for (size_t i = 0; i < topology->caches; i++) {
		unsigned count = 0;
		bool first = true;
		for (size_t j = 0; j < topology->caches; j++) {
			if (!same_cache(&topology->cache[i], &topology->cache[j]))
				continue;
			first &= j >= i;
			count++;
		}
		if (first)
			cache_row(out, i ? "" : "caches", &topology->cache[i], count);
	}
}

static void frequency_rows(struct text *out, const struct machine_frequency *frequency)
{
	auto_text struct text line = { 0 };

	if (frequency->driver || frequency->governor) {
		text_add(&line, "%s, %s, ", or_unknown(frequency->driver), or_unknown(frequency->governor));
		add_hz(&line, frequency->policy_min_hz);
		text_add(&line, " to ");
		add_hz(&line, frequency->policy_max_hz);
	} else {
		text_add(&line, "unknown to the kernel (%s run cpu.clock measures it)", style.program);
	}
	if (frequency->boost != KNOWN_NOT)
		text_add(&line, ", boost %s", frequency->boost == KNOWN_YES ? "on" : "off");
	row(out, "frequency", "%s", text_get(&line));
}

static void processor_rows(struct text *out, const struct machine *machine)
{
	const struct machine_cpu *cpu = &machine->cpu;

	heading(out, "Processor");
	row(out, "model", "%s (%s)", or_unknown(cpu->model), or_unknown(cpu->architecture));
	row(out, "revision", "%s, microcode %s", or_unknown(cpu->stepping), or_unknown(cpu->microcode));
	layout_rows(out, &machine->topology);
	kind_rows(out, &machine->topology);
	cache_rows(out, &machine->topology);
	frequency_rows(out, &machine->frequency);
}

static void node_rows(struct text *out, const struct topology *topology)
{
	char size[BYTES_TEXT];

	for (size_t i = 0; topology->nodes > 1 && i < topology->nodes && i < MOST_NODES; i++) {
		const struct topology_node *node = &topology->node[i];
		auto_free char *cpus = cpus_text(&node->cpus);
		const char *memory = !node->memory_known ? "unknown memory"
				   : node->memory_bytes ? bytes_text(size, node->memory_bytes) : "no memory";
		row(out, i ? "" : "NUMA nodes", "%d: %s, %s%s", node->node, memory, *cpus ? "CPUs " : "no CPUs", cpus);
	}
	if (topology->nodes > MOST_NODES)
		row(out, "", "and %zu more", topology->nodes - MOST_NODES);
}

/* A guest's firmware may give nodes less than the memory there is; the figure is not a mistake of this program. */
static void node_remark(struct text *out, const struct machine *machine)
{
	const struct topology *topology = &machine->topology;
	char sum[BYTES_TEXT], total[BYTES_TEXT];
	uint64_t bytes = 0;

	for (size_t i = 0; i < topology->nodes; i++) {
		if (!topology->node[i].memory_known)
			return;
		bytes += topology->node[i].memory_bytes;
	}
	if (topology->nodes && bytes < machine->memory.total_bytes / 10 * 9)
		row(out, "of NUMA nodes", "%s of the %s stand in a node, as the kernel counts them", bytes_text(sum, bytes),
		    bytes_text(total, machine->memory.total_bytes));
}

static void memory_rows(struct text *out, const struct machine *machine)
{
	const struct memory *memory = &machine->memory;
	char total[BYTES_TEXT], usable[BYTES_TEXT], limit[BYTES_TEXT], page[BYTES_TEXT], huge[BYTES_TEXT];
	bool limited = memory->limit_bytes != UINT64_MAX;

	heading(out, "Memory");
	row(out, "size", "%s, usable %s%s%s", bytes_text(total, memory->total_bytes),
	    bytes_text(usable, memory->usable_bytes), limited ? ", limit " : "",
	    limited ? bytes_text(limit, memory->limit_bytes) : "");
	row(out, "pages", "%s, transparent huge pages %s (%s)", bytes_text(page, memory->page_bytes),
	    or_unknown(memory->thp_mode), bytes_text(huge, memory->thp_bytes));
	if (memory->hugepages > 0)
		row(out, "huge pages", "%" PRId64 " of %s reserved, %" PRId64 " free", memory->hugepages,
		    bytes_text(huge, memory->hugepage_bytes), memory->hugepages_free);
	node_rows(out, &machine->topology);
	node_remark(out, machine);
}

/* Three words per vulnerability: what is vulnerable matters by name, the rest by number. */
static void mitigation_row(struct text *out, const struct machine *machine)
{
	auto_text struct text line = { 0 };
	unsigned safe = 0, mitigated = 0;

	if (!machine->mitigations) {
		row(out, "mitigations", "unknown");
		return;
	}
	for (size_t i = 0; i < machine->mitigations; i++) {
		const char *state = machine->mitigation[i].state ? machine->mitigation[i].state : "";
		if (!strncmp(state, "Not affected", 12))
			safe++;
		else if (!strncmp(state, "Mitigation", 10))
			mitigated++;
		else
			text_add(&line, ", %s %s", machine->mitigation[i].name,
				 strncmp(state, "Vulnerable", 10) ? "unknown" : "vulnerable");
	}
	row(out, "mitigations", "%u active, %u not affected%s", mitigated, safe, text_get(&line));
}

/* A number of the kernel's in words; "unknown" for -1, the number itself for one that is newer than this program. */
static void add_setting(struct text *out, const char *name, int64_t value, const char *const *words, size_t count)
{
	if (value < 0)
		text_add(out, ", %s unknown", name);
	else if ((uint64_t)value < count)
		text_add(out, ", %s %s", name, words[value]);
	else
		text_add(out, ", %s %" PRId64, name, value);
}

static const char *smt_words(const char *smt)
{
	static const char *const words[][2] = { { "notsupported", "not supported" },
						{ "notimplemented", "not implemented" },
						{ "forceoff", "off for good" } };

	for (size_t i = 0; smt && i < countof(words); i++) {
		if (!strcmp(smt, words[i][0]))
			return words[i][1];
	}
	return or_unknown(smt);
}

/* Values of randomize_va_space and numa_balancing: the kernel's Documentation/admin-guide/sysctl/kernel.rst. */
static void settings_row(struct text *out, const struct machine_kernel *kernel)
{
	static const char *const aslr[] = { "off", "without heap", "on" };
	static const char *const balancing[] = { "off", "on", "for memory tiers", "on, also for memory tiers" };
	auto_text struct text line = { 0 };
	char slack[FORMAT_DURATION];

	text_add(&line, "SMT %s", smt_words(kernel->smt));
	add_setting(&line, "address randomization", kernel->aslr, aslr, countof(aslr));
	add_setting(&line, "NUMA balancing", kernel->numa_balancing, balancing, countof(balancing));
	if (kernel->timer_slack_ns >= 0)
		text_add(&line, ", timers may be %s late (slack)", format_duration(slack, (uint64_t)kernel->timer_slack_ns));
	row(out, "settings", "%s", text_get(&line));
}

static void kernel_rows(struct text *out, const struct machine *machine)
{
	const struct machine_kernel *kernel = &machine->kernel;
	const struct timer_facts *timer = &machine->timer;

	heading(out, "Kernel");
	row(out, "release", "%s %s", or_unknown(kernel->release), kernel->version ? kernel->version : "");
	row(out, "preemption", "%s", or_unknown(kernel->preemption));
	row(out, "command line", "%s", or_unknown(kernel->cmdline));
	row(out, "clock source", "%s (of %s)", or_unknown(kernel->clocksource), or_unknown(kernel->clocksources));
	if (timer->name)
		row(out, "timer", "%s, %s, %.0f ns a read, steps of %.0f ns", timer->name,
		    timer->vdso ? "vDSO" : "system call", timer->cost_ns, timer->grain_ns);
	settings_row(out, kernel);
	row(out, "security", "%s", or_unknown(kernel->lsm));
	mitigation_row(out, machine);
}

static void build_rows(struct text *out, const struct machine *machine)
{
	const struct machine_build *build = &machine->build;

	heading(out, "assay");
	row(out, "version", "%s", or_unknown(build->version));
	if (build->compiler)
		row(out, "built with", "%s, %s", build->compiler, or_unknown(build->libc));
}

/* What this kind of machine never has is no lack of this one. */
static bool is_lack_here(const struct machine_lack *lack)
{
	return strncmp(lack->why, "this architecture has no ", strlen("this architecture has no ")) != 0;
}

static void lacks_line(struct text *out, const struct machine *machine)
{
	auto_text struct text names = { 0 };

	for (size_t i = 0; i < machine->lacks; i++) {
		if (is_lack_here(&machine->lack[i]))
			text_add(&names, "%s%s", names.length ? ", " : "", machine->lack[i].what);
	}
	if (!names.length)
		return;
	auto_free char *words = mem_text("Not to be known here: %s; %s machine --json says why.", text_get(&names),
					 style.program);
	text_add(out, "\n");
	paragraph_add(out, &style, 0, 4, words);
}

static void print_text(struct text *out, const struct machine *machine)
{
	cmd_style(&style);
	style = style_effective(&style);
	host_rows(out, machine);
	processor_rows(out, machine);
	memory_rows(out, machine);
	kernel_rows(out, machine);
	build_rows(out, machine);
	lacks_line(out, machine);
}

/* A page of "unknown" would be no description. */
static bool is_recorded_machine(const char *root)
{
	root_set(root);
	return root_exists("/proc") || root_exists("/sys");
}

static int run(void *config, int argc, char **argv)
{
	const struct config *given = config;
	auto_text struct text out = { 0 };
	struct machine machine;
	struct json json;

	(void)argc;
	(void)argv;
	if (given->root && !is_recorded_machine(given->root))
		return verb_failed("'%s' is no recorded machine: neither proc nor sys is there", given->root);
	machine_read(&machine, NULL); /* what could not be read is part of the description */
	if (given->json) {
		json_init(&json, &out, true);
		machine_json(&machine, &json);
		text_add(&out, "\n");
	} else {
		print_text(&out, &machine);
	}
	machine_done(&machine);
	return verb_print(text_get(&out));
}

static const struct option_row options[] = {
	{ .name = "json", .type = OPTION_FLAG, .offset = offsetof(struct config, json),
	  .help = "write a JSON document (schema assay.machine/1)" },
	{ .name = "root", .type = OPTION_TEXT, .offset = offsetof(struct config, root), .value = "DIR",
	  .help = "describe the machine whose /proc and /sys were recorded below DIR" },
	{ 0 },
};

static const char *const examples[] = { "assay machine", "assay machine --json", NULL };

const struct verb verb_machine = {
	.name = "machine",
	.summary = "describe this machine",
	.arguments = "",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct config),
	.run = run,
};
