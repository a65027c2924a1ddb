/* fs.file: files made and removed in one directory.
 *
 * create: one operation is open(O_CREAT|O_EXCL) of a new name, write of `size` bytes in pieces of up to 128 KiB, and
 * close. delete: one operation is unlink of such a file. What the other half takes is outside the clock: delete's files
 * are made before each batch, create's stay until there are 20,000 (or 64 MiB) of them. Nothing is synced, so the figure
 * is the file system's work in memory; what it writes later disturbs others.
 *
 * Distortion: ext4 passes over inodes freed in the last minute, one by one, when it looks for a new one
 * (recently_deleted, fs/ext4/ialloc.c), so that making files is slower where many were just removed. Keeping create's
 * files, and a directory of its own for every process, holds that small.
 *
 * Ancestry: lmbench's lat_fs, which spreads files over directories of 100 and prints rates.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/scratch.h"

enum { CREATE, DELETE };
enum { MOST_FILES = 500, MOST_KEPT = 20000, MOST_BYTES = 64 << 20, CHUNK = 128 << 10 };

struct file {
	uint64_t size;
	unsigned variant;
	int directory;
	uint64_t from, until; /* files with these numbers exist */
	uint64_t done;
	int fault;
	const char *file_system;
	struct err *err; /* for prepare */
	char chunk[CHUNK];
};

static void name_of(char out[24], uint64_t number)
{
	/* By hand, since printf would be a good part of the figure. */
	char *at = out + 23;

	*at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (at > out)
		*--at = 'f';
}

static int make_one(struct file *file, uint64_t number)
{
	char name[24];

	name_of(name, number);
	int fd = openat(file->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	for (uint64_t left = file->size; left;) {
		ssize_t written = write(fd, file->chunk, left < CHUNK ? left : CHUNK);
		if (written < 0) {
			int r = -errno;
			close(fd);
			return r;
		}
		left -= (uint64_t)written;
	}
	return close(fd) < 0 ? -errno : 0;
}

static int remove_one(struct file *file, uint64_t number)
{
	char name[24];

	name_of(name, number);
	return unlinkat(file->directory, name, 0) < 0 ? -errno : 0;
}

static int prepare(void *state, uint64_t n)
{
	struct file *file = state;
	int r = 0;

	if (file->variant == CREATE) {
		uint64_t kept = file->until - file->from;
		bool full = kept + n > MOST_KEPT || kept * file->size > MOST_BYTES;
		for (; r == 0 && full && file->from < file->until; file->from++)
			r = remove_one(file, file->from);
		return r < 0 ? err_sys(file->err, r, "removing a file between two batches") : 0;
	}
	for (; r == 0 && file->until < file->from + n; file->until++)
		r = make_one(file, file->until);
	return r < 0 ? err_sys(file->err, r, "making a file of %llu bytes to be removed",
			       (unsigned long long)file->size) : 0;
}

static void run(void *state, uint64_t n)
{
	struct file *file = state;

	for (; n && !file->fault; n--) {
		if (file->variant == CREATE)
			file->fault = make_one(file, file->until++);
		else
			file->fault = remove_one(file, file->from++);
		file->done += !file->fault;
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct file *file = state;

	file->variant = env->variant;
	file->err = env->err;
	file->directory = open(env->scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file->directory < 0)
		return err_sys(env->err, -errno, "opening %s", env->scratch);
	file->file_system = scratch_file_system(env->scratch);
	return 0;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	const struct file *file = state;

	if (file->fault)
		return err_sys(env->err, file->fault, "%s a file in %s",
			       file->variant == CREATE ? "making" : "removing", env->scratch);
	if (file->done != ops)
		return err_set(env->err, -EIO, "%llu files instead of %llu", (unsigned long long)file->done,
			       (unsigned long long)ops);
	return 0;
}

static const char *remark(const void *state)
{
	return ((const struct file *)state)->file_system;
}

static const struct param params[] = {
	{ "size", "bytes written into a file", PARAM_SIZE, offsetof(struct file, size), 0, 1 << 20, 0, NULL },
	{ 0 },
};

static const struct variant variants[] = {
	[CREATE] = { "create", "create, write and close a file" },
	[DELETE] = { "delete", "unlink a file" },
	{ 0 },
};

static const struct bench fs_file = {
	.name = "fs.file",
	.title = "create or delete a file",
	.unit = BENCH_NS,
	.class = CLASS_DISK,
	.needs = NEED_SCRATCH,
	.params = params,
	.variants = variants,
	.max_ops = MOST_FILES,
	.state_size = sizeof(struct file),
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.remark = remark,
};
BENCH_REGISTER(fs_file);
