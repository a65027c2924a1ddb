#include "stat/interval.h"

#include <math.h>
#include <stdint.h>

size_t stat_interval_needs(double confidence)
{
	size_t count = 1;

	if (!(confidence < 1))
		return SIZE_MAX; /* certainty needs everything */
	while (1 - ldexp(1, 1 - (int)count) < confidence)
		count++;
	return count;
}

/* ln P(X = k) for X ~ Binomial(count, 1/2). lgamma_r: plain lgamma writes a global. */
static double log_chance(size_t count, size_t k)
{
	int sign;

	return lgamma_r((double)count + 1, &sign) - lgamma_r((double)k + 1, &sign) -
	       lgamma_r((double)(count - k) + 1, &sign) - (double)count * M_LN2;
}

/* Steps *k to the smallest k with P(X ≤ k) ≥ tail; *ret_below is P(X ≤ k − 1), *ret_at P(X = k). The recurrence gives
 * exact binary fractions for small counts; past 2^−1000 the first chances would underflow, so logarithms take over. */
static size_t binomial_tail(size_t count, double tail, double *ret_below, double *ret_at)
{
	bool small = count <= 1000;
	double below = 0, at = small ? ldexp(1, -(int)count) : exp(log_chance(count, 0));
	size_t k = 0;

	while (below + at < tail && k < count) {
		below += at;
		at = small ? at * (double)(count - k) / (double)(k + 1) : exp(log_chance(count, k + 1));
		k++;
	}
	*ret_below = below;
	*ret_at = at;
	return k;
}

bool stat_median_interval(const double *sorted, size_t count, double confidence, double *ret_low, double *ret_high)
{
	double below, at, outside = 1 - confidence;

	if (!(confidence > 0) || count < 2 || count < stat_interval_needs(confidence))
		return false;
	size_t k = binomial_tail(count, outside / 2, &below, &at);
	double low = sorted[0], high = sorted[count - 1];
	if (k > 0) {
		/* [k−1] … [n−k] covers a little more than wanted, [k] … [n−k−1] less: the weight of the latter. */
		double share = (outside - 2 * below) / (2 * at);
		double n = (double)count, d = (double)k;
		double weight = (n - d) * share / (d + (n - 2 * d) * share);
		low = weight * sorted[k] + (1 - weight) * sorted[k - 1];
		high = weight * sorted[count - k - 1] + (1 - weight) * sorted[count - k];
	}
	*ret_low = low;
	*ret_high = high;
	return true;
}
