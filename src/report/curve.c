#include "report/curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parse.h"

/* A point and one of its params, seen as the place on a curve along that param. */
struct place {
	char *key;         /* the id with * for the value: the same for all of a curve */
	const char *param; /* in the point's id, "size=64k,…" */
	double x;
	size_t point;
};

struct places {
	struct place *at;
	size_t count, capacity;
};

/* Values that are no numbers have no order and make no curve. */
static void add_place(struct places *places, const char *id, size_t point, const char *param)
{
	size_t name = strcspn(param, "=,"), length = strcspn(param, ",");
	uint64_t x;

	if (param[name] != '=')
		return;
	auto_free char *value = mem_text("%.*s", (int)(length - name - 1), param + name + 1);
	if (parse_size(value, &x, NULL) < 0)
		return;
	places->at = mem_room(places->at, places->count, &places->capacity, sizeof *places->at);
	places->at[places->count++] = (struct place){
		.key = mem_text("%.*s*%s", (int)(param + name + 1 - id), id, param + length),
		.param = param,
		.x = (double)x,
		.point = point,
	};
}

static int by_key_and_value(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int order = strcmp(p->key, q->key);

	if (!order)
		order = (p->x > q->x) - (p->x < q->x);
	return order ? order : (p->point > q->point) - (p->point < q->point);
}

static struct places places_of(const struct run *run)
{
	struct places places = { 0 };

	for (size_t i = 0; i < run->points; i++) {
		const char *slash = strchr(run->point[i].id, '/');
		for (const char *param = slash ? slash + 1 : ""; *param;) {
			size_t length = strcspn(param, ",");
			add_place(&places, run->point[i].id, i, param);
			param += length + (param[length] == ',');
		}
	}
	if (places.count)
		qsort(places.at, places.count, sizeof *places.at, by_key_and_value);
	return places;
}

/* Places with the key of `begin` that no other curve has; *ret_end is the first with another key. */
static size_t count_free(const struct places *places, size_t begin, const bool *taken, size_t *ret_end)
{
	size_t count = 0, i = begin;

	for (; i < places->count && !strcmp(places->at[i].key, places->at[begin].key); i++)
		count += !taken[places->at[i].point];
	*ret_end = i;
	return count;
}

/* "page=huge,spacing=64" of "mem.latency:random/size=*,page=huge,spacing=64". */
static char *without_param(const char *key, const char *star)
{
	const char *params = strchr(key, '/') + 1, *begin = star;

	while (begin > params && begin[-1] != ',')
		begin--;
	const char *rest = star + 1 + (star[1] == ',');
	/* The comma before the param goes with it when nothing follows. */
	size_t before = (size_t)(begin - params);
	if (before && !*rest)
		before--;
	return mem_text("%.*s%s", (int)before, params, rest);
}

static struct curve make_curve(const struct run *run, const struct places *places, size_t begin, size_t end,
			       bool *taken)
{
	const struct place *first = &places->at[begin];
	const char *id = run->point[first->point].id;
	size_t head = strcspn(id, "/"), bench = strcspn(id, ":/"), name = strcspn(first->param, "=");
	struct curve curve = {
		.bench = mem_text("%.*s", (int)bench, id),
		.variant = mem_text("%.*s", bench < head ? (int)(head - bench - 1) : 0, id + bench + (bench < head)),
		.param = mem_text("%.*s", (int)name, first->param),
		.others = without_param(first->key, first->key + (first->param - id) + name + 1),
		.point = mem_new(end - begin, sizeof *curve.point),
	};

	for (size_t i = begin; i < end; i++) {
		const struct place *place = &places->at[i];
		if (taken[place->point])
			continue;
		taken[place->point] = true;
		curve.point[curve.points++] = (struct curve_point){
			.point = &run->point[place->point],
			.value = mem_text("%.*s", (int)(strcspn(place->param, ",") - name - 1), place->param + name + 1),
			.x = place->x,
		};
	}
	return curve;
}

/* The longest first, so that a grid of two params falls into curves along the longer one. */
static bool take_longest(const struct run *run, const struct places *places, bool *taken, struct curves *curves)
{
	size_t most = 0, best_begin = 0, best_end = 0;

	for (size_t begin = 0, end; begin < places->count; begin = end) {
		size_t count = count_free(places, begin, taken, &end);
		if (count > most) {
			most = count;
			best_begin = begin;
			best_end = end;
		}
	}
	if (most < CURVE_LEAST)
		return false;
	curves->curve = mem_grow(curves->curve, curves->count + 1, sizeof *curves->curve);
	curves->curve[curves->count++] = make_curve(run, places, best_begin, best_end, taken);
	return true;
}

static int by_first_point(const void *a, const void *b)
{
	const struct curve *p = a, *q = b;

	return (p->point[0].point > q->point[0].point) - (p->point[0].point < q->point[0].point);
}

struct curves curves_find(const struct run *run)
{
	struct curves curves = { 0 };
	struct places places = places_of(run);
	auto_free bool *taken = mem_new(run->points + 1, sizeof *taken);

	while (take_longest(run, &places, taken, &curves))
		continue;
	if (curves.count)
		qsort(curves.curve, curves.count, sizeof *curves.curve, by_first_point);
	for (size_t i = 0; i < places.count; i++)
		free(places.at[i].key);
	free(places.at);
	return curves;
}

void curves_done(struct curves *curves)
{
	for (size_t i = 0; i < curves->count; i++) {
		struct curve *curve = &curves->curve[i];
		for (size_t j = 0; j < curve->points; j++)
			free(curve->point[j].value);
		free(curve->point);
		free(curve->bench);
		free(curve->variant);
		free(curve->param);
		free(curve->others);
	}
	free(curves->curve);
	*curves = (struct curves){ 0 };
}

bool curve_is_sibling(const struct curve *a, const struct curve *b)
{
	return !strcmp(a->bench, b->bench) && !strcmp(a->param, b->param) && !strcmp(a->others, b->others);
}
