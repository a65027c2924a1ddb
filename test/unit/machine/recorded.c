#include "recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../machines/unpack.h"
#include "base/root.h"

const char *const recorded_names[] = {
	"big-little", "container-v1", "container-v2", "cpuset", "guest", "hybrid", "no-cpufreq", "no-proc", "no-sys",
	"offline", "riscv", "s390x", "sparse", "two-socket", NULL,
};

static char directory[UNPACK_PATH];

void recorded_begin(const char *name)
{
	assert_int_equal(unpack_machine(recorded_manifests, name, directory), 0);
	root_set(directory);
}

void recorded_end(void)
{
	root_set(NULL);
	unpack_remove(directory);
}
