/* Loops that do nothing but move memory, one set per instruction set, chosen at run time.
 *
 * Addresses are 64-byte aligned and bytes are a multiple of KERNEL_STEP. The loops are written by hand because what a
 * compiler makes of a plain one differs between compilers, and may be a call of libc.
 */
#ifndef KIT_KERNELS_H
#define KIT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_STEP = 1024 };

struct kernels {
	const char *name; /* as in kernel_choices */
	bool very_wide;   /* registers of a whole line */
	bool (*usable)(void);

	/* Sum (mod 2^64) of all 64-bit words: every byte is loaded, and the sum proves it. */
	uint64_t (*read)(const void *from, size_t bytes);
	void (*write)(void *to, size_t bytes, uint64_t word);
	void (*copy)(void *to, const void *from, size_t bytes);

	/* The same with non-temporal stores, which go round the caches and need no read of the line first; NULL where
	 * the instruction set has none. They are weakly ordered: end with fence. */
	void (*write_streaming)(void *to, size_t bytes, uint64_t word);
	void (*copy_streaming)(void *to, const void *from, size_t bytes);
	void (*fence)(void); /* NULL: none needed */
};

/* NULL-terminated, for a PARAM_CHOICE: "auto", "c", then the rest; the same on every architecture. */
extern const char *const kernel_choices[];

/* The set for an index into kernel_choices. "auto" is the widest usable one, but not 512 bits for memory beyond the
 * caches: nothing is gained there, and on Zen 4 the 256-bit loops are a few percent faster. NULL: this CPU or build has
 * it not. */
const struct kernels *kernels_choose(unsigned choice, bool beyond_caches);

/* Narrowest first, NULL-terminated; only those that were compiled. */
extern const struct kernels *const kernels_compiled[];

/* Bytes of the largest cache that sysfs tells of, or 32 MiB where it tells of none. */
size_t kernels_last_cache_bytes(void);

extern const struct kernels kernels_c;
#if defined(__x86_64__)
extern const struct kernels kernels_sse2, kernels_avx2, kernels_avx512;
#elif defined(__aarch64__)
extern const struct kernels kernels_neon;
#endif

#endif
