#include "harness/sets.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

/* Everything the classic tables show, and place=cross beside each ping-pong. */
static const char *const classic[] = {
	"cpu.clock",
	"cpu.op",
	"mem.line",
	"mem.tlb",
	"mem.parallel",
	"syscall.simple",
	"syscall.select:tcp/n=100",
	"syscall.select:file/n=100",
	"proc.signal",
	"proc.create",
	"proc.switch/procs=2,size=0",
	"proc.switch/procs=2,size=16k",
	"proc.switch/procs=2,size=64k",
	"proc.switch/procs=8,size=16k",
	"proc.switch/procs=8,size=64k",
	"proc.switch/procs=16,size=16k",
	"proc.switch/procs=16,size=64k",
	"proc.switch_base/procs=2,size=0",
	"proc.switch_base/procs=2,size=16k",
	"proc.switch_base/procs=2,size=64k",
	"proc.switch_base/procs=8,size=16k",
	"proc.switch_base/procs=8,size=64k",
	"proc.switch_base/procs=16,size=16k",
	"proc.switch_base/procs=16,size=64k",
	"proc.switch/procs=2,size=0,place=cross",
	"ipc.pipe",
	"ipc.unix",
	"net.udp",
	"net.tcp",
	"net.rpc",
	"net.connect",
	"ipc.pipe/place=cross",
	"ipc.unix/place=cross",
	"net.udp/place=cross",
	"net.tcp/place=cross",
	"net.rpc/place=cross",
	"net.connect/place=cross",
	"fs.file:create/size=0",
	"fs.file:delete/size=0",
	"fs.file:create/size=10k",
	"fs.file:delete/size=10k",
	"vm.map",
	"vm.page_fault:file",
	"ipc.pipe_bw",
	"ipc.unix_bw",
	"net.tcp_bw",
	"ipc.pipe_bw/place=cross",
	"ipc.unix_bw/place=cross",
	"net.tcp_bw/place=cross",
	"fs.read_bw",
	"fs.mmap_bw",
	"mem.bw",
	"mem.latency:random",
	"mem.latency:random/page=4k,size=memory",
	NULL,
};

/* About thirty named points that characterise a machine in half a minute. */
static const char *const quick[] = {
	"cpu.clock",
	"cpu.op:int_mul",
	"cpu.op:int_div",
	"cpu.op:double_add",
	"cpu.op:double_mul",
	"syscall.simple",
	"syscall.select:file/n=100",
	"proc.signal:install",
	"proc.signal:handle",
	"proc.create:fork",
	"proc.create:exec",
	"proc.switch/procs=2,size=0",
	"proc.switch_base/procs=2,size=0",
	"ipc.pipe",
	"ipc.unix",
	"net.udp",
	"net.tcp",
	"net.connect",
	"vm.page_fault:file",
	"ipc.pipe_bw",
	"fs.read_bw",
	"mem.bw:read",
	"mem.bw:write",
	"mem.bw:libc_copy",
	"mem.latency:random/size=16k",
	"mem.latency:random/size=256k",
	"mem.latency:random/size=4m",
	"mem.latency:random/size=64m",
	NULL,
};

static const struct {
	const char *name;
	const char *const *members;
	uint64_t budget_ns;
} sets[] = {
	{ "classic", classic, UINT64_C(180) * 1000000000 },
	{ "quick", quick, UINT64_C(25) * 1000000000 },
};

const char *const *set_members(const char *name)
{
	for (size_t i = 0; i < countof(sets); i++) {
		if (!strcmp(sets[i].name, name))
			return sets[i].members;
	}
	return NULL;
}

const char *set_names(void)
{
	return "classic, quick";
}

uint64_t set_budget_ns(const char *name)
{
	for (size_t i = 0; i < countof(sets); i++) {
		if (!strcmp(sets[i].name, name))
			return sets[i].budget_ns;
	}
	return 0;
}
