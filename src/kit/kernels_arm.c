#include "kit/kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

enum { W = 16 };

/* Advanced SIMD is part of every arm64 CPU that runs Linux. */
static bool has_neon(void)
{
	return true;
}

static uint64_t read_neon(const void *from, size_t bytes)
{
	const uint64_t *at = from, *end = at + bytes / sizeof *at;
	uint64x2_t sum[8];

	for (int i = 0; i < 8; i++)
		sum[i] = vdupq_n_u64(0);
	for (; at < end; at += 16)
		for (int i = 0; i < 8; i++)
			sum[i] = vaddq_u64(sum[i], vld1q_u64(at + 2 * i));
	for (int i = 1; i < 8; i++)
		sum[0] = vaddq_u64(sum[0], sum[i]);
	return vgetq_lane_u64(sum[0], 0) + vgetq_lane_u64(sum[0], 1);
}

/* Written as instructions: there is no intrinsic for the non-temporal pair, and both ought to be alike. */
#define DEFINE_LOOPS(suffix, STP)                                                                                     \
	static void write_##suffix(void *to, size_t bytes, uint64_t word)                                             \
	{                                                                                                             \
		char *at = to, *end = at + bytes;                                                                     \
		uint64x2_t value = vdupq_n_u64(word);                                                                 \
		for (; at < end; at += 4 * W)                                                                         \
			__asm__ volatile(STP " %q1, %q1, [%0]\n\t" STP " %q1, %q1, [%0, #32]"                         \
					 : : "r"(at), "w"(value) : "memory");                                         \
	}                                                                                                             \
	static void copy_##suffix(void *to, const void *from, size_t bytes)                                           \
	{                                                                                                             \
		char *at = to, *end = at + bytes;                                                                     \
		const char *source = from;                                                                            \
		for (; at < end; at += 4 * W, source += 4 * W) {                                                      \
			uint64x2_t a, b, c, d;                                                                        \
			__asm__ volatile("ldp %q0, %q1, [%4]\n\tldp %q2, %q3, [%4, #32]"                              \
					 : "=&w"(a), "=&w"(b), "=&w"(c), "=&w"(d) : "r"(source) : "memory");          \
			__asm__ volatile(STP " %q1, %q2, [%0]\n\t" STP " %q3, %q4, [%0, #32]"                         \
					 : : "r"(at), "w"(a), "w"(b), "w"(c), "w"(d) : "memory");                     \
		}                                                                                                     \
	}

DEFINE_LOOPS(neon, "stp")
DEFINE_LOOPS(streaming_neon, "stnp")

const struct kernels kernels_neon = {
	.name = "neon", .usable = has_neon, .read = read_neon, .write = write_neon, .copy = copy_neon,
	.write_streaming = write_streaming_neon, .copy_streaming = copy_streaming_neon,
};

#endif
