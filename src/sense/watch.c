#include "sense/watch.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/format.h"
#include "base/mem.h"
#include "base/root.h"
#include "machine/cgroup.h"

/* A reading of the clock and the loop around it cost well under this; whatever takes longer was not ours. */
enum { GAP_NS = 1000 };

/* The kernel counts steal in ticks of 10 ms, and a process is watched for a few of them: one or two may be rounding. */
enum { STEAL_TICKS_JUDGED = 3 };

enum sight {
	RUNQUEUE_WAIT,
	SWITCHES_INVOLUNTARY,
	STEAL,
	GAPS_SHARE,
	GAPS_LONGEST,
	CLOCK_DRIFT,
	FAULTS_MINOR,
	FAULTS_MAJOR,
	CGROUP_THROTTLED,
	THERMAL_THROTTLED,
};

/* The one place that says what is judged. A median of 50 µs batches shrugs off what is taken away between them, so
 * lost time has the limit that noise has (5 %); throttling changes what the machine is, so a single event is enough.
 * Gaps are only told: two milliseconds of looking say what the machine is like, not what happened to the batches. */
static const struct {
	const char *id, *unit;
	double threshold;
	enum verdict verdict; /* above the threshold */
	bool own_doing;       /* expected of a bench that gives up the CPU */
	const char *before, *after; /* words around the value */
} sights[] = {
	[RUNQUEUE_WAIT] = { "runqueue.wait", "ratio", 0.05, VERDICT_NOISY, true, "the CPU was taken away ",
			    " of the time (run-queue wait); close other programs" },
	[SWITCHES_INVOLUNTARY] = { "switches.involuntary", "count", NAN, VERDICT_OK, true, "", "" },
	[STEAL] = { "steal", "ratio", 0.05, VERDICT_NOISY, false, "the hypervisor took the CPU away ",
		    " of the time (steal); try again when the host is less busy" },
	[GAPS_SHARE] = { "gaps.share", "ratio", NAN, VERDICT_OK, false, "", "" },
	[GAPS_LONGEST] = { "gaps.longest", "ns", NAN, VERDICT_OK, false, "", "" },
	[CLOCK_DRIFT] = { "clock.drift", "ratio", 0.02, VERDICT_NOISY, false, "the core clock moved by ",
			  " while it was measured; fix the frequency or let the machine come to rest" },
	[FAULTS_MINOR] = { "faults.minor", "count", NAN, VERDICT_OK, false, "", "" },
	[FAULTS_MAJOR] = { "faults.major", "count", NAN, VERDICT_OK, false, "", "" },
	[CGROUP_THROTTLED] = { "cgroup.throttled", "count", 0, VERDICT_UNTRUSTED, false,
			       "the control group's CPU quota ran out ",
			       " times; raise the quota (cpu.max, cpu.cfs_quota_us)" },
	[THERMAL_THROTTLED] = { "thermal.throttled", "count", 0, VERDICT_UNTRUSTED, false,
				"the core was slowed down for heat ", " times; let it cool, or see to its cooling" },
};

/* As many numbers with blanks between them as wanted; false when there are fewer. */
static bool read_numbers(const char *s, double *number, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char *end;
		while (*s == ' ')
			s++;
		if (!isdigit((unsigned char)*s))
			return false;
		number[i] = (double)strtoull(s, &end, 10);
		s = end;
	}
	return true;
}

/* Run-queue wait is the second of three numbers (kernel Documentation/scheduler/sched-stats.rst). A kernel without
 * these statistics answers "0 0 0", which a running thread cannot have. thread-self is there since Linux 3.17. */
static double wait_ns(void)
{
	auto_free char *text = NULL;
	double number[3]; /* ns run, ns waited, time slices */

	if (root_read("/proc/thread-self/schedstat", &text) < 0 && root_read("/proc/self/schedstat", &text) < 0)
		return NAN;
	if (!read_numbers(text, number, 3) || (number[0] <= 0 && number[2] <= 0))
		return NAN;
	return number[1];
}

/* user nice system idle iowait irq softirq steal; the guest columns behind are part of the first two (proc(5)). */
static void read_ticks(int cpu, struct watch_reading *reading)
{
	auto_free char *text = NULL;
	char name[24];
	double number[8];

	reading->ticks = reading->steal_ticks = NAN;
	if (cpu < 0)
		snprintf(name, sizeof name, "cpu ");
	else
		snprintf(name, sizeof name, "cpu%d ", cpu);
	if (root_read("/proc/stat", &text) < 0)
		return;
	const char *line = text;
	while (line && strncmp(line, name, strlen(name))) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	if (!line || !read_numbers(line + strlen(name), number, countof(number)))
		return;
	reading->ticks = 0;
	for (unsigned i = 0; i < countof(number); i++)
		reading->ticks += number[i];
	reading->steal_ticks = number[7];
}

/* Own group and all above it, in both hierarchies: a parent's quota stops its children, and only the parent counts
 * that. */
static double cgroup_throttled(void)
{
	static const char *const controllers[] = { NULL, "cpu" };
	double sum = NAN;

	for (size_t i = 0; i < countof(controllers); i++) {
		auto_free char *directories = cgroup_directories(controllers[i]);
		for (const char *at = directories; at && *at; at += strlen(at) + 1) {
			auto_free char *file = mem_text("%s/cpu.stat", at);
			uint64_t times;
			if (root_field(file, "nr_throttled", &times) == 0)
				sum = (isnan(sum) ? 0 : sum) + (double)times;
		}
	}
	return sum;
}

static double thermal_throttled(int cpu)
{
	uint64_t events;

	if (cpu < 0)
		return NAN;
	int r = root_number(&events, "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", cpu);
	return r < 0 ? NAN : (double)events;
}

static void read_all(const struct watch *watch, struct watch_reading *reading)
{
	struct rusage usage;

	*reading = (struct watch_reading){ .involuntary = NAN, .faults_minor = NAN, .faults_major = NAN };
	read_ticks(watch->cpu, reading);
	reading->cgroup_throttled = cgroup_throttled();
	reading->thermal_throttled = thermal_throttled(watch->cpu);
	if (getrusage(RUSAGE_THREAD, &usage) == 0) {
		reading->involuntary = (double)usage.ru_nivcsw;
		reading->faults_minor = (double)usage.ru_minflt;
		reading->faults_major = (double)usage.ru_majflt;
	}
	reading->wait_ns = wait_ns();
	reading->at_ns = watch->now_ns(watch->clock);
}

static uint64_t monotonic_ns(void *clock)
{
	struct timespec now;

	(void)clock;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void watch_begin(struct watch *watch, int cpu)
{
	watch_begin_by(watch, cpu, monotonic_ns, NULL);
}

void watch_begin_by(struct watch *watch, int cpu, uint64_t (*now_ns)(void *clock), void *clock)
{
	*watch = (struct watch){
		.now_ns = now_ns, .clock = clock, .cpu = cpu, .clock_before_hz = NAN, .clock_after_hz = NAN
	};
	read_all(watch, &watch->begin);
}

void watch_clock(struct watch *watch, double before_hz, double after_hz)
{
	watch->clock_before_hz = before_hz;
	watch->clock_after_hz = after_hz;
}

void watch_gaps(struct watch *watch, uint64_t duration_ns)
{
	uint64_t begin = watch->now_ns(watch->clock), last = begin;

	while (last - begin < duration_ns) {
		uint64_t now = watch->now_ns(watch->clock);
		uint64_t gap = now > last ? now - last : 0;
		if (gap > GAP_NS)
			watch->gaps_lost_ns += gap;
		if (gap > watch->gaps_longest_ns)
			watch->gaps_longest_ns = gap;
		last = now > last ? now : last;
	}
	watch->gaps_watched_ns += last - begin;
}

/* "12 %" for ratios, "3" for counts. */
static char *words(enum sight sight, double value)
{
	char number[FORMAT_DOUBLE];

	if (strcmp(sights[sight].unit, "ratio"))
		return mem_text("%s%.0f%s", sights[sight].before, value, sights[sight].after);
	format_digits(number, 100 * value, 2);
	return mem_text("%s%s %%%s", sights[sight].before, number, sights[sight].after);
}

static void tell(struct condition **array, size_t *count, enum sight sight, double value, bool judged)
{
	double threshold = judged ? sights[sight].threshold : NAN;
	bool passed = value > threshold; /* never true of NaN */
	auto_free char *text = passed ? words(sight, value) : NULL;

	if (!isnan(value))
		condition_add(array, count, sights[sight].id, sights[sight].unit, value, threshold,
			      passed ? sights[sight].verdict : VERDICT_OK, text);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

void watch_end(struct watch *watch, bool gives_up_cpu, struct condition **array, size_t *count)
{
	const struct watch_reading *a = &watch->begin;
	struct watch_reading b;

	read_all(watch, &b);
	double stolen = b.steal_ticks - a->steal_ticks;
	double before = watch->clock_before_hz, after = watch->clock_after_hz;
	bool gaps = watch->gaps_watched_ns > 0;
	const double value[countof(sights)] = {
		[RUNQUEUE_WAIT] = share(b.wait_ns - a->wait_ns, (double)(b.at_ns - a->at_ns)),
		[SWITCHES_INVOLUNTARY] = b.involuntary - a->involuntary,
		[STEAL] = share(stolen, b.ticks - a->ticks),
		[GAPS_SHARE] = share((double)watch->gaps_lost_ns, (double)watch->gaps_watched_ns),
		[GAPS_LONGEST] = gaps ? (double)watch->gaps_longest_ns : NAN,
		[CLOCK_DRIFT] = share(fabs(after - before), before),
		[FAULTS_MINOR] = b.faults_minor - a->faults_minor,
		[FAULTS_MAJOR] = b.faults_major - a->faults_major,
		[CGROUP_THROTTLED] = b.cgroup_throttled - a->cgroup_throttled,
		[THERMAL_THROTTLED] = b.thermal_throttled - a->thermal_throttled,
	};
	for (unsigned i = 0; i < countof(sights); i++) {
		bool judged = !(sights[i].own_doing && gives_up_cpu) && !(i == STEAL && stolen < STEAL_TICKS_JUDGED);
		tell(array, count, i, value[i], judged);
	}
}
