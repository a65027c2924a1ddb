#include "kit/kernels.h"

#include <string.h>

#include "base/mem.h"
#include "base/parse.h"
#include "base/root.h"

enum { WORDS_A_TURN = 8 };

const char *const kernel_choices[] = { "auto", "c", "sse2", "avx2", "avx512", "neon", NULL };

static bool always(void)
{
	return true;
}

static uint64_t read_c(const void *from, size_t bytes)
{
	const uint64_t *word = from, *end = word + bytes / sizeof *word;
	uint64_t sum[WORDS_A_TURN] = { 0 };

	for (; word < end; word += WORDS_A_TURN)
		for (int i = 0; i < WORDS_A_TURN; i++)
			sum[i] += word[i];
	return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

static void write_c(void *to, size_t bytes, uint64_t value)
{
	uint64_t *word = to, *end = word + bytes / sizeof *word;

	for (; word < end; word += WORDS_A_TURN)
		for (int i = 0; i < WORDS_A_TURN; i++)
			word[i] = value;
}

static void copy_c(void *to, const void *from, size_t bytes)
{
	uint64_t *restrict word = to, *end = word + bytes / sizeof *word;
	const uint64_t *restrict source = from;

	for (; word < end; word += WORDS_A_TURN, source += WORDS_A_TURN)
		for (int i = 0; i < WORDS_A_TURN; i++)
			word[i] = source[i];
}

const struct kernels kernels_c = {
	.name = "c", .usable = always, .read = read_c, .write = write_c, .copy = copy_c,
};

const struct kernels *const kernels_compiled[] = {
	&kernels_c,
#if defined(__x86_64__)
	&kernels_sse2, &kernels_avx2, &kernels_avx512,
#elif defined(__aarch64__)
	&kernels_neon,
#endif
	NULL,
};

const struct kernels *kernels_choose(unsigned choice, bool beyond_caches)
{
	const struct kernels *found = NULL;
	const char *name = kernel_choices[choice];

	for (size_t i = 0; kernels_compiled[i]; i++) {
		const struct kernels *k = kernels_compiled[i];
		bool wanted = strcmp(name, "auto") ? !strcmp(name, k->name) : !(beyond_caches && k->very_wide);

		if (wanted && k->usable())
			found = k;
	}
	return found;
}

size_t kernels_last_cache_bytes(void)
{
	uint64_t largest = 0;

	for (int index = 0; index < 10; index++) {
		auto_free char *size = NULL;
		uint64_t bytes;

		if (root_readf(&size, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index) < 0)
			continue;
		if (parse_size(size, &bytes, NULL) == 0 && bytes > largest)
			largest = bytes;
	}
	return largest ? largest : 32u << 20;
}
