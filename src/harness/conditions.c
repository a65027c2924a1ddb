#include "harness/conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Above this share of disturbed processes the run as a whole is called noisy. */
#define MANY_PCT 10

static const struct {
	const char *id;
	const char *words;
} judged[] = {
	{ "runqueue.wait", "in many processes the CPU was taken away; close other programs" },
	{ "steal", "in many processes the hypervisor took the CPU away" },
	{ "clock.drift", "in many processes the core clock moved" },
	{ "cgroup.throttled", "in many processes the CPU quota of the container stopped the work" },
	{ "thermal.throttled", "in many processes the processor was too hot and slowed down" },
};

static void drop(struct run *run, const char *id)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->conditions; i++) {
		if (strcmp(run->condition[i].id, id))
			run->condition[kept++] = run->condition[i];
		else
			condition_done(&run->condition[i]);
	}
	run->conditions = kept;
}

static void count_processes(const struct run *run, const char *id, size_t *ret_all, size_t *ret_bad)
{
	for (size_t i = 0; i < run->points; i++) {
		for (size_t j = 0; j < run->point[i].processes; j++) {
			const struct process *process = &run->point[i].process[j];
			for (size_t k = 0; k < process->conditions; k++) {
				if (strcmp(process->condition[k].id, id))
					continue;
				*ret_all += 1;
				*ret_bad += process->condition[k].verdict != VERDICT_OK;
			}
		}
	}
}

void summarise_conditions(struct run *run)
{
	for (size_t i = 0; i < countof(judged); i++) {
		auto_free char *id = mem_text("processes.%s", judged[i].id);
		size_t all = 0, bad = 0;
		drop(run, id);
		count_processes(run, judged[i].id, &all, &bad);
		if (!all)
			continue;
		double share = 100 * (double)bad / (double)all;
		bool many = share > MANY_PCT;
		condition_add(&run->condition, &run->conditions, id, "%", share, MANY_PCT,
			      many ? VERDICT_NOISY : VERDICT_OK, many ? judged[i].words : NULL);
	}
}
