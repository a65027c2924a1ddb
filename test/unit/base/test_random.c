#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"

static void a_seed_gives_the_published_sequence(void **state)
{
	/* SplitMix64 from seed 1234567, as in the reference code of Vigna (prng.di.unimi.it/splitmix64.c). */
	static const uint64_t wanted[] = { UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
					   UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
					   UINT64_C(16408922859458223821) };
	struct random random = { 1234567 };

	(void)state;
	for (size_t i = 0; i < countof(wanted); i++)
		assert_true(random_next(&random) == wanted[i]);
}

static void below_stays_below_any_bound(void **state)
{
	static const uint64_t bound[] = { 1, 2, 3, 7, 64, 1000, UINT64_C(1) << 32, UINT64_C(1) << 63,
					  (UINT64_C(1) << 63) + 1, UINT64_MAX };
	struct random random = { 41 };

	(void)state;
	for (size_t i = 0; i < countof(bound); i++) {
		for (unsigned j = 0; j < 1000; j++)
			assert_true(random_below(&random, bound[i]) < bound[i]);
	}
}

static void below_favours_no_value(void **state)
{
	unsigned count[7] = { 0 }, low = 0;
	struct random random = { 42 };

	(void)state;
	for (unsigned i = 0; i < 70000; i++)
		count[random_below(&random, 7)]++;
	for (unsigned i = 0; i < 7; i++)
		assert_in_range(count[i], 10000 - 400, 10000 + 400); /* over 4 deviations */
	/* A plain remainder would give the lower half of this range five times in eight. */
	uint64_t bound = UINT64_C(3) << 62;
	for (unsigned i = 0; i < 10000; i++)
		low += random_below(&random, bound) < bound / 2;
	assert_in_range(low, 4800, 5200);
}

static void unit_and_normal_have_the_moments_they_promise(void **state)
{
	enum { MANY = 200000 };
	struct random random = { 43 };
	double sum = 0, squares = 0, mean = 0;

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		double unit = random_unit(&random), normal = random_normal(&random);
		assert_true(unit >= 0 && unit < 1);
		assert_true(isfinite(normal));
		mean += unit / MANY;
		sum += normal / MANY;
		squares += normal * normal / MANY;
	}
	assert_true(fabs(mean - 0.5) < 0.003);
	assert_true(fabs(sum) < 0.01);
	assert_true(fabs(squares - 1) < 0.015);
}

static void a_shuffle_is_a_permutation(void **state)
{
	struct random random = { 44 };

	(void)state;
	for (size_t size = 1; size <= 64; size += 7) {
		unsigned char array[200][64] = { { 0 } };
		bool seen[200] = { false };
		for (unsigned i = 0; i < 200; i++)
			memset((unsigned char *)array + i * size, (int)i, size);
		random_shuffle(&random, array, 200, size);
		for (unsigned i = 0; i < 200; i++) {
			unsigned char *thing = (unsigned char *)array + i * size;
			for (size_t j = 1; j < size; j++)
				assert_int_equal(thing[j], thing[0]);
			assert_false(seen[thing[0]]);
			seen[thing[0]] = true;
		}
	}
	random_shuffle(&random, NULL, 0, 8);
}

static void every_order_of_a_shuffle_is_as_likely(void **state)
{
	unsigned count[64] = { 0 }, orders = 0;
	struct random random = { 45 };

	(void)state;
	for (unsigned i = 0; i < 24000; i++) {
		unsigned char card[4] = { 0, 1, 2, 3 };
		random_shuffle(&random, card, 4, 1);
		count[card[0] * 16 + card[1] * 4 + card[2]]++;
	}
	for (unsigned i = 0; i < 64; i++) {
		orders += count[i] > 0;
		if (count[i])
			assert_in_range(count[i], 1000 - 140, 1000 + 140);
	}
	assert_int_equal(orders, 24);
}

static void the_same_seed_gives_the_same_order(void **state)
{
	struct random one = { 46 }, two = { 46 };
	unsigned a[100], b[100];

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		a[i] = b[i] = i;
	random_shuffle(&one, a, 100, sizeof *a);
	random_shuffle(&two, b, 100, sizeof *b);
	assert_memory_equal(a, b, sizeof a);
}

static void seeds_nobody_chose_differ(void **state)
{
	(void)state;
	assert_true(random_seed() != random_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_seed_gives_the_published_sequence),
		cmocka_unit_test(below_stays_below_any_bound),
		cmocka_unit_test(below_favours_no_value),
		cmocka_unit_test(unit_and_normal_have_the_moments_they_promise),
		cmocka_unit_test(a_shuffle_is_a_permutation),
		cmocka_unit_test(every_order_of_a_shuffle_is_as_likely),
		cmocka_unit_test(the_same_seed_gives_the_same_order),
		cmocka_unit_test(seeds_nobody_chose_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
