#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/format.h"
#include "cmd/help.h"
#include "harness/sets.h"
#include "report/grid.h"

static const char selectors[] =
	"A selector names what to measure:\n"
	"\n"
	"  mem                          every bench whose name begins with \"mem.\"\n"
	"  mem.latency                  one bench, all its variants\n"
	"  mem.latency:random           one variant\n"
	"  mem.latency:random/size=64k  a point: every param not named has its default\n"
	"\n"
	"Several params have commas between: ipc.pipe/size=1,place=cross. Sizes are binary: 64k is 65,536 bytes; the "
	"suffixes are k, m, g and t. `assay list` shows all benches, variants and params, `assay help BENCH` one of them.\n";

/* The rules of harness/estimate.c and sense/watch.c, in the words that doc/method.md and assay(1) have for them too. */
static const char verdicts[] =
	"Every figure has a verdict, the worst that a rule gives it; all but ok come with a reason.\n"
	"\n"
	"ok: none of the rules below holds. The interval is as narrow as was aimed at, and holds the true value with 95 % "
	"confidence.\n"
	"\n"
	"noisy: the figure may be wrong by more than its interval says. It may be compared with care, and is better measured "
	"again.\n"
	"\n"
	"  interval    it is wider than was aimed at, or fewer than 6 processes have a value and there is none\n"
	"  noise       disturbances took 5 % of the time or more\n"
	"  steadiness  more than half of the processes were still changing after the warm-up\n"
	"  waiting     in more than half of the processes the CPU was taken away (run-queue wait) for more than 5 % of the "
	"time; not asked of benches that give up the CPU themselves\n"
	"  steal       in more than half of the processes the hypervisor took the CPU away for more than 5 % of the time\n"
	"  clock       in more than half of the processes the core clock moved by more than 2 %\n"
	"  linearity   in more than half of the processes the time of a batch did not grow in proportion to its operations\n"
	"  sources     a figure made of others: the one, or most, of those are noisy\n"
	"\n"
	"untrusted: the figure is not to be used.\n"
	"\n"
	"  failures    some processes failed, a failed check of the work included, and others did not\n"
	"  bounds      a time that is not above zero, or fewer cycles than are physically possible\n"
	"  noise       disturbances took 20 % of the time or more\n"
	"  throttling  in more than half of the processes the control group's CPU quota ran out, or the core was slowed down "
	"for heat\n"
	"  machine     the processor is emulated\n"
	"  sources     a figure made of others: the one, or most, of those are untrusted\n"
	"\n"
	"skipped: this machine or this user cannot do it. There is no number.\n"
	"\n"
	"failed: no process has a value and some failed, or none was measured before the run ended. There is no number.\n"
	"\n"
	"low and high bound the 95 % confidence interval of the median over processes (each round is a fresh process); it "
	"needs at least 6 of them. Noise is the share of the time that disturbances took. A difference whose interval "
	"holds 0 is not distinguishable from zero.\n";

static const char units[] =
	"  ns, µs, ms, s  time of one operation; less is better\n"
	"  MB/s           10^6 bytes a second; more is better; a copied byte counts once\n"
	"  KiB, MiB       2^10 and 2^20 bytes, for sizes\n"
	"  MHz            10^6 a second\n"
	"  cycles         core cycles of one operation, at the clock measured beside it\n"
	"  ×              a ratio\n"
	"\n"
	"Text shows no digit that the interval does not support. JSON has every digit: ns for times, B/s for rates, Hz, B, "
	"and null for what was not measured. Sizes on the command line are binary (64k = 65,536); durations need a unit "
	"(500ms, 2m).\n";

static const char places[] =
	"Where the two ends of a ping-pong run decides what it measures: a switch on one CPU, or a wake-up across two. "
	"Unless asked otherwise both ends stay on one CPU. The same with /place=cross puts the other end on another CPU; it "
	"is a point of its own and stands beside the first.\n"
	"\n"
	"  assay run ipc.pipe              both ends on one CPU\n"
	"  assay run ipc.pipe/place=cross  the other end on another CPU\n"
	"\n"
	"Benches of a single process visit the allowed CPUs of one kind in turn, one CPU a round.\n";

static const char precision[] =
	"A run ends with the first of these:\n"
	"\n"
	"  --rounds N       so many rounds were made; nothing else is looked at\n"
	"  --budget DUR     the time is up: after the first rounds, as many are planned as fit in\n"
	"  --precision PCT  9 rounds or more were made, and the interval of every point that has a value has at most this "
	"half-width; the budget bounds it all the same\n"
	"  30 rounds        more are never made, unless --rounds says so\n"
	"\n"
	"Without --precision, sets use their whole budget, so that runs of a set are alike; selections end, from 9 rounds "
	"on, when every point has reached its own aim: a half-width of 1 % for processor and memory, 2 % for kernel and "
	"communication, 5 % for disk. All points of a run have the same number of rounds: none is stopped early because it "
	"happens to look precise.\n";

/* Members of one bench stand on one line: "proc.switch: /procs=2,size=0 /procs=2,size=16k". */
static void add_set(struct text *out, const struct show_style *style, const char *name, const char *words)
{
	char time[FORMAT_DURATION];
	auto_text struct text line = { 0 };
	size_t length = 0;

	auto_free char *head = mem_text("%s – %s; takes about %s.", name, words, format_duration(time, set_budget_ns(name)));
	paragraph_add(out, style, 0, 0, head);
	for (const char *const *member = set_members(name); *member; member++) {
		bool same = length && !strncmp(member[0], member[-1], length) && strcspn(*member, ":/") == length;
		length = strcspn(*member, ":/");
		if (!same && line.length) {
			paragraph_add(out, style, 2, 4, text_get(&line));
			free(text_take(&line));
		}
		text_add(&line, "%s%s", same ? " " : "", *member + (same ? length : 0));
	}
	paragraph_add(out, style, 2, 4, text_get(&line));
}

static void add_sets(struct text *out, const struct show_style *style)
{
	add_set(out, style, "quick", "the main figures of a machine");
	text_add(out, "\n");
	add_set(out, style, "classic", "all that the classic tables show, and each ping-pong across CPUs; the default");
	text_add(out, "\n");
	paragraph_add(out, style, 0, 0,
		      "A bench without a variant or param stands for all its variants, with every other param at its default; "
		      "assay run --set SET --dry-run lists the points.");
}

static const struct topic {
	const char *name, *summary, *page;
	void (*write)(struct text *out, const struct show_style *style); /* instead of a page */
} topics[] = {
	{ "selectors", "how to name what is to be measured", selectors, NULL },
	{ "sets", "what quick and classic measure", NULL, add_sets },
	{ "precision", "when a run ends, and how precise its figures are", precision, NULL },
	{ "verdicts", "what ok, noisy, untrusted, skipped and failed mean", verdicts, NULL },
	{ "units", "units in text and in JSON", units, NULL },
	{ "places", "on which CPUs the two ends of a ping-pong run", places, NULL },
};

const char *help_topic_name(size_t index)
{
	return index < countof(topics) ? topics[index].name : NULL;
}

const char *help_topic_summary(size_t index)
{
	return topics[index].summary;
}

/* A line that begins with blanks is a row: its blanks are kept, and the text behind the wide gap hangs under itself. */
static void add_line(struct text *out, const struct show_style *style, const char *line, size_t length)
{
	auto_free char *text = mem_text("%.*s", (int)length, line);
	char *gap = strncmp(text, "  ", 2) ? NULL : strstr(text + 2, "  ");

	if (!gap) {
		paragraph_add(out, style, 0, 0, text);
		return;
	}
	char *words = gap + strspn(gap, " ");
	auto_text struct text body = { 0 };
	auto_free char *name = mem_text("%.*s", (int)(gap - text - 2), text + 2);
	auto_grid struct grid grid = { .columns = 1 };
	grid_add(&grid, style, TONE_NONE, name);
	/* bytes and columns differ by what the name holds beyond ASCII */
	size_t column = (size_t)(words - text) - (strlen(name) - grid_width(&grid));
	size_t used = 2 + grid_width(&grid);
	paragraph_add(&body, style, (unsigned)column, (unsigned)column, words);
	text_add(out, "  %s%s", grid.cell[0], body.at + used);
}

void help_add_page(struct text *out, const struct show_style *style, const char *page)
{
	while (*page) {
		size_t length = strcspn(page, "\n");
		if (length)
			add_line(out, style, page, length);
		else
			text_add(out, "\n");
		page += length + (page[length] == '\n');
	}
}

bool help_topic(const char *name, struct text *out)
{
	struct show_style style = help_style();

	for (size_t i = 0; i < countof(topics); i++) {
		if (strcmp(name, topics[i].name))
			continue;
		if (topics[i].write)
			topics[i].write(out, &style);
		else
			help_add_page(out, &style, topics[i].page);
		return true;
	}
	return false;
}
