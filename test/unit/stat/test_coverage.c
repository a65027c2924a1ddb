/* An interval must cover the truth as often as it claims, on noise like that of real machines: every process has its
 * own level (memory layout), and within it batches are correlated and disturbed upwards. Fixed seeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"
#include "stat/interval.h"
#include "stat/location.h"

enum { BATCHES = 30, RUNS = 2000 };

struct noise {
	double between; /* deviation of the processes' levels */
};

/* Batches of one process: level · (AR(1) jitter of 1 %, φ = 0.5) and 10–25 % of them longer by 30 % on average. */
static void draw_process(struct random *random, const struct noise *noise, double *batch)
{
	double level = 100 * (1 + noise->between * random_normal(random));
	double contaminated = 0.10 + 0.15 * random_unit(random);
	double jitter = 0.01 * random_normal(random);

	for (size_t i = 0; i < BATCHES; i++) {
		jitter = 0.5 * jitter + sqrt(1 - 0.25) * 0.01 * random_normal(random);
		batch[i] = level * (1 + jitter);
		if (random_unit(random) < contaminated)
			batch[i] *= 1 - 0.3 * log(1 - random_unit(random));
	}
}

/* What process medians are spread around: contamination shifts each a little, alike on all machines. */
static double truth(const struct noise *noise)
{
	enum { MANY = 60000 };
	struct random random = { 1 };
	auto_free double *median = mem_new(MANY, sizeof *median);
	double batch[BATCHES];

	for (size_t i = 0; i < MANY; i++) {
		draw_process(&random, noise, batch);
		median[i] = stat_median(batch, BATCHES);
	}
	return stat_median(median, MANY);
}

/* Share of runs in percent whose 95 % interval holds the truth. */
static double coverage(const struct noise *noise, size_t processes, bool pooled)
{
	struct random random = { 2024 + processes };
	double centre = truth(noise), batch[30 * BATCHES], median[30];
	unsigned hits = 0;

	for (unsigned run = 0; run < RUNS; run++) {
		double low, high;
		for (size_t i = 0; i < processes; i++) {
			draw_process(&random, noise, batch + i * BATCHES);
			median[i] = stat_median(batch + i * BATCHES, BATCHES);
		}
		double *sample = pooled ? batch : median;
		size_t count = pooled ? processes * BATCHES : processes;
		stat_sort(sample, count);
		assert_true(stat_median_interval(sample, count, 0.95, &low, &high));
		hits += low <= centre && centre <= high;
	}
	return 100. * hits / RUNS;
}

static void assert_honest(double between, size_t processes)
{
	double covered = coverage(&(struct noise){ between }, processes, false);

	if (!(fabs(covered - 95) <= 1.5))
		fail_msg("%zu processes, deviation %g: the 95 %% interval covers %g %%", processes, between, covered);
}

static void six_processes_cover_the_truth_as_often_as_claimed(void **state)
{
	(void)state;
	assert_honest(0.01, 6);
	assert_honest(0.02, 6);
}

static void ten_processes_cover_the_truth_as_often_as_claimed(void **state)
{
	(void)state;
	assert_honest(0.01, 10);
	assert_honest(0.02, 10);
}

static void twenty_processes_cover_the_truth_as_often_as_claimed(void **state)
{
	(void)state;
	assert_honest(0.01, 20);
	assert_honest(0.02, 20);
}

/* The classic error, and the proof that this simulation can tell good from bad. */
static void pooled_batches_would_claim_far_too_much(void **state)
{
	(void)state;
	assert_true(coverage(&(struct noise){ 0.02 }, 10, true) < 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_processes_cover_the_truth_as_often_as_claimed),
		cmocka_unit_test(ten_processes_cover_the_truth_as_often_as_claimed),
		cmocka_unit_test(twenty_processes_cover_the_truth_as_often_as_claimed),
		cmocka_unit_test(pooled_batches_would_claim_far_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
