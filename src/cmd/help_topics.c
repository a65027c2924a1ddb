#include <string.h>

#include "base/mem.h"
#include "cmd/help.h"
#include "cmd/style.h"
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

static const char verdicts[] =
	"Every figure has a verdict; all but ok come with a reason.\n"
	"\n"
	"  ok         checks passed, steady, noise under 5 %, as precise as aimed at\n"
	"  noisy      not as precise as aimed at, not steady, or noise of 5 to 20 %; still comparable, for the interval "
	"says all\n"
	"  untrusted  a check failed, the machine is emulated or throttled, its clock is at fault, or noise is 20 % or "
	"more\n"
	"  skipped    not measured, for the reason given\n"
	"  failed     the work could not be done; there is no number\n"
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

static const struct topic {
	const char *name, *summary, *page;
} topics[] = {
	{ "selectors", "how to name what is to be measured", selectors },
	{ "verdicts", "what ok, noisy, untrusted, skipped and failed mean", verdicts },
	{ "units", "units in text and in JSON", units },
	{ "places", "on which CPUs the two ends of a ping-pong run", places },
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

static void add_page(struct text *out, const struct show_style *style, const char *page)
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
	struct show_style style;

	cmd_style(&style);
	style.width = 80;
	style = style_effective(&style);
	for (size_t i = 0; i < countof(topics); i++) {
		if (strcmp(name, topics[i].name))
			continue;
		add_page(out, &style, topics[i].page);
		return true;
	}
	return false;
}
