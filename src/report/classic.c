#include "report/classic.h"

#include <fnmatch.h>
#include <jansson.h>
#include <string.h>

#include "base/mem.h"
#include "base/parse.h"

#define NS_AS_US .recorded = "ns", .shown = "µs", .scale = 1e-3, .better = BETTER_LESS
#define NS .recorded = "ns", .shown = "ns", .scale = 1, .better = BETTER_LESS
#define MB_PER_S .recorded = "B/s", .shown = "MB/s", .scale = 1e-6, .better = BETTER_MORE
#define BAND(text) { .name = text }
#define OPTIONAL(text) { .name = text, .optional = true }
#define FIGURE(name, at) { .heading = name, .id = { at } }
#define PAIR(name, one, other) { .heading = name, .id = { "cpu.op:" one, "cpu.op:" other } }
#define SWITCH(name, at) \
	{ .heading = name, .id = { "proc.context_switch/" at, "proc.switch/" at, "proc.switch_base/" at } }

const struct classic_table classic_tables[] = {
	{ .title = "Basic system parameters",
	  .copies = true,
	  .band = { BAND("measured") },
	  .column = { { .heading = "clock", .id = { "cpu.clock" }, .recorded = "Hz", .shown = "MHz", .scale = 1e-6 },
		      { .heading = "tlb reach", .id = { "mem.tlb_reach" }, .recorded = "pages", .shown = "pages", .scale = 1 },
		      { .heading = "cache line", .id = { "mem.line_size" }, .recorded = "B", .shown = "bytes", .scale = 1 },
		      { .heading = "mem par", .id = { "mem.parallelism" }, .recorded = "ratio", .shown = "×", .scale = 1 } } },
	{ .title = "Processes",
	  NS_AS_US,
	  .about = "clos: close; slct TCP: select on 100 sockets; sig inst, hndl: install, call a handler; sh: shell.",
	  .band = { BAND("time") },
	  .column = { FIGURE("null call", "syscall.simple:null"),
		      FIGURE("null I/O", "syscall.null_io"),
		      FIGURE("stat", "syscall.simple:stat"),
		      FIGURE("open clos", "syscall.simple:open"),
		      FIGURE("slct TCP", "syscall.select:tcp/n=100"),
		      FIGURE("sig inst", "proc.signal:install"),
		      FIGURE("sig hndl", "proc.signal:handle"),
		      FIGURE("fork proc", "proc.create:fork"),
		      FIGURE("exec proc", "proc.create:exec"),
		      FIGURE("sh proc", "proc.create:shell") } },
	{ .title = "Integer operations",
	  NS,
	  .cycles = true,
	  .band = { OPTIONAL("32-bit"), OPTIONAL("64-bit") },
	  .column = { PAIR("bit", "int_bit", "int64_bit"), PAIR("add", "int_add", "int64_add"),
		      PAIR("mul", "int_mul", "int64_mul"), PAIR("div", "int_div", "int64_div"),
		      PAIR("mod", "int_mod", "int64_mod") } },
	{ .title = "Float operations",
	  NS,
	  .cycles = true,
	  .band = { OPTIONAL("single"), OPTIONAL("double") },
	  .column = { PAIR("add", "float_add", "double_add"), PAIR("mul", "float_mul", "double_mul"),
		      PAIR("div", "float_div", "double_div"), PAIR("bogo", "float_bogo", "double_bogo") } },
	{ .title = "Context switch",
	  NS_AS_US,
	  .about = "2p/16K: 2 processes, each sums 16 KiB. switch = hop − base, the same work without a switch.",
	  .band = { BAND("switch"), BAND("hop"), BAND("base") },
	  .column = { SWITCH("2p/0K", "procs=2,size=0"), SWITCH("2p/16K", "procs=2,size=16k"),
		      SWITCH("2p/64K", "procs=2,size=64k"), SWITCH("8p/16K", "procs=8,size=16k"),
		      SWITCH("8p/64K", "procs=8,size=64k"), SWITCH("16p/16K", "procs=16,size=16k"),
		      SWITCH("16p/64K", "procs=16,size=64k") } },
	{ .title = "Local communication latencies",
	  NS_AS_US,
	  .band = { BAND("one CPU"), { .name = "two CPUs", .cross = true, .optional = true } },
	  .column = { FIGURE("2p/0K ctxsw", "proc.context_switch/procs=2,size=0"),
		      FIGURE("Pipe", "ipc.pipe/size=1"),
		      FIGURE("AF UNIX", "ipc.unix/size=1"),
		      FIGURE("UDP", "net.udp/size=4"),
		      FIGURE("RPC/UDP", "net.rpc:udp"),
		      FIGURE("TCP", "net.tcp/size=1"),
		      FIGURE("RPC/TCP", "net.rpc:tcp"),
		      FIGURE("TCP conn", "net.connect") } },
	{ .title = "File and virtual memory latencies",
	  NS_AS_US,
	  .band = { BAND("time") },
	  .column = { FIGURE("0K create", "fs.file:create/size=0"),
		      FIGURE("0K delete", "fs.file:delete/size=0"),
		      FIGURE("10K create", "fs.file:create/size=10k"),
		      FIGURE("10K delete", "fs.file:delete/size=10k"),
		      FIGURE("mmap", "vm.map"),
		      FIGURE("prot fault", "proc.signal:protection"),
		      FIGURE("page fault", "vm.page_fault:file"),
		      FIGURE("100fd select", "syscall.select:file/n=100") } },
	{ .title = "Local communication bandwidths",
	  MB_PER_S,
	  .about = "1 MB = 10^6 bytes. A copied byte counts once.",
	  .band = { BAND("rate") },
	  .column = { FIGURE("Pipe", "ipc.pipe_bw"),
		      FIGURE("AF UNIX", "ipc.unix_bw"),
		      FIGURE("TCP", "net.tcp_bw"),
		      FIGURE("File reread", "fs.read_bw"),
		      FIGURE("Mmap reread", "fs.mmap_bw"),
		      FIGURE("Bcopy (libc)", "mem.bw:libc_copy"),
		      FIGURE("Bcopy (hand)", "mem.bw:copy"),
		      FIGURE("Mem read", "mem.bw:read"),
		      FIGURE("Mem write", "mem.bw:write") } },
	{ .title = "Memory latencies",
	  NS,
	  .cycles = true,
	  .about = "Random order. Rand mem: 4 KiB pages, page walks included; all others: huge pages where given.",
	  .band = { BAND("time") },
	  .column = { FIGURE("L1", "mem.level:l1"),
		      FIGURE("L2", "mem.level:l2"),
		      FIGURE("L3", "mem.level:l3"),
		      FIGURE("Main mem", "mem.level:main"),
		      FIGURE("Rand mem", "mem.level:random"),
		      FIGURE("16 KiB", "mem.latency:random/size=16k,page=huge,spacing=64"),
		      FIGURE("256 KiB", "mem.latency:random/size=256k,page=huge,spacing=64"),
		      FIGURE("4 MiB", "mem.latency:random/size=4m,page=huge,spacing=64"),
		      FIGURE("64 MiB", "mem.latency:random/size=64m,page=huge,spacing=64") } },
	{ .title = "Cache sizes",
	  .recorded = "B",
	  .shown = "KiB",
	  .scale = 1.0 / 1024,
	  .cache_sizes = true,
	  .band = { BAND("measured") },
	  .column = { FIGURE("L1", "mem.cache:l1"), FIGURE("L2", "mem.cache:l2"), FIGURE("L3", "mem.cache:l3") } },
};

const size_t classic_count = countof(classic_tables);

size_t classic_columns(const struct classic_table *table)
{
	size_t count = 0;

	while (count < CLASSIC_COLUMNS && table->column[count].heading)
		count++;
	return count;
}

size_t classic_bands(const struct classic_table *table)
{
	size_t count = 0;

	while (count < CLASSIC_BANDS && table->band[count].name)
		count++;
	return count;
}

/* Points to the value of key in "a=1,b=2" and its length; NULL when it is not there. */
static const char *param(const char *params, const char *key, size_t key_length, size_t *ret_length)
{
	for (const char *at = params; *at;) {
		size_t length = strcspn(at, ",");
		if (length > key_length && at[key_length] == '=' && !strncmp(at, key, key_length)) {
			*ret_length = length - key_length - 1;
			return at + key_length + 1;
		}
		at += length + (at[length] == ',');
	}
	return NULL;
}

static const char *params_of(const char *id)
{
	const char *slash = strchr(id, '/');

	return slash ? slash + 1 : "";
}

static bool head_fits(const char *pattern, const char *id)
{
	size_t length = strcspn(pattern, "/");

	if (strcspn(pattern, "*?[\\") >= length) /* most are plain names, and runs have thousands of points */
		return strcspn(id, "/") == length && !strncmp(pattern, id, length);
	auto_free char *glob = mem_text("%.*s", (int)length, pattern);
	auto_free char *head = mem_text("%.*s", (int)strcspn(id, "/"), id);
	return fnmatch(glob, head, 0) == 0;
}

/* Everything the pattern names is so in the id. */
static bool params_fit(const char *pattern, const char *id)
{
	for (const char *at = pattern; *at;) {
		size_t length = strcspn(at, ","), key = strcspn(at, "=,"), value_length = 0;
		const char *value = param(id, at, key, &value_length);
		if (!value || key == length)
			return false;
		auto_free char *glob = mem_text("%.*s", (int)(length - key - 1), at + key + 1);
		auto_free char *text = mem_text("%.*s", (int)value_length, value);
		if (fnmatch(glob, text, 0))
			return false;
		at += length + (at[length] == ',');
	}
	return true;
}

static bool fits(const char *pattern, const char *id)
{
	static const char *const changes[] = { "place", "copies", "peer" };
	size_t unused;

	if (!head_fits(pattern, id))
		return false;
	for (size_t i = 0; i < countof(changes); i++) {
		size_t length = strlen(changes[i]);
		if (param(params_of(id), changes[i], length, &unused) &&
		    !param(params_of(pattern), changes[i], length, &unused))
			return false;
	}
	return params_fit(params_of(pattern), params_of(id));
}

static uint64_t number_at(const char *value, size_t length)
{
	uint64_t number = 0;
	auto_free char *text = mem_text("%.*s", (int)length, value);

	return parse_size(text, &number, NULL) ? 0 : number;
}

/* Is a larger than b: by size first, then by the params in their order? */
static bool is_larger(const char *a, const char *b)
{
	size_t a_length, b_length;
	const char *a_size = param(a, "size", 4, &a_length), *b_size = param(b, "size", 4, &b_length);
	uint64_t a_bytes = a_size ? number_at(a_size, a_length) : 0, b_bytes = b_size ? number_at(b_size, b_length) : 0;

	if (a_bytes != b_bytes)
		return a_bytes > b_bytes;
	for (const char *at = a; *at;) {
		size_t length = strcspn(at, ","), key = strcspn(at, "=,");
		const char *other = param(b, at, key, &b_length);
		uint64_t mine = key < length ? number_at(at + key + 1, length - key - 1) : 0;
		uint64_t theirs = other ? number_at(other, b_length) : 0;
		if (mine != theirs)
			return mine > theirs;
		at += length + (at[length] == ',');
	}
	return false;
}

const struct point *classic_find(const struct run *run, const char *pattern)
{
	const struct point *best = run_find_point(run, pattern);

	if (best)
		return best;
	for (size_t i = 0; i < run->points; i++) {
		const struct point *point = &run->point[i];
		if (fits(pattern, point->id) && (!best || is_larger(params_of(point->id), params_of(best->id))))
			best = point;
	}
	return best;
}

static const struct point *cell_point(const struct run *run, const struct classic_table *table,
				      const struct classic_column *column, size_t band)
{
	const char *id = column->id[table->band[band].cross ? 0 : band];

	if (!id)
		return NULL;
	if (!table->band[band].cross)
		return classic_find(run, id);
	auto_free char *cross = mem_text("%s%splace=cross", id, strchr(id, '/') ? "," : "/");
	return classic_find(run, cross);
}

struct figure classic_figure(const struct run *run, const struct classic_table *table,
			     const struct classic_column *column, size_t band)
{
	return figure_of(column->heading, cell_point(run, table, column, band),
			 column->recorded ? column->recorded : table->recorded,
			 column->shown ? column->shown : table->shown, column->recorded ? column->scale : table->scale);
}

bool classic_has_band(const struct run *run, const struct classic_table *table, size_t band)
{
	for (size_t i = 0; i < classic_columns(table); i++) {
		if (cell_point(run, table, &table->column[i], band))
			return true;
	}
	return false;
}

bool classic_has(const struct run *run, const struct classic_table *table)
{
	for (size_t band = 0; band < classic_bands(table); band++) {
		if (classic_has_band(run, table, band))
			return true;
	}
	return false;
}

void classic_mark(const struct run *run, bool *shown)
{
	for (size_t i = 0; i < classic_count; i++) {
		const struct classic_table *table = &classic_tables[i];
		for (size_t j = 0; j < classic_bands(table) * classic_columns(table); j++) {
			const struct classic_column *column = &table->column[j % classic_columns(table)];
			const struct point *point = cell_point(run, table, column, j / classic_columns(table));
			if (point)
				shown[point - run->point] = true;
		}
	}
}

unsigned classic_copies(const struct run *run)
{
	json_t *options = run->options ? json_loads(run->options, 0, NULL) : NULL;
	json_int_t copies = json_integer_value(json_object_get(options, "copies"));

	json_decref(options);
	return copies > 0 && copies < 1 << 20 ? (unsigned)copies : 1;
}
