/* Every compiled loop that this CPU can run is held against a plain loop over bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kit/kernels.h"

enum { GUARD = 64, MOST = 8 * KERNEL_STEP };

struct area {
	_Alignas(64) unsigned char from[MOST + 2 * GUARD];
	_Alignas(64) unsigned char to[MOST + 2 * GUARD];
};

static void fill(struct area *area)
{
	struct random random = { 7 };

	for (size_t i = 0; i < sizeof area->from; i++)
		area->from[i] = (unsigned char)random_next(&random);
	memset(area->to, 0xee, sizeof area->to);
}

static void assert_guards_stand(const struct area *area, size_t bytes)
{
	for (size_t i = 0; i < GUARD; i++) {
		assert_int_equal(area->to[i], 0xee);
		assert_int_equal(area->to[GUARD + bytes + i], 0xee);
	}
}

static void reading_adds_every_word_once(void **state)
{
	struct area area;

	(void)state;
	fill(&area);
	for (size_t i = 0; kernels_compiled[i]; i++) {
		if (!kernels_compiled[i]->usable())
			continue;
		for (size_t bytes = 0; bytes <= MOST; bytes += KERNEL_STEP) {
			uint64_t sum = 0, word;

			for (size_t at = 0; at < bytes; at += sizeof word) {
				memcpy(&word, area.from + GUARD + at, sizeof word);
				sum += word;
			}
			assert_true(kernels_compiled[i]->read(area.from + GUARD, bytes) == sum);
		}
	}
}

static void check_write(const struct kernels *k, void (*write)(void *, size_t, uint64_t), size_t bytes)
{
	const uint64_t word = UINT64_C(0x0123456789abcdef);
	struct area area;

	fill(&area);
	write(area.to + GUARD, bytes, word);
	if (k->fence)
		k->fence();
	for (size_t at = 0; at < bytes; at += sizeof word)
		assert_memory_equal(area.to + GUARD + at, &word, sizeof word);
	assert_guards_stand(&area, bytes);
}

static void check_copy(const struct kernels *k, void (*copy)(void *, const void *, size_t), size_t bytes)
{
	struct area area;

	fill(&area);
	copy(area.to + GUARD, area.from + GUARD, bytes);
	if (k->fence)
		k->fence();
	if (bytes)
		assert_memory_equal(area.to + GUARD, area.from + GUARD, bytes);
	assert_guards_stand(&area, bytes);
}

static void writing_fills_exactly_the_range(void **state)
{
	(void)state;
	for (size_t i = 0; kernels_compiled[i]; i++) {
		const struct kernels *k = kernels_compiled[i];

		for (size_t bytes = 0; k->usable() && bytes <= MOST; bytes += KERNEL_STEP) {
			check_write(k, k->write, bytes);
			if (k->write_streaming)
				check_write(k, k->write_streaming, bytes);
		}
	}
}

static void copying_copies_exactly_the_range(void **state)
{
	(void)state;
	for (size_t i = 0; kernels_compiled[i]; i++) {
		const struct kernels *k = kernels_compiled[i];

		for (size_t bytes = 0; k->usable() && bytes <= MOST; bytes += KERNEL_STEP) {
			check_copy(k, k->copy, bytes);
			if (k->copy_streaming)
				check_copy(k, k->copy_streaming, bytes);
		}
	}
}

static void auto_is_always_there_and_names_are_choices(void **state)
{
	(void)state;
	assert_non_null(kernels_choose(0, false));
	assert_non_null(kernels_choose(0, true));
	assert_false(kernels_choose(0, true)->very_wide);
	for (size_t i = 0; kernels_compiled[i]; i++) {
		size_t choice = 0;

		while (kernel_choices[choice] && strcmp(kernel_choices[choice], kernels_compiled[i]->name))
			choice++;
		assert_non_null(kernel_choices[choice]);
		if (kernels_compiled[i]->usable())
			assert_ptr_equal(kernels_choose((unsigned)choice, true), kernels_compiled[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_adds_every_word_once),
		cmocka_unit_test(writing_fills_exactly_the_range),
		cmocka_unit_test(copying_copies_exactly_the_range),
		cmocka_unit_test(auto_is_always_there_and_names_are_choices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
