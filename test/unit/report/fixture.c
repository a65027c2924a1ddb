#include "fixture.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static const char machine[] =
	"{\"schema\":\"assay.machine/1\",\"hostname\":\"host-1\","
	"\"cpu\":{\"architecture\":\"x86_64\",\"model\":\"Example CPU 9000\"},"
	"\"topology\":{\"online\":\"0-3\",\"packages\":1,\"cores\":2,\"threads_per_core\":2},"
	"\"memory\":{\"total_bytes\":17179869184},\"kernel\":{\"release\":\"6.1.0\"},"
	"\"frequency\":{\"governor\":\"performance\"},"
	"\"virtual\":{\"hypervisor\":\"kvm\",\"container\":\"none\",\"emulation\":\"none\"},"
	"\"caches\":[{\"level\":1,\"type\":\"data\",\"size_bytes\":32768},"
	"{\"level\":1,\"type\":\"instruction\",\"size_bytes\":65536},"
	"{\"level\":2,\"type\":\"unified\",\"size_bytes\":524288},"
	"{\"level\":3,\"type\":\"unified\",\"size_bytes\":33554432}]}";

struct point *fixture_point(struct run *run, const char *id, const char *unit, double value, double percent)
{
	struct point *point = run_add_point(run, id);

	point->unit = mem_copy(unit);
	point->better = unit_better(unit);
	point->title = mem_copy("one operation");
	point->value = value;
	point->rounds = percent < 0 ? 3 : 10;
	point->samples = 400;
	point->noise = 0.012;
	if (percent >= 0) {
		point->low = value * (1 - percent / 100);
		point->high = value * (1 + percent / 100);
	}
	return point;
}

static struct point *with_cycles(struct point *point, double clock_ghz)
{
	point->cycles = point->value * clock_ghz;
	point->cycles_low = point->low * clock_ghz;
	point->cycles_high = point->high * clock_ghz;
	return point;
}

static void judge(struct point *point, enum verdict verdict, const char *reason)
{
	point->verdict = verdict;
	point->reason = mem_copy(reason);
	if (verdict == VERDICT_SKIPPED || verdict == VERDICT_FAILED) {
		point->value = point->low = point->high = NAN;
		point->rounds = 0;
		point->samples = 0;
	}
}

static void add_system(struct run *run)
{
	fixture_point(run, "cpu.clock", "Hz", 2.9951e9, 0.1);
	fixture_point(run, "mem.tlb_reach", "pages", 1536, -1);
	fixture_point(run, "mem.line_size", "B", 64, 0);
	fixture_point(run, "mem.parallelism/size=64m", "ratio", 9.41, 3);
	fixture_point(run, "syscall.simple:null", "ns", 231.4, 1.2);
	fixture_point(run, "syscall.null_io", "ns", 301.2, 1.4)->derived = true;
	judge(fixture_point(run, "syscall.simple:stat", "ns", 1021, 6), VERDICT_NOISY,
	      "the interval is ±6.0 % wide, 2 % were aimed at");
	fixture_point(run, "syscall.simple:open", "ns", 2310, 1);
	judge(fixture_point(run, "syscall.select:tcp/n=100", "ns", 5600, 1), VERDICT_SKIPPED,
	      "unavailable: the lo interface is down");
	judge(fixture_point(run, "proc.create:fork", "ns", 298000, 14), VERDICT_UNTRUSTED,
	      "28 % of the time went to disturbances");
	judge(fixture_point(run, "proc.create:exec", "ns", 1, 1), VERDICT_FAILED, "execve: Permission denied");
	fixture_point(run, "proc.create:shell", "ns", 2500000, -1);
	with_cycles(fixture_point(run, "cpu.op:int_bit", "ns", 0.334, 0.3), 2.995);
	with_cycles(fixture_point(run, "cpu.op:int_div", "ns", 3.37, 0.8), 2.995);
}

static void add_switches(struct run *run)
{
	struct point *zero = fixture_point(run, "proc.context_switch/procs=8,size=64k", "ns", 120, 0);

	zero->low = -300;
	zero->high = 520;
	zero->derived = true;
	fixture_point(run, "proc.context_switch/procs=2,size=0", "ns", 1020, 4)->note =
		mem_copy("token passed through pipes");
	fixture_point(run, "proc.switch/procs=2,size=0", "ns", 1900, 1);
	fixture_point(run, "proc.switch_base/procs=2,size=0", "ns", 880, 1);
	fixture_point(run, "proc.switch/procs=8,size=64k", "ns", 9100, 3);
	fixture_point(run, "proc.switch_base/procs=8,size=64k", "ns", 8980, 3);
	fixture_point(run, "ipc.pipe/size=1", "ns", 7912, 1);
	fixture_point(run, "ipc.pipe/size=1,place=cross", "ns", 15120, 4);
}

static void add_memory(struct run *run)
{
	fixture_point(run, "mem.bw:read/size=16k", "B/s", 45.1e9, 1);
	fixture_point(run, "mem.bw:read/size=256m", "B/s", 10.55e9, 1.2);
	fixture_point(run, "mem.bw:read/size=1m", "B/s", 31.0e9, 1);
	with_cycles(fixture_point(run, "mem.level:l1", "ns", 1.335, 0.2), 2.995);
	with_cycles(fixture_point(run, "mem.level:random", "ns", 207.3, 2), 2.995);
	fixture_point(run, "mem.cache:l1", "B", 32768, 0);
	fixture_point(run, "mem.cache:l2", "B", 524288, 0);
	fixture_point(run, "mem.cache:l3", "B", 8388608, 10);
	fixture_point(run, "mem.latency:random/size=64k,page=huge,spacing=64", "ns", 4.214, 1);
}

static void add_head(struct run *run)
{
	strcpy(run->id, "01890a5d-ac96-774b-bcce-b302099a8057");
	run->started_ms = 1709208000000; /* 2024-02-29 12:00 UTC */
	run->ended_ms = run->started_ms + 171000;
	run->complete = true;
	run->seed = 42;
	run->rounds = 10;
	run->method = mem_copy("1");
	run->version = mem_copy("0.1.0");
	run->machine = mem_copy(machine);
}

static void add_curve(struct run *run, const char *variant, const char *sizes, double ns)
{
	auto_free char *all = mem_copy(sizes);
	char *rest = all;
	unsigned percent = 6;

	for (char *size; (size = strsep(&rest, " ")); ns *= 2.1) {
		auto_free char *id = mem_text("mem.latency:%s/size=%s,page=huge,spacing=64", variant, size);
		auto_free char *reason = mem_text("disturbances took %u %% of the time", percent++);
		judge(with_cycles(fixture_point(run, id, "ns", ns, 1.5), 2.995), VERDICT_NOISY, reason);
	}
}

void fixture_selection(struct run *run)
{
	add_head(run);
	run->set = mem_copy("selection");
	run->selection = mem_copy("mem.latency syscall.simple:null");
	fixture_point(run, "syscall.simple:null", "ns", 231.4, 1.2);
	add_curve(run, "random", "512 1k 2k 4k 8k 16k 64m", 1.1);
	add_curve(run, "forward", "512 1k 2k 4k 8k 16k", 1.05);
}

void fixture_run(struct run *run)
{
	add_head(run);
	run->name = mem_copy("first");
	run->set = mem_copy("classic");
	condition_add(&run->condition, &run->conditions, "clock.drift", "%", 0.04, 1, VERDICT_OK, NULL);
	condition_add(&run->condition, &run->conditions, "cpu.steal", "%", 4.13, 2, VERDICT_NOISY,
		      "the hypervisor ran others on this CPU");
	add_system(run);
	add_switches(run);
	add_memory(run);
}
