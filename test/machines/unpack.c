#include "unpack.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/mem.h"
#include "base/text.h"

#define CPUS "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

enum { MAX_PACKAGES = 64, MAX_CPUS = 8192 };

struct unpacking {
	const char *directory;
	char *path;          /* of the file whose content is being read, or NULL */
	struct text content;
	struct cpulist online, nodes;
	struct cpulist package[MAX_PACKAGES];
	unsigned char caches[MAX_CPUS]; /* how many each CPU has */
	bool only_old, only_new;        /* names of CPU sets */
	int r;
};

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void write_file(struct unpacking *u, const char *path, const char *content)
{
	auto_free char *full = mem_text("%s%s", u->directory, path);
	FILE *file = fopen(full, "a");

	if (!file && errno == ENOENT) {
		make_parents(full);
		file = fopen(full, "a");
	}
	if (!file || fprintf(file, "%s\n", content) < 0 || fclose(file) != 0) {
		u->r = -errno;
		fprintf(stderr, "unpack: %s: %s\n", full, strerror(errno));
	}
}

static void write_fmt(struct unpacking *u, const char *content, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void write_fmt(struct unpacking *u, const char *content, const char *fmt, ...)
{
	char path[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof path, fmt, args);
	va_end(args);
	write_file(u, path, content);
}

/* The kernel's mask form: groups of 32 bits, highest first, commas between. */
static char *mask(const struct cpulist *list)
{
	int groups = list->count ? list->cpu[list->count - 1] / 32 + 1 : 1;
	auto_free unsigned *bits = mem_new((size_t)groups, sizeof *bits);
	struct text out = { 0 };

	for (size_t i = 0; i < list->count; i++)
		bits[list->cpu[i] / 32] |= 1u << list->cpu[i] % 32;
	for (int g = groups; g-- > 0;)
		text_add(&out, g ? "%08x," : "%08x", bits[g]);
	return text_take(&out);
}

static void write_set(struct unpacking *u, const struct cpulist *list, int cpu, const char *name)
{
	auto_free char *as_mask = mask(list), *as_list = cpulist_format(list);

	write_fmt(u, as_mask, CPUS "/cpu%d/topology/%s", cpu, name);
	write_fmt(u, as_list, CPUS "/cpu%d/topology/%s_list", cpu, name);
}

static void core(struct unpacking *u, int package, const char *number, const struct cpulist *list)
{
	auto_free char *text = mem_text("%d", package);

	for (size_t i = 0; i < list->count; i++) {
		int cpu = list->cpu[i];
		write_fmt(u, text, CPUS "/cpu%d/topology/physical_package_id", cpu);
		write_fmt(u, number, CPUS "/cpu%d/topology/core_id", cpu);
		if (!u->only_old)
			write_set(u, list, cpu, "core_cpus");
		if (!u->only_new)
			write_set(u, list, cpu, "thread_siblings");
		cpulist_add(&u->online, cpu);
		if (package >= 0 && package < MAX_PACKAGES)
			cpulist_add(&u->package[package], cpu);
	}
}

/* hwloc works the associativity out of these, and the kernel writes them beside it. */
static void cache_geometry(struct unpacking *u, char word[5][32], int cpu, int index)
{
	long size = strtol(word[2], NULL, 10) * 1024, line = strtol(word[3], NULL, 10), ways = strtol(word[4], NULL, 10);

	if (size <= 0 || line <= 0 || ways <= 0)
		return;
	auto_free char *sets = mem_text("%ld", size / line / ways);
	write_fmt(u, sets, CPUS "/cpu%d/cache/index%d/number_of_sets", cpu, index);
	write_fmt(u, "1", CPUS "/cpu%d/cache/index%d/physical_line_partition", cpu, index);
}

static void cache(struct unpacking *u, char word[5][32], const struct cpulist *list)
{
	static const char *const files[] = { "level", "type", "size", "coherency_line_size", "ways_of_associativity" };
	auto_free char *as_mask = mask(list), *as_list = cpulist_format(list);

	for (size_t i = 0; i < list->count && list->cpu[i] < MAX_CPUS; i++) {
		int cpu = list->cpu[i], index = u->caches[cpu]++;
		for (size_t f = 0; f < countof(files); f++) {
			if (strcmp(word[f], "-")) /* a file that this machine lacks */
				write_fmt(u, word[f], CPUS "/cpu%d/cache/index%d/%s", cpu, index, files[f]);
		}
		cache_geometry(u, word, cpu, index);
		write_fmt(u, as_mask, CPUS "/cpu%d/cache/index%d/shared_cpu_map", cpu, index);
		write_fmt(u, as_list, CPUS "/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
	}
}

static void node(struct unpacking *u, int number, const char *kb, const struct cpulist *list)
{
	auto_free char *as_mask = mask(list), *as_list = cpulist_format(list);
	auto_free char *info = mem_text("Node %d MemTotal:       %s kB\nNode %d MemFree:        %s kB",
					number, kb, number, kb);

	cpulist_add(&u->nodes, number);
	write_fmt(u, as_mask, NODES "/node%d/cpumap", number);
	write_fmt(u, as_list, NODES "/node%d/cpulist", number);
	write_fmt(u, info, NODES "/node%d/meminfo", number);
}

static void directive(struct unpacking *u, const char *line)
{
	char word[5][32], list_text[1024] = "";
	auto_cpulist struct cpulist list = { 0 };

	if (sscanf(line, "@core %31s %31s %1023s", word[0], word[1], list_text) == 3 &&
	    cpulist_parse(&list, list_text, NULL) == 0)
		core(u, atoi(word[0]), word[1], &list);
	else if (sscanf(line, "@cache %31s %31s %31s %31s %31s %1023s", word[0], word[1], word[2], word[3], word[4],
			list_text) == 6 && cpulist_parse(&list, list_text, NULL) == 0)
		cache(u, word, &list);
	else if (sscanf(line, "@node %31s %31s %1023s", word[0], word[1], list_text) >= 2 &&
		 cpulist_parse(&list, list_text, NULL) == 0)
		node(u, atoi(word[0]), word[1], &list);
	else if (!strcmp(line, "@names old"))
		u->only_old = true;
	else if (!strcmp(line, "@names new"))
		u->only_new = true;
	else {
		fprintf(stderr, "unpack: cannot understand '%s'\n", line);
		u->r = -EINVAL;
	}
}

static void end_file(struct unpacking *u)
{
	if (!u->path)
		return;
	size_t length = u->content.length;
	while (length && u->content.at[length - 1] == '\n')
		u->content.at[--length] = '\0';
	write_file(u, u->path, text_get(&u->content));
	text_done(&u->content);
	free(u->path);
	u->path = NULL;
}

static void begin_file(struct unpacking *u, const char *rest)
{
	const char *value = strstr(rest, " = ");

	end_file(u);
	if (value) {
		auto_free char *path = mem_text("%.*s", (int)(value - rest), rest);
		write_file(u, path, value + 3);
	} else {
		u->path = mem_copy(rest);
	}
}

static void take_line(struct unpacking *u, const char *line)
{
	if (!strncmp(line, "=== ", 4)) {
		begin_file(u, line + 4);
	} else if (*line == '@') {
		end_file(u);
		directive(u, line);
	} else if (u->path) {
		text_add(&u->content, "%s\n", line);
	}
}

/* "i/16*32+5": i or a number, then operators with i or a number behind, left to right. */
static long compute(const char *s, long i)
{
	long value = 0;

	for (char op = '+'; op && op != '}'; op = *s ? *s++ : '\0') {
		char *end = (char *)s + 1;
		long operand = *s == 'i' ? i : strtol(s, &end, 10);
		s = end;
		value = op == '+' ? value + operand : op == '*' ? value * operand
			: op == '/' ? value / operand : op == '%' ? value % operand : value - operand;
	}
	return value;
}

static char *replaced(const char *line, long i)
{
	struct text out = { 0 };

	while (*line) {
		const char *close = *line == '{' && line[1] == 'i' ? strchr(line, '}') : NULL;
		if (close) {
			text_add(&out, "%ld", compute(line + 1, i));
			line = close + 1;
		} else {
			text_bytes(&out, line++, 1);
		}
	}
	return text_take(&out);
}

/* Lines from *cursor up to @end, for every i. */
static void loop(struct unpacking *u, const char *head, char **lines, size_t count, size_t *cursor)
{
	long first = 0, last = -1;
	size_t begin = *cursor, end = begin;

	end_file(u);
	sscanf(head, "@for i %ld %ld", &first, &last);
	while (end < count && strcmp(lines[end], "@end"))
		end++;
	for (long i = first; i <= last; i++) {
		for (size_t l = begin; l < end; l++) {
			auto_free char *line = replaced(lines[l], i);
			take_line(u, line);
		}
		end_file(u);
	}
	*cursor = end + 1;
}

static bool is_missing(const struct unpacking *u, const char *path)
{
	auto_free char *full = mem_text("%s%s", u->directory, path);

	return access(full, F_OK) != 0;
}

static void finish(struct unpacking *u)
{
	auto_free char *online = cpulist_format(&u->online), *nodes = cpulist_format(&u->nodes);

	end_file(u);
	if (u->online.count && is_missing(u, CPUS "/online"))
		write_file(u, CPUS "/online", online);
	if (u->online.count && is_missing(u, CPUS "/present"))
		write_file(u, CPUS "/present", online);
	if (u->nodes.count) {
		write_file(u, NODES "/online", nodes);
		write_file(u, NODES "/has_memory", nodes);
	}
	for (int p = 0; p < MAX_PACKAGES; p++) {
		for (size_t i = 0; i < u->package[p].count; i++) {
			auto_free char *set = mask(&u->package[p]);
			if (!u->only_old)
				write_fmt(u, set, CPUS "/cpu%d/topology/package_cpus", u->package[p].cpu[i]);
			if (!u->only_new)
				write_fmt(u, set, CPUS "/cpu%d/topology/core_siblings", u->package[p].cpu[i]);
		}
		cpulist_done(&u->package[p]);
	}
	cpulist_done(&u->online);
	cpulist_done(&u->nodes);
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	struct text out = { 0 };
	char block[4096];
	size_t got;

	if (!file)
		return NULL;
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		text_bytes(&out, block, got);
	fclose(file);
	return text_take(&out);
}

int unpack_into(const char *manifest, const char *directory)
{
	auto_free struct unpacking *u = mem_new(1, sizeof *u);
	auto_free char *text = read_all(manifest);
	auto_free char **lines = NULL;
	size_t count = 0, capacity = 0;

	if (!text) {
		int r = -errno;
		fprintf(stderr, "unpack: %s: %s\n", manifest, strerror(errno));
		return r;
	}
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		lines = mem_room(lines, count, &capacity, sizeof *lines);
		lines[count++] = line;
	}
	u->directory = directory;
	for (size_t i = 0; i < count;) {
		const char *line = lines[i++];
		if (!strncmp(line, "@for ", 5))
			loop(u, line, lines, count, &i);
		else
			take_line(u, line);
	}
	finish(u);
	return u->r;
}

/* A tree of 13,000 files takes seconds on a disk and nothing in memory. */
static const char *fast_directory(void)
{
	const char *tmp = getenv("TMPDIR");
	struct statvfs fs;

	if (tmp && *tmp)
		return tmp;
	if (access("/dev/shm", W_OK) == 0 && statvfs("/dev/shm", &fs) == 0 && fs.f_bavail >= (256 << 20) / fs.f_frsize)
		return "/dev/shm";
	return "/tmp";
}

int unpack_machine(const char *manifests, const char *name, char ret_directory[UNPACK_PATH])
{
	auto_free char *manifest = mem_text("%s/%s.txt", manifests, name);

	snprintf(ret_directory, UNPACK_PATH, "%s/assay-machine-XXXXXX", fast_directory());
	if (!mkdtemp(ret_directory))
		return -errno;
	return unpack_into(manifest, ret_directory);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
	(void)status;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void unpack_remove(const char *directory)
{
	nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
