/* SSE2, AVX2 and AVX-512 loops. Compiled by target attributes: the file needs no flags of its own, and nothing but
 * these functions may use the wide registers. */
#include "kit/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

/* The same loops over another register width. LOAD and friends are the intrinsics, W the bytes of a register. Eight
 * sums in flight hide the latency of the adds. */
#define DEFINE_LOOPS(isa, target_name, vector, W, LOAD, STORE, STREAM, ADD, SET, ZERO)                                \
	__attribute__((target(target_name))) static uint64_t read_##isa(const void *from, size_t bytes)               \
	{                                                                                                             \
		const char *at = from, *end = at + bytes;                                                             \
		vector s0 = ZERO(), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;                    \
		for (; at < end; at += 8 * W) {                                                                       \
			s0 = ADD(s0, LOAD((const vector *)at));                                                       \
			s1 = ADD(s1, LOAD((const vector *)(at + W)));                                                 \
			s2 = ADD(s2, LOAD((const vector *)(at + 2 * W)));                                             \
			s3 = ADD(s3, LOAD((const vector *)(at + 3 * W)));                                             \
			s4 = ADD(s4, LOAD((const vector *)(at + 4 * W)));                                             \
			s5 = ADD(s5, LOAD((const vector *)(at + 5 * W)));                                             \
			s6 = ADD(s6, LOAD((const vector *)(at + 6 * W)));                                             \
			s7 = ADD(s7, LOAD((const vector *)(at + 7 * W)));                                             \
		}                                                                                                     \
		s0 = ADD(ADD(ADD(s0, s1), ADD(s2, s3)), ADD(ADD(s4, s5), ADD(s6, s7)));                               \
		uint64_t part[W / 8], sum = 0;                                                                        \
		__builtin_memcpy(part, &s0, W);                                                                       \
		for (int i = 0; i < W / 8; i++)                                                                       \
			sum += part[i];                                                                               \
		return sum;                                                                                           \
	}                                                                                                             \
	DEFINE_WRITE(write_##isa, target_name, vector, W, STORE, SET)                                                 \
	DEFINE_WRITE(write_streaming_##isa, target_name, vector, W, STREAM, SET)                                      \
	DEFINE_COPY(copy_##isa, target_name, vector, W, LOAD, STORE)                                                  \
	DEFINE_COPY(copy_streaming_##isa, target_name, vector, W, LOAD, STREAM)                                       \
	const struct kernels kernels_##isa = {                                                                        \
		.name = #isa, .very_wide = W == 64, .usable = has_##isa,                                              \
		.read = read_##isa, .write = write_##isa, .copy = copy_##isa,                                         \
		.write_streaming = write_streaming_##isa, .copy_streaming = copy_streaming_##isa, .fence = fence,     \
	};

#define DEFINE_WRITE(name, target_name, vector, W, STORE, SET)                                                        \
	__attribute__((target(target_name))) static void name(void *to, size_t bytes, uint64_t word)                  \
	{                                                                                                             \
		char *at = to, *end = at + bytes;                                                                     \
		vector value = SET((long long)word);                                                                  \
		for (; at < end; at += 4 * W) {                                                                       \
			STORE((vector *)at, value);                                                                   \
			STORE((vector *)(at + W), value);                                                             \
			STORE((vector *)(at + 2 * W), value);                                                         \
			STORE((vector *)(at + 3 * W), value);                                                         \
		}                                                                                                     \
	}

#define DEFINE_COPY(name, target_name, vector, W, LOAD, STORE)                                                        \
	__attribute__((target(target_name))) static void name(void *to, const void *from, size_t bytes)               \
	{                                                                                                             \
		char *at = to, *end = at + bytes;                                                                     \
		const char *source = from;                                                                            \
		for (; at < end; at += 4 * W, source += 4 * W) {                                                      \
			vector a = LOAD((const vector *)source), b = LOAD((const vector *)(source + W));              \
			vector c = LOAD((const vector *)(source + 2 * W)), d = LOAD((const vector *)(source + 3 * W));\
			STORE((vector *)at, a);                                                                       \
			STORE((vector *)(at + W), b);                                                                 \
			STORE((vector *)(at + 2 * W), c);                                                             \
			STORE((vector *)(at + 3 * W), d);                                                             \
		}                                                                                                     \
	}

static void fence(void)
{
	_mm_sfence();
}

/* These look at XGETBV too: a kernel that does not save the wide registers makes the answer no. */
static bool has_sse2(void)
{
	return true;
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

DEFINE_LOOPS(sse2, "sse2", __m128i, 16, _mm_load_si128, _mm_store_si128, _mm_stream_si128, _mm_add_epi64,
	     _mm_set1_epi64x, _mm_setzero_si128)

DEFINE_LOOPS(avx2, "avx2", __m256i, 32, _mm256_load_si256, _mm256_store_si256, _mm256_stream_si256, _mm256_add_epi64,
	     _mm256_set1_epi64x, _mm256_setzero_si256)

DEFINE_LOOPS(avx512, "avx512f", __m512i, 64, _mm512_load_si512, _mm512_store_si512, _mm512_stream_si512,
	     _mm512_add_epi64, _mm512_set1_epi64, _mm512_setzero_si512)

#endif
