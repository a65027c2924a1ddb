#include "machine/cgroup.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/root.h"
#include "base/text.h"

char *cgroup_paths(void)
{
	char *text = NULL;

	return root_read("/proc/self/cgroup", &text) < 0 ? NULL : text;
}

/* Is word one of the comma-separated words of a list that ends at end? */
static bool has_word(const char *list, const char *end, const char *word)
{
	size_t length = strlen(word);

	while (list < end) {
		const char *stop = memchr(list, ',', (size_t)(end - list));
		stop = stop ? stop : end;
		if ((size_t)(stop - list) == length && !memcmp(list, word, length))
			return true;
		list = stop + 1;
	}
	return false;
}

/* The path of a controller out of lines "id:controllers:path" (cgroups(7)). Caller frees; NULL when it has no line. */
static char *own_path(const char *controller)
{
	auto_free char *text = cgroup_paths();

	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		if (controller ? has_word(list + 1, path, controller) : !strncmp(line, "0::", 3))
			return mem_copy(path + 1);
	}
	return NULL;
}

struct mount {
	char *point;
	char *root; /* the part of the hierarchy that is mounted */
};

/* /proc/self/mountinfo: id parent major:minor root point options [fields…] - type source superoptions (proc(5)). */
static bool mount_parse(char *line, const char *controller, struct mount *ret_mount)
{
	char root[512], point[512], type[32], options[512];
	const char *tail = strstr(line, " - ");

	if (!tail || sscanf(line, "%*s %*s %*s %511s %511s", root, point) != 2 ||
	    sscanf(tail, " - %31s %*s %511s", type, options) != 2)
		return false;
	if (controller ? strcmp(type, "cgroup") || !has_word(options, options + strlen(options), controller)
		       : strcmp(type, "cgroup2"))
		return false;
	*ret_mount = (struct mount){ .point = mem_copy(point), .root = mem_copy(root) };
	return true;
}

static bool mount_find(const char *controller, struct mount *ret_mount)
{
	auto_free char *text = NULL;

	if (root_read("/proc/self/mountinfo", &text) == 0) {
		for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
			if (mount_parse(line, controller, ret_mount))
				return true;
		}
	}
	/* Without mountinfo (a recorded tree, an odd sandbox) the customary places are still worth a look. */
	auto_free char *usual = controller ? mem_text("/sys/fs/cgroup/%s", controller) : mem_copy("/sys/fs/cgroup");
	if (!root_exists(usual) || (!controller && !root_exists("/sys/fs/cgroup/cgroup.controllers")))
		return false;
	*ret_mount = (struct mount){ .point = mem_copy(usual), .root = mem_copy("/") };
	return true;
}

/* The path below the mount point. In a container without its own cgroup namespace the path counts from the host's root
 * while only a part of the hierarchy is mounted; in one with a namespace made too late it begins with "/..". */
static const char *below_mount(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (!strncmp(path, "/..", 3))
		return "";
	if (length > 1 && !strncmp(path, root, length) && (path[length] == '/' || !path[length]))
		path += length;
	else if (length > 1)
		return "";
	return strcmp(path, "/") ? path : "";
}

char *cgroup_directories(const char *controller)
{
	auto_free char *path = own_path(controller);
	struct mount mount;
	struct text out = { 0 };

	if (!path || !mount_find(controller, &mount))
		return NULL;
	auto_free char *directory = mem_text("%s%s", mount.point, below_mount(path, mount.root));
	size_t shortest = strlen(mount.point);
	free(mount.point);
	free(mount.root);
	for (;;) {
		if (root_exists(directory))
			text_bytes(&out, directory, strlen(directory) + 1);
		char *slash = strrchr(directory, '/');
		if (!slash || strlen(directory) <= shortest)
			break;
		*slash = '\0';
	}
	text_bytes(&out, "", 1);
	return text_take(&out);
}

/* "max 100000" or "50000 100000" (cgroup-v2.rst, cpu.max). */
static double quota_v2(const char *directory)
{
	auto_free char *text = NULL;
	unsigned long long quota, period;

	if (root_readf(&text, "%s/cpu.max", directory) < 0)
		return NAN;
	if (!strncmp(text, "max", 3))
		return INFINITY;
	return sscanf(text, "%llu %llu", &quota, &period) == 2 && period ? (double)quota / (double)period : NAN;
}

/* -1 stands for none (sched-bwc.rst). */
static double quota_v1(const char *directory)
{
	auto_free char *text = NULL;
	uint64_t period = 0;

	if (root_readf(&text, "%s/cpu.cfs_quota_us", directory) < 0 ||
	    root_number(&period, "%s/cpu.cfs_period_us", directory) < 0 || !period)
		return NAN;
	double quota = strtod(text, NULL);
	return quota < 0 ? INFINITY : quota / (double)period;
}

/* The tightest of the directories; the root group has no file, so directories without one mean "no quota here". */
static double tightest(const char *directories, double (*quota)(const char *directory))
{
	double least = INFINITY;

	for (const char *d = directories; *d; d += strlen(d) + 1) {
		double one = quota(d);
		least = one < least ? one : least;
	}
	return least;
}

double cgroup_cpu_quota(void)
{
	auto_free char *v1 = cgroup_directories("cpu");
	auto_free char *v2 = cgroup_directories(NULL);

	if (!v1 && !v2)
		return NAN;
	double old = v1 ? tightest(v1, quota_v1) : INFINITY;
	double unified = v2 ? tightest(v2, quota_v2) : INFINITY;
	return old < unified ? old : unified;
}
