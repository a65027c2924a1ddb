/* Real workers, started and ended: nothing may be lost, and nobody may stay. ASSAY names the program. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpulist.h"
#include "base/mem.h"
#include "harness/spawn.h"

#define MS UINT64_C(1000000)

static const uint64_t long_ns = 100 * 1000 * MS; /* more than any test here is given */

struct bed {
	struct spawn spawn;
	struct slab *slab;
	int fd;
	struct err err;
	int signal;
};

static void begin(struct bed *bed, const char *id)
{
	*bed = (struct bed){ .spawn = { .program = getenv("ASSAY") }, .fd = -1 };
	assert_non_null(bed->spawn.program);
	bed->slab = slab_new(&bed->fd, &bed->err);
	assert_non_null(bed->slab);
	bed->slab->points = 1;
	bed->slab->cpu = bed->slab->peer_cpu = -1;
	bed->slab->batch_ns = 50000;
	bed->slab->warm_ns = MS;
	bed->slab->warm_limit_ns = 5 * MS;
	bed->slab->measure_ns = 5 * MS;
	snprintf(bed->slab->point[0].id, sizeof bed->slab->point[0].id, "%s", id);
}

static enum spawn_end go(struct bed *bed, uint64_t deadline_ns)
{
	return spawn_worker(&bed->spawn, bed->slab, bed->fd, deadline_ns, &bed->signal, &bed->err);
}

/* This process adopts orphans, so whoever is left would be a child of it. */
static void assert_nobody_is_left(void)
{
	errno = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void end(struct bed *bed)
{
	assert_nobody_is_left();
	slab_free(bed->slab);
	close(bed->fd);
}

static int begin_session(void **state)
{
	(void)state;
	spawn_begin_session();
	return 0;
}

static int end_session(void **state)
{
	(void)state;
	spawn_end_session();
	return 0;
}

static void a_worker_measures_and_leaves(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "self.known/adds=100");
	assert_int_equal(go(&bed, long_ns), SPAWN_FINISHED);
	const struct slab_point *point = &bed.slab->point[0];
	assert_int_equal(bed.slab->finished, 1);
	assert_int_equal(point->state, SLAB_MEASURED);
	assert_true(point->batches >= 5 && point->n > 0);
	assert_int_equal(bed.slab->values, point->batches);
	end(&bed);
}

static void failures_of_every_kind_are_told(void **state)
{
	static const struct {
		const char *variant;
		enum spawn_end end;
		enum slab_state state;
		const char *reason;
	} rows[] = {
		{ "setup", SPAWN_FINISHED, SLAB_FAILED, "the set-up failed, as asked" },
		{ "check", SPAWN_FINISHED, SLAB_FAILED, "the work was not done, as asked" },
		{ "unavailable", SPAWN_FINISHED, SLAB_SKIPPED, "unavailable: as asked" },
		{ "crash", SPAWN_DIED, SLAB_RUNNING, "the worker was ended by signal 11 (Segmentation fault)" },
		{ "exit", SPAWN_DIED, SLAB_RUNNING, "the worker left with exit status 7 before it had finished" },
	};

	(void)state;
	for (size_t i = 0; i < countof(rows); i++) {
		struct bed bed;
		auto_free char *id = mem_text("self.faulty:%s", rows[i].variant);
		begin(&bed, id);
		assert_int_equal(go(&bed, long_ns), rows[i].end);
		assert_int_equal(bed.slab->point[0].state, rows[i].state);
		assert_string_equal(rows[i].end == SPAWN_DIED ? bed.err.text : bed.slab->point[0].reason, rows[i].reason);
		end(&bed);
	}
}

static void what_does_not_end_is_stopped_at_the_deadline(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "self.hang");
	assert_int_equal(go(&bed, 300 * MS), SPAWN_TIMED_OUT);
	assert_memory_equal(bed.err.text, "no end within ", strlen("no end within "));
	end(&bed);
}

/* A child that waits for the worker to have so many batches (0: to be at work), then does something to a process. */
static void when_measured(struct bed *bed, uint64_t batches, pid_t victim, int signal_number)
{
	volatile struct slab_point *point = &bed->slab->point[0];

	while (point->state != SLAB_RUNNING || point->batches < batches)
		usleep(1000);
	kill(victim, signal_number);
	_exit(0);
}

/* Runs a worker that is told to go on for long, and interrupts it. */
static void interrupt(struct bed *bed, uint64_t batches, int signal_number)
{
	pid_t self = getpid();

	bed->slab->measure_ns = long_ns;
	bed->slab->batch_ns = 5 * MS; /* the number of batches is limited, and none is to be the last */
	if (!fork())
		when_measured(bed, batches, self, signal_number);
	assert_int_equal(go(bed, long_ns), SPAWN_INTERRUPTED);
	assert_int_equal(bed->signal, signal_number);
	while (waitpid(-1, NULL, 0) > 0)
		; /* the helper, unless it was reaped already */
}

/* A worker that is killed in mid-measurement, as by a crash: what it had is there. */
static void batches_of_a_worker_that_was_killed_are_kept(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "self.known/adds=100");
	interrupt(&bed, 3, SIGTERM);
	const struct slab_point *point = &bed.slab->point[0];
	assert_int_equal(point->state, SLAB_RUNNING);
	assert_int_equal(bed.slab->finished, 0);
	assert_true(point->batches >= 3);
	for (uint64_t i = 0; i < point->batches; i++)
		assert_true(bed.slab->value[point->first + i] != 0);
	end(&bed);
}

static void peers_go_with_their_worker(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "ipc.pipe");
	interrupt(&bed, 1, SIGTERM);
	end(&bed);
	begin(&bed, "ipc.pipe");
	assert_int_equal(go(&bed, long_ns), SPAWN_FINISHED);
	assert_int_equal(bed.slab->point[0].state, SLAB_MEASURED);
	end(&bed);
}

static void a_signal_to_assay_ends_the_worker(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	(void)state;
	for (size_t i = 0; i < countof(signals); i++) {
		struct bed bed;
		begin(&bed, "self.hang");
		interrupt(&bed, 0, signals[i]);
		end(&bed);
	}
}

/* PR_SET_PDEATHSIG: nobody else could end a worker whose supervisor was killed. */
static void a_worker_dies_with_its_supervisor(void **state)
{
	struct bed bed;
	unsigned reaped = 0, killed = 0;

	(void)state;
	begin(&bed, "self.hang");
	pid_t supervisor = fork();
	if (!supervisor) {
		go(&bed, long_ns);
		_exit(0);
	}
	pid_t helper = fork();
	if (!helper)
		when_measured(&bed, 0, supervisor, SIGKILL);
	/* The worker is an orphan then, and this process adopts it: it waits for ever when the worker does not die. */
	for (int status; waitpid(-1, &status, 0) > 0; reaped++)
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	assert_int_equal(reaped, 3);
	assert_int_equal(killed, 2);
	end(&bed);
}

static void a_program_that_cannot_be_started_is_named(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "self.null");
	bed.spawn.program = "/nowhere/assay";
	assert_int_equal(go(&bed, long_ns), SPAWN_DIED);
	assert_string_equal(bed.err.text, "starting a worker (/nowhere/assay): No such file or directory");
	end(&bed);
}

static void placing_a_worker_leaves_this_process_where_it_was(void **state)
{
	auto_cpulist struct cpulist before = { 0 };
	auto_cpulist struct cpulist after = { 0 };
	struct bed bed;

	(void)state;
	assert_int_equal(cpulist_allowed(&before), 0);
	begin(&bed, "self.null");
	bed.slab->cpu = before.cpu[before.count - 1];
	assert_int_equal(go(&bed, long_ns), SPAWN_FINISHED);
	assert_int_equal(bed.slab->point[0].state, SLAB_MEASURED);
	assert_int_equal(cpulist_allowed(&after), 0);
	auto_free char *was = cpulist_format(&before);
	auto_free char *is = cpulist_format(&after);
	assert_string_equal(is, was);
	end(&bed);
}

static void a_cpu_that_is_not_there_is_an_error_of_the_worker_alone(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "self.null");
	bed.slab->cpu = 100000;
	assert_int_equal(go(&bed, long_ns), SPAWN_DIED);
	assert_non_null(strstr(bed.err.text, "placing the worker on CPU 100000"));
	end(&bed);
}

/* As under a supervisor that does not wait for its children. */
static void workers_are_waited_for_where_child_signals_were_ignored(void **state)
{
	struct bed bed;

	(void)state;
	spawn_end_session();
	signal(SIGCHLD, SIG_IGN);
	spawn_begin_session();
	begin(&bed, "self.null");
	assert_int_equal(go(&bed, 20 * 1000 * MS), SPAWN_FINISHED);
	end(&bed);
}

static void a_curve_is_measured_in_one_process(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "mem.latency:random/size=1k");
	bed.slab->points = 3;
	strcpy(bed.slab->point[1].id, "mem.latency:random/size=2k");
	strcpy(bed.slab->point[2].id, "mem.latency:random/size=16k");
	assert_int_equal(go(&bed, long_ns), SPAWN_FINISHED);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(bed.slab->point[i].state, SLAB_MEASURED);
		assert_true(bed.slab->point[i].batches >= 5);
		if (i > 0)
			assert_int_equal(bed.slab->point[i].first,
					 bed.slab->point[i - 1].first + bed.slab->point[i - 1].batches);
	}
	end(&bed);
}

static void points_that_are_not_one_curve_are_refused(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed, "self.null");
	bed.slab->points = 2;
	strcpy(bed.slab->point[1].id, "self.known");
	assert_int_equal(go(&bed, long_ns), SPAWN_FINISHED);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(bed.slab->point[i].state, SLAB_FAILED);
		assert_string_equal(bed.slab->point[i].reason, "self.known is not on one curve with self.null");
	}
	end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_measures_and_leaves),
		cmocka_unit_test(failures_of_every_kind_are_told),
		cmocka_unit_test(what_does_not_end_is_stopped_at_the_deadline),
		cmocka_unit_test(batches_of_a_worker_that_was_killed_are_kept),
		cmocka_unit_test(peers_go_with_their_worker),
		cmocka_unit_test(a_signal_to_assay_ends_the_worker),
		cmocka_unit_test(a_worker_dies_with_its_supervisor),
		cmocka_unit_test(a_program_that_cannot_be_started_is_named),
		cmocka_unit_test(placing_a_worker_leaves_this_process_where_it_was),
		cmocka_unit_test(a_cpu_that_is_not_there_is_an_error_of_the_worker_alone),
		cmocka_unit_test(a_curve_is_measured_in_one_process),
		cmocka_unit_test(points_that_are_not_one_curve_are_refused),
		cmocka_unit_test(workers_are_waited_for_where_child_signals_were_ignored),
	};

	return cmocka_run_group_tests(tests, begin_session, end_session);
}
