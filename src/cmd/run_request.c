#include "cmd/run_request.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"

char *run_request_write(const struct run_request *request)
{
	json_t *selectors = json_array();

	for (size_t i = 0; i < request->selectors.count; i++)
		json_array_append_new(selectors, json_string(request->selectors.at[i]));
	json_t *object = json_pack("{s:o, s:s?, s:s?, s:I, s:I, s:f, s:I, s:b}", "selectors", selectors, "set",
				   request->set, "place", request->place, "budget_ns",
				   (json_int_t)request->budget_ns, "rounds", (json_int_t)request->rounds,
				   "precision_pct", request->precision_pct, "memory_bytes",
				   (json_int_t)request->memory_bytes, "memory_capped", request->memory_capped);
	char *document = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return document ? document : mem_copy("{}");
}

static bool is_texts(const json_t *array)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (!json_is_string(json_array_get(array, i)))
			return false;
	}
	return json_is_array(array);
}

int run_request_read(const char *document, struct run_request *ret_request, struct err *err)
{
	struct run_request request = { 0 };
	json_int_t budget = 0, rounds = 0, memory = 0;
	json_t *selectors = NULL, *entry;
	int capped = 0;
	size_t i;
	json_t *object = document ? json_loads(document, 0, NULL) : NULL;

	if (!object || json_unpack(object, "{s:o, s:I, s:I, s:F, s:I, s:b}", "selectors", &selectors, "budget_ns", &budget,
				   "rounds", &rounds, "precision_pct", &request.precision_pct, "memory_bytes", &memory,
				   "memory_capped", &capped) < 0 ||
	    !is_texts(selectors)) {
		json_decref(object);
		return err_set(err, -EINVAL, "the run does not tell what it was asked for: it cannot be resumed");
	}
	/* Both may be null, which json_unpack has no word for. */
	request.set = mem_copy(json_string_value(json_object_get(object, "set")));
	request.place = mem_copy(json_string_value(json_object_get(object, "place")));
	json_array_foreach(selectors, i, entry) {
		struct texts *texts = &request.selectors;
		texts->at = mem_room(texts->at, texts->count, &texts->capacity, sizeof *texts->at);
		texts->at[texts->count++] = mem_copy(json_string_value(entry));
	}
	request.budget_ns = (uint64_t)budget;
	request.rounds = (uint64_t)rounds;
	request.memory_bytes = (uint64_t)memory;
	request.memory_capped = capped;
	json_decref(object);
	*ret_request = request;
	return 0;
}

int run_request_plan(const struct run_request *request, bool two_cpus, struct plan *plan, struct err *err)
{
	struct plan_facts facts = { .memory_bytes = request->memory_bytes,
				    .memory_capped = request->memory_capped,
				    .two_cpus = two_cpus };
	int r = 0;

	if (!request->selectors.count)
		return plan_add_set(plan, request->set, &facts, err);
	for (size_t i = 0; r == 0 && i < request->selectors.count; i++)
		r = plan_add(plan, request->selectors.at[i], &facts, err);
	return r;
}
