/* What a run was asked for: kept with it in the book, so that --resume asks for exactly the same. */
#ifndef CMD_RUN_REQUEST_H
#define CMD_RUN_REQUEST_H

#include <stdint.h>

#include "base/err.h"
#include "cmd/verb.h"
#include "harness/plan.h"

struct run_request {
	struct texts selectors; /* empty: the set */
	const char *set;
	const char *place; /* list of CPUs, or NULL */
	uint64_t budget_ns;
	uint64_t rounds;   /* 0: chosen */
	double precision_pct; /* 0: by class */
	uint64_t memory_bytes;
	bool memory_capped;
};

/* One JSON object. Caller frees. */
char *run_request_write(const struct run_request *request);

/* -EINVAL when it is none. The strings live as long as the program. */
int run_request_read(const char *document, struct run_request *ret_request, struct err *err);

/* Fills plan from selectors or set. 0, or a negative errno with a sentence. */
int run_request_plan(const struct run_request *request, bool two_cpus, struct plan *plan, struct err *err);

#endif
