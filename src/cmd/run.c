/* assay run: measure, keep, show. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/format.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "cmd/lock.h"
#include "cmd/open_book.h"
#include "cmd/progress.h"
#include "cmd/run_request.h"
#include "cmd/scratch.h"
#include "cmd/style.h"
#include "cmd/verb.h"
#include "harness/estimate.h"
#include "harness/runner.h"
#include "harness/sets.h"
#include "machine/machine.h"
#include "record/json.h"
#include "record/uuid.h"
#include "report/show.h"
#include "sense/clockprobe.h"

#define MIB (UINT64_C(1) << 20)
#define SECOND_NS UINT64_C(1000000000)
#define CLOCK_RATIO_NS UINT64_C(4000000)

extern const struct verb verb_run;

struct run_config {
	const char *set, *place, *name, *book;
	uint64_t budget_ns, rounds, seed;
	double precision_pct;
	struct texts labels;
	bool dry_run, quiet, json, jsonl, resume;
};

/* All that lives from the first line of the verb to the last. */
struct campaign {
	const struct run_config *config;
	struct run_request request;
	struct machine machine;
	struct cpulist cpus;   /* to rotate over */
	struct cpulist others; /* where the other end of a ping-pong may stand */
	struct plan plan;
	struct run run;
	struct book *book;
	bool book_failed; /* told once; the run goes on in memory */
	int output_error; /* errno of the first line of --jsonl that could not be written */
	char *program;
	char *scratch;
	struct progress progress;
};

static int64_t unix_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The working set that no cache holds. A quarter of the memory is the limit, since copies need two of them. A power of
 * two, or one and a half: short in ids, and the same on machines alike. */
static void choose_memory(struct campaign *c)
{
	int cpu = c->cpus.count ? c->cpus.cpu[0] : 0;
	uint64_t wanted = 4 * topology_last_level_cache_bytes(&c->machine.topology, cpu);
	uint64_t most = c->machine.memory.usable_bytes / 4;

	if (wanted < 256 * MIB)
		wanted = 256 * MIB;
	c->request.memory_capped = most && wanted > most;
	if (c->request.memory_capped)
		wanted = most;
	uint64_t size = MIB;
	while (size * 2 <= wanted)
		size *= 2;
	uint64_t half_more = size + size / 2;
	if (c->request.memory_capped || size == wanted)
		c->request.memory_bytes = half_more <= wanted ? half_more : size;
	else
		c->request.memory_bytes = half_more >= wanted ? half_more : 2 * size;
}

/* CPUs to measure on: those allowed, within --place, and all of one kind of core, since figures of a fast and a slow
 * core have no common middle. */
static int choose_cpus(struct campaign *c, struct err *err)
{
	auto_cpulist struct cpulist asked = { 0 };
	auto_cpulist struct cpulist allowed = { 0 };
	int r = c->request.place ? cpulist_parse(&asked, c->request.place, err) : 0;

	if (r < 0)
		return err_wrap(err, r, "--place");
	if (c->request.place && !asked.count)
		return err_set(err, -EINVAL, "--place: the list of CPUs is empty");
	if (cpulist_allowed(&allowed) < 0)
		return 0; /* placement is left to the kernel */
	for (size_t i = 0; i < asked.count; i++) {
		if (!cpulist_has(&allowed, asked.cpu[i]))
			return err_set(err, -EINVAL, "--place: CPU %d is offline or not allowed to this process",
				       asked.cpu[i]);
	}
	const struct cpulist *from = asked.count ? &asked : &allowed;
	const struct topology_cpu *first = topology_cpu(&c->machine.topology, from->cpu[0]);
	for (size_t i = 0; i < from->count; i++) {
		const struct topology_cpu *cpu = topology_cpu(&c->machine.topology, from->cpu[i]);
		cpulist_add(&c->others, from->cpu[i]);
		if (asked.count || !first || !cpu || cpu->kind == first->kind)
			cpulist_add(&c->cpus, from->cpu[i]);
	}
	return 0;
}

static int peer_of(void *arg, int cpu)
{
	const struct campaign *c = arg;

	return machine_pick_peer_cpu(&c->machine.topology, cpu, &c->others);
}

static uint64_t budget_of(const struct campaign *c)
{
	size_t jobs = c->plan.jobs;

	if (c->config->budget_ns)
		return c->config->budget_ns;
	if (!c->request.selectors.count)
		return set_budget_ns(c->request.set);
	return (jobs < 20 ? 8 * jobs : 160 + jobs) * SECOND_NS;
}

static int make_request(struct campaign *c, int argc, char **argv, struct err *err)
{
	const struct run_config *config = c->config;

	if (argc && config->set)
		return err_set(err, -EINVAL, "selectors and --set exclude each other");
	for (int i = 0; i < argc; i++) {
		struct texts *texts = &c->request.selectors;
		texts->at = mem_room(texts->at, texts->count, &texts->capacity, sizeof *texts->at);
		texts->at[texts->count++] = argv[i];
	}
	c->request.set = argc ? NULL : config->set ? config->set : "classic";
	c->request.place = config->place;
	c->request.rounds = config->rounds;
	c->request.precision_pct = config->precision_pct;
	int r = choose_cpus(c, err);
	if (r < 0)
		return r;
	choose_memory(c);
	r = run_request_plan(&c->request, c->others.count > 1, &c->plan, err);
	c->request.budget_ns = budget_of(c);
	return r;
}

static void add_label(struct run *run, const char *text)
{
	const char *equals = strchr(text, '=');

	run->label = mem_grow(run->label, run->labels + 1, sizeof *run->label);
	run->label[run->labels].key = equals ? strndup(text, (size_t)(equals - text)) : mem_copy(text);
	run->label[run->labels].value = mem_copy(equals ? equals + 1 : "");
	run->labels++;
}

static char *joined(const struct texts *texts)
{
	struct text out = { 0 };

	for (size_t i = 0; i < texts->count; i++)
		text_add(&out, i ? " %s" : "%s", texts->at[i]);
	return text_take(&out);
}

static void begin_record(struct campaign *c)
{
	struct run *run = &c->run;

	run->started_ms = unix_ms();
	uuid7_make(run->id, run->started_ms);
	run->name = mem_copy(c->config->name);
	for (size_t i = 0; i < c->config->labels.count; i++)
		add_label(run, c->config->labels.at[i]);
	run->seed = c->config->seed ? c->config->seed : random_seed();
	run->set = mem_copy(c->request.set ? c->request.set : "selection");
	run->selection = c->request.selectors.count ? joined(&c->request.selectors) : NULL;
	run->options = run_request_write(&c->request);
	run->budget_ns = c->request.budget_ns;
	run->method = mem_copy(METHOD_VERSION);
	run->version = mem_copy(ASSAY_VERSION);
	run->machine = machine_document(&c->machine);
}

static uint64_t now_ns(void *arg)
{
	(void)arg;
	return timer_now_ns();
}

/* Cycles rest on an addition taking one: multiplying, which takes two to seven on cores that are in use, must then take
 * a multiple of it. */
static void note_clock_ratio(struct run *run)
{
	double ratio = clockprobe_ratio_mul(now_ns, NULL, CLOCK_RATIO_NS);

	if (isnan(ratio))
		return;
	bool plausible = ratio > 1.9 && ratio < 7.1;
	condition_add(&run->condition, &run->conditions, "clock.mul_per_add", "ratio", ratio, NAN,
		      plausible ? VERDICT_OK : VERDICT_NOISY,
		      plausible ? NULL : "a dependent addition does not take one cycle here: figures in cycles and the "
					 "core clock are wrong by a factor");
}

static void note_run_conditions(struct campaign *c, bool alone)
{
	struct run *run = &c->run;

	note_clock_ratio(run);
	if (machine_is_emulated(&c->machine))
		condition_add(&run->condition, &run->conditions, "machine.emulated", "count", 1, 0, VERDICT_UNTRUSTED,
			      "the processor is emulated: times on it mean nothing");
	if (!alone)
		condition_add(&run->condition, &run->conditions, "run.concurrent", "count", 1, 0, VERDICT_NOISY,
			      "another assay was measuring at the same time");
	if (isfinite(c->machine.virt.cpu_quota))
		condition_add(&run->condition, &run->conditions, "cgroup.quota", "CPUs", c->machine.virt.cpu_quota, NAN,
			      VERDICT_OK, NULL);
}

/* A book that was asked for must work; where the default cannot be written, the run is worth more than its record. */
static int open_the_book(struct campaign *c, int *ret_exit)
{
	struct err err = { { 0 } };
	bool asked = c->config->book || getenv("ASSAY_BOOK");
	int r = cmd_try_open_book(c->config->book, BOOK_WRITE | BOOK_CREATE, &c->book, &err);

	if (r == 0)
		return 0;
	if (asked || r == -EMEDIUMTYPE || r == -EPROTONOSUPPORT || r == -EUCLEAN) {
		*ret_exit = verb_failed("%s", err.text);
		return r;
	}
	fprintf(stderr, "assay: %s; this run will not be kept (--book FILE names another place)\n", err.text);
	return 0;
}

/* Told before three minutes are spent, not after. */
static bool name_is_taken(struct campaign *c)
{
	char id[37];

	return c->config->name && c->book && book_resolve(c->book, c->config->name, id, NULL) == 0;
}

static void book_trouble(struct campaign *c, const struct err *err)
{
	if (c->book_failed)
		return;
	progress_wipe(&c->progress);
	fprintf(stderr, "assay: %s; measuring goes on in memory (--json keeps the result)\n", err->text);
	c->book_failed = true;
}

static void store_emit(void *arg, const struct event *event)
{
	struct campaign *c = arg;
	struct err err = { { 0 } };
	int r = 0;

	if (!c->book)
		return;
	if (event->kind == EVENT_PLANNED && !c->config->resume) {
		r = book_begin_run(c->book, event->run, &err);
	} else if (event->kind == EVENT_WORKER && !c->book_failed) {
		auto_free struct book_entry *entry = mem_new(event->entries, sizeof *entry);
		for (size_t i = 0; i < event->entries; i++)
			entry[i] = (struct book_entry){ event->entry[i].point, event->entry[i].process };
		r = book_add_processes(c->book, event->run->id, entry, event->entries, &err);
	}
	if (r < 0)
		book_trouble(c, &err);
}

static void jsonl_emit(void *arg, const struct event *event)
{
	struct campaign *c = arg;
	auto_text struct text out = { 0 };

	if (event->kind == EVENT_PLANNED)
		run_begin_event(event->run, &out);
	for (size_t i = 0; event->kind == EVENT_ENDED && i < event->run->points; i++)
		point_event(&event->run->point[i], &out, 0);
	if (event->kind == EVENT_ENDED)
		run_end_event(event->run, &out);
	errno = 0;
	if ((fputs(text_get(&out), stdout) < 0 || fflush(stdout) != 0) && !c->output_error)
		c->output_error = errno ? errno : EIO;
}

static int measure(struct campaign *c, int *ret_signal)
{
	struct err err = { { 0 } };
	struct sink sinks[3];
	size_t count = 0;
	struct spawn spawn = { .program = c->program };

	progress_init(&c->progress);
	if (!c->config->quiet)
		sinks[count++] = (struct sink){ progress_emit, &c->progress };
	sinks[count++] = (struct sink){ store_emit, c };
	if (c->config->jsonl)
		sinks[count++] = (struct sink){ jsonl_emit, c };
	struct runner runner = {
		.plan = &c->plan,
		.spawn = &spawn,
		.sink = sinks,
		.sinks = count,
		.cpus = &c->cpus,
		.peer_of = peer_of,
		.peer_arg = c,
		.scratch = c->scratch,
		.budget_ns = c->request.budget_ns,
		.rounds = (unsigned)c->request.rounds,
		.budget_binds = c->config->budget_ns > 0,
		.precision_pct = c->request.precision_pct,
		.fill_budget = !c->request.selectors.count && !(c->request.precision_pct > 0),
	};
	spawn_begin_session();
	int r = runner_run(&runner, &c->run, ret_signal, &err);
	spawn_end_session();
	if (r == 0 && c->book && book_finish_run(c->book, &c->run, &err) == 0)
		c->book_failed = false; /* it has everything now, whatever it lacked before */
	else if (r == 0 && c->book)
		book_trouble(c, &err);
	if (c->book && !c->book_failed && access(book_path(c->book), F_OK) < 0) {
		err_set(&err, -ENOENT, "the book %s was removed meanwhile", book_path(c->book));
		book_trouble(c, &err);
	}
	return r < 0 ? verb_failed("%s", err.text) : EXIT_DONE;
}

/* Exit code by what came out (doc/architecture.md). */
static int outcome(const struct run *run)
{
	size_t count[VERDICT_COUNT] = { 0 };

	for (size_t i = 0; i < run->points; i++)
		count[run->point[i].verdict]++;
	size_t usable = count[VERDICT_OK] + count[VERDICT_NOISY];
	if (count[VERDICT_FAILED] || !(usable + count[VERDICT_UNTRUSTED]))
		return EXIT_FAILED;
	return usable ? EXIT_DONE : EXIT_NOT_USABLE;
}

static int tell(const struct campaign *c)
{
	auto_text struct text out = { 0 };
	struct json json;
	struct show_style style;

	if (c->config->json) {
		json_init(&json, &out, true);
		run_write_json(&c->run, &json, 0);
		text_add(&out, "\n");
	} else if (!c->config->quiet && !c->config->jsonl) {
		cmd_style(&style);
		style.book = c->config->book;
		if (show_run(&c->run, &style, &out) < 0)
			return verb_failed("the tables could not be drawn: out of memory");
		if (c->book && !c->book_failed)
			text_add(&out, "Kept as %.*s in %s\n", SHOW_ID_LENGTH, c->run.id, book_path(c->book));
	}
	return out.length ? verb_print(text_get(&out)) : EXIT_DONE;
}

static int dry_run(const struct campaign *c)
{
	auto_text struct text out = { 0 };
	char time[FORMAT_DURATION];
	size_t points = 0;
	struct runner runner = { .plan = &c->plan,
				 .budget_ns = c->request.budget_ns,
				 .rounds = (unsigned)c->request.rounds };

	if (c->config->json || c->config->jsonl)
		return verb_misused(&verb_run, "--dry-run has no JSON form: it prints the id of a point a line");
	for (size_t i = 0; i < c->plan.jobs; i++)
		points += c->plan.job[i].specs;
	fprintf(stderr, "assay: %zu point%s in %zu process%s a round, and the figures made of them; about %s\n",
		points, points == 1 ? "" : "s", c->plan.jobs, c->plan.jobs == 1 ? "" : "es",
		format_duration(time, runner_announce_ns(&runner)));
	for (size_t i = 0; i < c->plan.jobs; i++) {
		for (size_t j = 0; j < c->plan.job[i].specs; j++) {
			auto_free char *id = spec_format(&c->plan.job[i].spec[j]);
			text_add(&out, "%s\n", id);
		}
	}
	return verb_print(text_get(&out));
}

/* The run that was cut short, as it stands in the book, and the request it was made by. */
static int load_incomplete(struct campaign *c, int *ret_exit)
{
	struct err err = { { 0 } };
	char id[37];

	int r = c->book ? book_last_incomplete(c->book, id, &err) : err_set(&err, -ENOENT, "there is no book");
	if (r == 0)
		r = book_load_run(c->book, id, 0, &c->run, &err);
	if (r == 0)
		r = run_request_read(c->run.options, &c->request, &err);
	if (r == 0)
		r = choose_cpus(c, &err);
	if (r == 0)
		r = run_request_plan(&c->request, c->others.count > 1, &c->plan, &err);
	if (r < 0) {
		*ret_exit = verb_failed("nothing to resume: %s", err.text);
		return r;
	}
	/* What was computed from an unfinished set is computed anew; a lost reason belongs to the earlier end. */
	free(c->run.reason);
	c->run.reason = NULL;
	for (size_t i = 0; i < c->run.points; i++) {
		struct point *point = &c->run.point[i];
		for (size_t j = 0; point->derived && j < point->processes; j++)
			process_done(&point->process[j]);
		if (point->derived)
			point->processes = 0;
	}
	return 0;
}

static bool needs_scratch(const struct plan *plan)
{
	for (size_t i = 0; i < plan->jobs; i++) {
		if (spec_needs(&plan->job[i].spec[0]) & NEED_SCRATCH)
			return true;
	}
	return false;
}

static int campaign_run(struct campaign *c, int argc, char **argv)
{
	struct err err = { { 0 } };
	int exit_code = EXIT_DONE;
	int signal_number = 0;

	machine_read(&c->machine, &err);
	if (!c->config->resume && make_request(c, argc, argv, &err) < 0)
		return verb_misused(&verb_run, "%s", err.text);
	if (c->config->dry_run)
		return dry_run(c);
	bool alone = lock_claim(NULL);
	if (!alone)
		fputs("assay: another assay is measuring on this machine: both will disturb each other\n", stderr);
	if (open_the_book(c, &exit_code) < 0)
		return exit_code;
	if (name_is_taken(c))
		return verb_misused(&verb_run, "--name: another run has the name '%s' already", c->config->name);
	if (c->book && !lock_claim(book_path(c->book)) && c->config->resume)
		return verb_failed("--resume must wait for the assay that measures into this book now: its run may be the one "
				   "to resume");
	if (c->config->resume) {
		if (load_incomplete(c, &exit_code) < 0)
			return exit_code;
	} else {
		begin_record(c);
		note_run_conditions(c, alone);
	}
	c->scratch = needs_scratch(&c->plan) ? scratch_make() : NULL;
	exit_code = measure(c, &signal_number);
	scratch_remove(c->scratch);
	if (exit_code != EXIT_DONE)
		return exit_code;
	exit_code = tell(c);
	if (signal_number)
		return 128 + signal_number;
	if (c->output_error)
		return verb_failed("writing to standard output: %s", strerror(c->output_error));
	if (c->book_failed && !c->config->json)
		return verb_failed("the run is not kept: there is only what was printed");
	if (!c->run.complete)
		return verb_failed("the run could not go on: %s", c->run.reason);
	return exit_code == EXIT_DONE ? outcome(&c->run) : exit_code;
}

static bool changes_the_request(const struct run_config *config)
{
	return config->set || config->place || config->name || config->budget_ns || config->rounds || config->seed ||
	       config->precision_pct > 0 || config->labels.count || config->dry_run;
}

static int run_verb(void *config, int argc, char **argv)
{
	struct campaign c = { .config = config };
	struct err err = { { 0 } };

	if (c.config->name && book_check_name(c.config->name, &err) < 0)
		return verb_misused(&verb_run, "--name: %s", err.text);
	if (c.config->json && c.config->jsonl)
		return verb_misused(&verb_run, "--json and --jsonl exclude each other");
	if (c.config->resume && (argc || changes_the_request(c.config)))
		return verb_misused(&verb_run, "--resume goes on with what the run was asked for: no selectors, and only "
					       "--book, --quiet, --json and --jsonl beside it");
	for (size_t i = 0; i < c.config->labels.count; i++) {
		if (strcspn(c.config->labels.at[i], "=") == 0 || !strchr(c.config->labels.at[i], '='))
			return verb_misused(&verb_run, "--label '%.40s' is not KEY=VALUE", c.config->labels.at[i]);
	}
	c.program = spawn_program_path("assay");
	int code = campaign_run(&c, argc, argv);
	free(c.program);
	book_close(c.book);
	plan_done(&c.plan);
	run_done(&c.run);
	cpulist_done(&c.cpus);
	cpulist_done(&c.others);
	machine_done(&c.machine);
	free(c.request.selectors.at);
	return code;
}

#define AT(field) offsetof(struct run_config, field)
static const struct option_row options[] = {
	{ "set", 's', OPTION_TEXT, AT(set), "SET", "measure a named set (default: classic)", 0, 0, "quick classic" },
	{ "budget", 'b', OPTION_DURATION, AT(budget_ns), "DUR", "time to spend, such as 30s or 5m", SECOND_NS / 10,
	  24 * 3600 * SECOND_NS, NULL },
	{ "precision", 'p', OPTION_PERCENT, AT(precision_pct), "PCT",
	  "end after the first round from the ninth on in which all intervals are this narrow (half-width)", 0, 0, NULL },
	{ "rounds", 'r', OPTION_COUNT, AT(rounds), "N", "processes per point (default: as many as fit the budget)", 1,
	  1000, NULL },
	{ "place", 0, OPTION_TEXT, AT(place), "LIST", "CPUs to measure on, such as 0,2-3 (default: all allowed)", 0, 0,
	  NULL },
	{ "seed", 0, OPTION_COUNT, AT(seed), "N", "repeat an order and layout of an earlier run", 0, 0, NULL },
	{ "name", 'n', OPTION_TEXT, AT(name), "TEXT", "a name to find the run by", 0, 0, NULL },
	{ "label", 'l', OPTION_TEXTS, AT(labels), "K=V", "a label to keep with the run; may be repeated", 0, 0, NULL },
	{ "book", 0, OPTION_TEXT, AT(book), "FILE", "the book to keep the run in", 0, 0, NULL },
	{ "dry-run", 0, OPTION_FLAG, AT(dry_run), NULL, "only list the points that would be measured", 0, 0, NULL },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "no progress and no tables", 0, 0, NULL },
	{ "json", 0, OPTION_FLAG, AT(json), NULL, "the result as one JSON document on standard output", 0, 0, NULL },
	{ "jsonl", 0, OPTION_FLAG, AT(jsonl), NULL, "the result as JSON lines", 0, 0, NULL },
	{ "resume", 0, OPTION_FLAG, AT(resume), NULL, "go on with the latest run, if it was cut short", 0, 0, NULL },
	{ 0 },
};

static const char *const examples[] = {
	"assay run",
	"assay run --set quick --name before",
	"assay run syscall.simple:null ipc --budget 20s",
	"assay run mem.latency:random/size=4m --precision 0.5 --json",
	NULL,
};

const struct verb verb_run = {
	.name = "run",
	.summary = "measure this machine",
	.arguments = "[SELECTOR…]",
	.examples = examples,
	.options = options,
	.config_size = sizeof(struct run_config),
	.max_arguments = -1,
	.run = run_verb,
};
