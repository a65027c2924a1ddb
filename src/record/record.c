#include "record/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const verdict_names[VERDICT_COUNT] = { "ok", "noisy", "untrusted", "skipped", "failed" };

const char *verdict_name(enum verdict verdict)
{
	return verdict_names[verdict];
}

int verdict_parse(const char *name, enum verdict *ret_verdict)
{
	for (unsigned i = 0; i < VERDICT_COUNT; i++) {
		if (strcmp(name, verdict_names[i]))
			continue;
		*ret_verdict = (enum verdict)i;
		return 0;
	}
	return -EINVAL;
}

const char *better_name(enum better better)
{
	static const char *const names[] = { "none", "less", "more" };

	return names[better];
}

enum better unit_better(const char *unit)
{
	static const struct {
		const char *unit;
		enum better better;
	} units[] = { { "ns", BETTER_LESS },    { "B/s", BETTER_MORE },   { "Hz", BETTER_MORE },
		      { "pages", BETTER_MORE }, { "ratio", BETTER_MORE }, { "B", BETTER_NONE },
		      { "count", BETTER_NONE } };

	for (size_t i = 0; i < countof(units); i++) {
		if (!strcmp(unit, units[i].unit))
			return units[i].better;
	}
	return BETTER_NONE;
}

void condition_done(struct condition *condition)
{
	free(condition->id);
	free(condition->unit);
	free(condition->text);
	*condition = (struct condition){ 0 };
}

static void conditions_done(struct condition *condition, size_t count)
{
	for (size_t i = 0; i < count; i++)
		condition_done(&condition[i]);
	free(condition);
}

void process_done(struct process *process)
{
	free(process->reason);
	free(process->batch);
	free(process->remark);
	conditions_done(process->condition, process->conditions);
	*process = (struct process){ 0 };
}

void point_done(struct point *point)
{
	free(point->id);
	free(point->title);
	free(point->unit);
	free(point->reason);
	free(point->note);
	for (size_t i = 0; i < point->sources; i++)
		free(point->source[i]);
	free(point->source);
	for (size_t i = 0; i < point->processes; i++)
		process_done(&point->process[i]);
	free(point->process);
	*point = (struct point){ 0 };
}

void run_done(struct run *run)
{
	free(run->name);
	for (size_t i = 0; i < run->labels; i++) {
		free(run->label[i].key);
		free(run->label[i].value);
	}
	free(run->label);
	free(run->reason);
	free(run->set);
	free(run->selection);
	free(run->options);
	free(run->method);
	free(run->version);
	free(run->machine);
	conditions_done(run->condition, run->conditions);
	for (size_t i = 0; i < run->points; i++)
		point_done(&run->point[i]);
	free(run->point);
	*run = (struct run){ 0 };
}

struct point *run_add_point(struct run *run, const char *id)
{
	run->point = mem_room(run->point, run->points, &run->point_capacity, sizeof *run->point);
	struct point *point = &run->point[run->points++];
	*point = (struct point){ .id = mem_copy(id),
				 .value = NAN,
				 .low = NAN,
				 .high = NAN,
				 .confidence = 0.95,
				 .cycles = NAN,
				 .cycles_low = NAN,
				 .cycles_high = NAN,
				 .noise = NAN };
	return point;
}

struct point *run_find_point(const struct run *run, const char *id)
{
	for (size_t i = 0; i < run->points; i++) {
		if (!strcmp(run->point[i].id, id))
			return &run->point[i];
	}
	return NULL;
}

void point_add_process(struct point *point, struct process *process)
{
	point->process = mem_room(point->process, point->processes, &point->process_capacity, sizeof *point->process);
	point->process[point->processes++] = *process;
	*process = (struct process){ 0 };
}

void condition_add(struct condition **array, size_t *count, const char *id, const char *unit, double value,
		   double threshold, enum verdict verdict, const char *text)
{
	*array = mem_grow(*array, *count + 1, sizeof **array);
	(*array)[(*count)++] = (struct condition){ .id = mem_copy(id),
						   .unit = mem_copy(unit),
						   .value = value,
						   .threshold = threshold,
						   .verdict = verdict,
						   .text = mem_copy(text) };
}
