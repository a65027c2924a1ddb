#include "harness/sampler.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stat/location.h"
#include "stat/trend.h"

enum {
	PAIR_BELOW_NS = 1000,    /* operations shorter than this are timed by differences */
	ALONE_ABOVE_NS = 200000, /* longer ones are a sample each */
	COLD_NS = 10000000,      /* a first call up to this long may only have been a cold one */
	WINDOW = 10,             /* batches whose medians are compared to see whether times have settled */
	TREND = 30,              /* batches over which a trend is looked for */
	FEWEST_BATCHES = 5,
	LAST = 64, /* batches by which the fixed share is judged */
};

/* More would overflow what counts them; an empty operation needs fewer to fill a batch. */
#define MOST_OPS (UINT64_C(1) << 60)

static uint64_t now(const struct sampler *s)
{
	return s->clock->now_ns(s->clock->arg);
}

static uint64_t granule(const struct bench *bench)
{
	return bench->granule ? bench->granule : 1;
}

/* Whole granules, within the bench's own limit (half of it when a pair will ask for 2n). */
static uint64_t fit(const struct sampler *s, double n, bool paired)
{
	uint64_t unit = granule(s->bench);
	uint64_t most = s->bench->max_ops ? s->bench->max_ops / (paired ? 2 : 1) : MOST_OPS;

	/* Compared as doubles: an operation that takes no time at all asks for infinitely many. */
	if (!(n < (double)most))
		n = (double)most;
	uint64_t whole = n < (double)unit ? unit : (uint64_t)(n / (double)unit + 0.5) * unit;
	if (whole > most)
		whole = most / unit * unit;
	return whole < unit ? unit : whole;
}

/* One timed batch; a negative answer is prepare's error. */
static int timed(struct sampler *s, uint64_t n, double *ret_ns)
{
	if (s->bench->prepare) {
		int r = s->bench->prepare(s->state, n);
		if (r < 0)
			return r;
	}
	uint64_t begin = now(s);
	s->bench->run(s->state, n);
	uint64_t end = now(s);
	s->ops += n;
	if (end < begin)
		return -ETIME; /* the clock went backwards */
	*ret_ns = (double)(end - begin);
	return 0;
}

/* The batch must be so long that reading the clock (200 × its cost) and its grain (1,000 ×) are lost in it. */
static double floor_ns(const struct sampler *s)
{
	double by_grain = 1000.0 * (double)s->clock->grain_ns;
	double by_cost = 200.0 * (double)s->clock->cost_ns;

	return fmax(by_grain, by_cost);
}

/* The same batch once or, where that tells more, twice: the first call is cold and any call may be disturbed, so the
 * shorter of two tells the cost. */
static int timed_twice(struct sampler *s, uint64_t n, double enough_ns, double *ret_ns)
{
	double again = 0;
	int r = timed(s, n, ret_ns);

	if (r < 0 || *ret_ns >= enough_ns)
		return r;
	r = timed(s, n, &again);
	*ret_ns = fmin(*ret_ns, again);
	return r;
}

/* A batch's fixed cost must not pass for the operation's, or short operations with a dear start would not be paired and
 * keep it. But a quarter of the apparent cost it is, or noise would make enormous batches. */
static double marginal_ns(uint64_t n, double ns, uint64_t more_n, double more_ns)
{
	double apparent = more_ns / (double)more_n;

	return more_n > n ? fmax((more_ns - ns) / (double)(more_n - n), apparent / 4) : apparent;
}

/* per_op_ns is known. Each half of a pair must be as long as the clock asks for. What was paired stays so a little above
 * the limit, lest processes of one point differ. */
static void choose_n(struct sampler *s, double per_op_ns)
{
	double aim = fmax((double)s->batch_ns, floor_ns(s));
	uint64_t most = s->bench->max_ops;

	s->paired = per_op_ns < (s->paired ? 2 : 1) * PAIR_BELOW_NS && (!most || most >= 2 * granule(s->bench));
	if (s->paired)
		aim = fmax((double)s->batch_ns / 2, floor_ns(s));
	s->n = fit(s, per_op_ns > ALONE_ABOVE_NS ? 1 : aim / per_op_ns, s->paired);
}

static int calibrate(struct sampler *s)
{
	double n = (double)granule(s->bench);
	double aim = fmax((double)s->batch_ns, floor_ns(s));
	double ns = 0, before_ns = 0;
	uint64_t before = 0;

	for (;;) {
		uint64_t whole = fit(s, n, false);
		int r = timed_twice(s, whole, before ? aim : fmax(aim, COLD_NS), &ns);
		if (r < 0)
			return r;
		/* Long enough at once: still two lengths are needed, but for what is a sample of its own anyway. */
		bool one_length = !before && ns / (double)whole <= ALONE_ABOVE_NS && fit(s, 2 * n, false) > whole;
		if ((ns >= aim / 4 && !one_length) || fit(s, 4 * n, false) == whole) {
			choose_n(s, marginal_ns(before, before_ns, whole, ns));
			return 0;
		}
		before = whole;
		before_ns = ns;
		n = ns > aim / 1000 ? (double)whole * fmax(2, fmin(10, aim / ns)) : (double)whole * 10;
	}
}

/* One sample in ns per operation. The order within a pair alternates, so that a drift cancels over two pairs. */
static int take_one(struct sampler *s, bool swap, double *ret_value, double *ret_short_ns)
{
	double first = 0, second = 0;
	int r = timed(s, s->paired && swap ? 2 * s->n : s->n, &first);

	*ret_short_ns = first;
	if (r < 0 || !s->paired) {
		*ret_value = first / (double)s->n;
		return r;
	}
	r = timed(s, swap ? s->n : 2 * s->n, &second);
	*ret_short_ns = swap ? second : first;
	*ret_value = (swap ? first - second : second - first) / (double)s->n;
	return r;
}

static bool settled(const double *value, size_t count)
{
	if (count < TREND)
		return false;
	double earlier = stat_median(value + count - 2 * WINDOW, WINDOW);
	double later = stat_median(value + count - WINDOW, WINDOW);
	return fabs(later - earlier) < 0.01 * fabs(later) && stat_mann_kendall(value + count - TREND, TREND) > 0.05;
}

/* *ret_op_ns: what an operation takes by the last of the warm-up. */
static int warm_up(struct sampler *s, double *ret_op_ns)
{
	double recent[4 * TREND];
	double ignored;
	size_t count = 0, most = sizeof recent / sizeof *recent;
	uint64_t begin = now(s);

	s->steady = false;
	for (bool swap = false;; swap = !swap) {
		if (count == most) {
			memmove(recent, recent + most / 2, most / 2 * sizeof *recent);
			count = most / 2;
		}
		int r = take_one(s, swap, &recent[count], &ignored);
		if (r < 0)
			return r;
		count++;
		uint64_t spent = now(s) - begin;
		s->steady = settled(recent, count);
		/* Slow operations cannot fill the trend window in time; a few of them are warm-up enough. */
		if (spent >= s->warm_limit_ns || (spent >= s->warm_ns && (s->steady || !s->warm_ns)))
			break;
	}
	if (count < TREND)
		s->steady = true; /* too few to judge: not a reason to doubt the figure */
	size_t last = count < WINDOW ? count : WINDOW;
	*ret_op_ns = stat_median(recent + count - last, last);
	return 0;
}

/* The first operations are cold (a peer has yet to start, pages to come in) and mislead the calibration; so after the
 * warm-up n is looked at again, and the warm-up repeated, when a batch is not half to twice as long as it should be.
 * Else it stays, and with it the kind of batch, so that processes are alike. */
static int settle(struct sampler *s)
{
	for (int attempt = 0; attempt < 3; attempt++) {
		double op_ns = 0;
		int r = s->n ? 0 : calibrate(s);
		if (r == 0)
			r = warm_up(s, &op_ns);
		if (r < 0)
			return r;
		uint64_t n = s->n;
		bool paired = s->paired;
		if (op_ns > 0)
			choose_n(s, op_ns);
		if (s->n < n / 2 || s->n > 2 * n)
			continue;
		s->n = n;
		s->paired = paired;
		break;
	}
	return 0;
}

int sampler_take(struct sampler *s, double *value, volatile uint64_t *progress)
{
	double short_ns[LAST];
	uint64_t measured = 0;
	int r = settle(s);

	uint64_t begin = now(s);
	for (s->batches = 0; r == 0 && s->batches < s->most_batches;) {
		r = take_one(s, s->batches & 1, &value[s->batches], &short_ns[s->batches % LAST]);
		if (r < 0)
			break;
		s->batches++;
		measured += s->paired ? 3 * s->n : s->n;
		if (progress)
			*progress = s->batches;
		if (now(s) - begin >= s->measure_ns && s->batches >= FEWEST_BATCHES && measured >= s->bench->min_ops)
			break;
	}
	s->fixed_share = NAN;
	if (r == 0 && s->paired) {
		size_t last = s->batches < LAST ? s->batches : LAST;
		double whole = stat_median(short_ns, last);
		s->fixed_share = 1 - stat_median(value + s->batches - last, last) * (double)s->n / whole;
	}
	return r;
}
