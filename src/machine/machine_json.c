#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "machine/machine_parts.h"

/* Numbers in which 0 means unknown. */
static void positive(struct json *json, const char *key, uint64_t value)
{
	if (value)
		json_uint(json, key, value);
	else
		json_null(json, key);
}

/* Numbers in which -1 means unknown. */
static void natural(struct json *json, const char *key, int64_t value)
{
	if (value >= 0)
		json_int(json, key, value);
	else
		json_null(json, key);
}

static void known(struct json *json, const char *key, enum known value)
{
	if (value == KNOWN_NOT)
		json_null(json, key);
	else
		json_bool(json, key, value == KNOWN_YES);
}

/* CPU sets are text in the kernel's form: an array would be a thousand lines on a large machine. */
static void cpus(struct json *json, const char *key, const struct cpulist *list)
{
	auto_free char *text = cpulist_format(list);

	json_text(json, key, text);
}

static void cpu_json(const struct machine_cpu *cpu, struct json *json)
{
	json_object(json, "cpu");
	json_text(json, "architecture", cpu->architecture);
	json_text(json, "model", cpu->model);
	json_text(json, "vendor", cpu->vendor);
	json_text(json, "stepping", cpu->stepping);
	json_text(json, "microcode", cpu->microcode);
	json_text(json, "isa", cpu->isa);
	json_end(json);
}

static void kinds_json(const struct topology *topology, struct json *json)
{
	json_array(json, "kinds");
	for (size_t i = 0; i < topology->kinds; i++) {
		const struct core_kind *kind = &topology->kind[i];
		json_object(json, NULL);
		json_text(json, "name", kind->name);
		positive(json, "cores", kind->cores);
		cpus(json, "cpus", &kind->cpus);
		natural(json, "capacity", kind->capacity);
		positive(json, "max_hz", kind->max_hz);
		json_end(json);
	}
	json_end(json);
}

static void caches_json(const struct topology *topology, struct json *json)
{
	json_array(json, "caches");
	for (size_t i = 0; i < topology->caches; i++) {
		const struct cache *cache = &topology->cache[i];
		json_object(json, NULL);
		json_uint(json, "level", cache->level);
		json_text(json, "type", cache_type_name(cache->type));
		positive(json, "size_bytes", cache->size_bytes);
		positive(json, "line_bytes", cache->line_bytes);
		positive(json, "ways", cache->ways);
		cpus(json, "shared_by", &cache->shared_by);
		json_end(json);
	}
	json_end(json);
}

static void nodes_json(const struct topology *topology, struct json *json)
{
	json_array(json, "nodes");
	for (size_t i = 0; i < topology->nodes; i++) {
		const struct topology_node *node = &topology->node[i];
		json_object(json, NULL);
		json_int(json, "node", node->node);
		if (node->memory_known)
			json_uint(json, "memory_bytes", node->memory_bytes);
		else
			json_null(json, "memory_bytes");
		cpus(json, "cpus", &node->cpus);
		json_end(json);
	}
	json_end(json);
}

static void topology_json(const struct topology *topology, struct json *json)
{
	json_object(json, "topology");
	json_text(json, "source", topology->source);
	positive(json, "packages", topology->packages);
	positive(json, "cores", topology->cores);
	positive(json, "threads", topology->online_known ? topology->cpus : 0);
	positive(json, "threads_per_core", topology->threads_per_core);
	if (topology->online_known) {
		cpus(json, "online", &topology->online);
		cpus(json, "offline", &topology->offline);
	} else {
		json_null(json, "online");
		json_null(json, "offline");
	}
	if (topology->cpus && topology->allowed_known)
		cpus(json, "allowed", &topology->allowed);
	else
		json_null(json, "allowed");
	kinds_json(topology, json);
	caches_json(topology, json);
	nodes_json(topology, json);
	json_end(json);
}

static void memory_json(const struct memory *memory, struct json *json)
{
	json_object(json, "memory");
	positive(json, "total_bytes", memory->total_bytes);
	positive(json, "available_bytes", memory->available_bytes);
	/* A limit of null is never "unknown": limits that cannot be read do not bind. */
	json_bool(json, "limited", memory->limit_bytes != UINT64_MAX);
	positive(json, "limit_bytes", memory->limit_bytes == UINT64_MAX ? 0 : memory->limit_bytes);
	positive(json, "usable_bytes", memory->usable_bytes);
	natural(json, "swap_bytes", memory->swap_bytes);
	positive(json, "page_bytes", memory->page_bytes);
	json_text(json, "thp_mode", memory->thp_mode);
	positive(json, "thp_bytes", memory->thp_bytes);
	positive(json, "hugepage_bytes", memory->hugepage_bytes);
	natural(json, "hugepages", memory->hugepages);
	natural(json, "hugepages_free", memory->hugepages_free);
	json_end(json);
}

static void frequency_json(const struct machine_frequency *frequency, struct json *json)
{
	json_object(json, "frequency");
	json_text(json, "driver", frequency->driver);
	json_text(json, "governor", frequency->governor);
	json_text(json, "preference", frequency->preference);
	json_text(json, "pstate", frequency->pstate);
	known(json, "boost", frequency->boost);
	positive(json, "min_hz", frequency->min_hz);
	positive(json, "max_hz", frequency->max_hz);
	positive(json, "policy_min_hz", frequency->policy_min_hz);
	positive(json, "policy_max_hz", frequency->policy_max_hz);
	json_end(json);
}

static void kernel_json(const struct machine_kernel *kernel, struct json *json)
{
	json_object(json, "kernel");
	json_text(json, "release", kernel->release);
	json_text(json, "version", kernel->version);
	json_text(json, "preemption", kernel->preemption);
	json_text(json, "cmdline", kernel->cmdline);
	json_text(json, "clocksource", kernel->clocksource);
	json_text(json, "clocksources", kernel->clocksources);
	json_text(json, "lsm", kernel->lsm);
	json_text(json, "smt", kernel->smt);
	json_text(json, "boot_id", kernel->boot_id);
	natural(json, "aslr", kernel->aslr);
	natural(json, "numa_balancing", kernel->numa_balancing);
	natural(json, "timer_slack_ns", kernel->timer_slack_ns);
	json_end(json);
}

static void virtual_json(const struct machine_virtual *virt, struct json *json)
{
	json_object(json, "virtual");
	json_text(json, "hypervisor", virt->hypervisor);
	json_text(json, "emulation", virt->emulation);
	json_text(json, "container", virt->container);
	json_text(json, "product", virt->product);
	known(json, "cpu_limited", isnan(virt->cpu_quota) ? KNOWN_NOT : isinf(virt->cpu_quota) ? KNOWN_NO : KNOWN_YES);
	json_double(json, "cpu_quota", virt->cpu_quota); /* JSON has no infinity: no quota is null beside false */
	json_end(json);
}

static void build_json(const struct machine_build *build, struct json *json)
{
	json_object(json, "build");
	json_text(json, "version", build->version);
	json_text(json, "compiler", build->compiler);
	json_text(json, "flags", build->flags);
	json_text(json, "libc", build->libc);
	json_end(json);
}

static void timer_json(const struct timer_facts *timer, struct json *json)
{
	if (!timer->name) {
		json_null(json, "timer");
		return;
	}
	json_object(json, "timer");
	json_text(json, "name", timer->name);
	json_bool(json, "vdso", timer->vdso);
	json_double(json, "cost_ns", timer->cost_ns);
	json_double(json, "grain_ns", timer->grain_ns);
	json_double(json, "syscall_cost_ns", timer->syscall_cost_ns);
	json_end(json);
}

static void lists_json(const struct machine *machine, struct json *json)
{
	json_object(json, "mitigations");
	for (size_t i = 0; i < machine->mitigations; i++)
		json_text(json, machine->mitigation[i].name, machine->mitigation[i].state);
	json_end(json);
	json_array(json, "unavailable");
	for (size_t i = 0; i < machine->lacks; i++) {
		json_object(json, NULL);
		json_text(json, "what", machine->lack[i].what);
		json_text(json, "why", machine->lack[i].why);
		json_end(json);
	}
	json_end(json);
}

void machine_json(const struct machine *machine, struct json *json)
{
	json_object(json, NULL);
	json_text(json, "schema", "assay.machine/1");
	json_text(json, "hostname", machine->hostname);
	json_text(json, "os", machine->os);
	cpu_json(&machine->cpu, json);
	topology_json(&machine->topology, json);
	memory_json(&machine->memory, json);
	frequency_json(&machine->frequency, json);
	kernel_json(&machine->kernel, json);
	virtual_json(&machine->virt, json);
	timer_json(&machine->timer, json);
	build_json(&machine->build, json);
	lists_json(machine, json);
	json_end(json);
}

char *machine_document(const struct machine *machine)
{
	struct text out = { 0 };
	struct json json;

	json_init(&json, &out, false);
	machine_json(machine, &json);
	return text_take(&out);
}
