#include "cmd/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/format.h"

void progress_init(struct progress *progress)
{
	const char *term = getenv("TERM");

	*progress = (struct progress){ .terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") };
}

void progress_wipe(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}

static const char *left(char out[FORMAT_DURATION], const struct event *event)
{
	return format_duration(out, event->total_ns > event->spent_ns ? event->total_ns - event->spent_ns : 0);
}

/* Columns that a line may take without wrapping. */
static int terminal_width(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col - 1 : 79;
}

static void redraw(struct progress *progress, const struct event *event)
{
	static const char bar[] = "##########";
	char time[FORMAT_DURATION];
	double share = event->total_ns ? (double)event->spent_ns / (double)event->total_ns : 0;
	int filled = share >= 1 ? 10 : (int)(10 * share);

	char line[256];

	snprintf(line, sizeof line, "[%.*s%*s] round %u of %u, about %s left  %s", filled, bar, 10 - filled, "",
		 event->round + 1, event->rounds, left(time, event), event->job);
	fprintf(stderr, "\r\033[K%.*s", terminal_width(), line);
	fflush(stderr);
	progress->drawn = true;
}

void progress_emit(void *arg, const struct event *event)
{
	struct progress *progress = arg;
	char time[FORMAT_DURATION];

	switch (event->kind) {
	case EVENT_PLANNED:
		fprintf(stderr, "assay: %zu point%s in %zu process%s a round; about %s\n", event->run->points,
			event->run->points == 1 ? "" : "s", event->jobs, event->jobs == 1 ? "" : "es",
			format_duration(time, event->total_ns));
		break;
	case EVENT_WORKER:
		if (progress->terminal)
			redraw(progress, event);
		break;
	case EVENT_ROUND:
		if (event->round == 0 && event->rounds > 1 && event->rounds < ROUNDS_FEWEST && !event->fixed_rounds) {
			progress_wipe(progress);
			fprintf(stderr, "assay: the budget is enough for %u rounds only, and an interval needs %d "
					"(--budget gives more time)\n", event->rounds, ROUNDS_FEWEST);
		}
		if (!progress->terminal && event->round + 1 < event->rounds)
			fprintf(stderr, "assay: round %u of %u done, about %s left\n", event->round + 1, event->rounds,
				left(time, event));
		break;
	case EVENT_ENDED:
		progress_wipe(progress);
		fprintf(stderr, "assay: measured for %s\n", format_duration(time, event->spent_ns));
		break;
	}
}
