/* Latency of one arithmetic operation: a chain in which each needs the result of the one before.
 *
 * Operands stay where they are worth measuring: no zero, no denormal, no NaN, no overflow, however long the chain.
 * What one operation is:
 *
 * *_bit       one of xor, or, and, in turn
 * int_add     one addition; int64_add the same
 * *_mul       one multiplication; of floats by 1.5 and 1 / 1.5 in turn
 * *_div       x = a / x: the divisor is what is waited for; the quotient has about half of the dividend's bits
 * int*_mod    x = a % m | high: one remainder, whose dividend is waited for, and one `or` that keeps it large
 * float_add   an addition or a subtraction, in turn; double_add the same
 * *_bogo      lmbench's "bogomflops": (1 + x)(1.5 − x) / x for one of 1,000 elements; independent of the others, so
 *             this one is throughput, of one element at a time
 *
 * An empty barrier behind each operation keeps the compiler from folding several into one (lmbench's integer add comes
 * out as 0.00 ns with any recent gcc); it emits nothing. A division on x86-64 is written out, since compilers put a
 * test for small operands before it. Checked: a replay, and after the run the chain's last value where a formula
 * gives it. Ancestry: lmbench's lat_ops.
 */
#include <errno.h>

#include "harness/bench.h"

enum { UNROLL = 96, ELEMENTS = 1000 };

struct op {
	unsigned variant;
	uint64_t done;
	union value {
		uint32_t u32;
		uint64_t u64;
		float f32;
		double f64;
	} x, start;       /* now, and when the harness's first operation began */
	uint64_t a, b, c; /* integer operands */
	double p, q;      /* floating-point operands */
	uint64_t element;
	union {
		float f32[ELEMENTS];
		double f64[ELEMENTS];
	} in, out;
};

/* Floating-point registers have another constraint letter on each architecture. */
#if defined(__x86_64__) || defined(__i386__)
#define KEEP_FP(value) __asm__ volatile("" : "+x"(value))
#elif defined(__aarch64__) || defined(__arm__)
#define KEEP_FP(value) __asm__ volatile("" : "+w"(value))
#elif defined(__riscv) || defined(__s390x__) || defined(__loongarch__) || defined(__mips__)
#define KEEP_FP(value) __asm__ volatile("" : "+f"(value))
#elif defined(__powerpc64__)
#define KEEP_FP(value) __asm__ volatile("" : "+d"(value))
#else
#define KEEP_FP(value) __asm__ volatile("" : "+m"(value)) /* adds a store and a load: better than a folded chain */
#endif

/* Quotient and remainder of unsigned words. */
#if defined(__x86_64__)
#define DIVIDE(suffix, dividend, divisor, quotient, remainder) \
	__asm__("div" suffix " %4" : "=a"(quotient), "=d"(remainder) \
		: "0"(dividend), "1"((__typeof__(dividend))0), "r"(divisor) : "cc")
#else
#define DIVIDE(suffix, dividend, divisor, quotient, remainder) \
	(quotient = (dividend) / (divisor), remainder = (dividend) % (divisor))
#endif

#define X4(op) op op op op
#define X48(op) X4(X4(op)) X4(X4(op)) X4(X4(op))

/* Ninety-six operations a turn: X48 of a pair, or of three twice a third as often. */
#define CHAIN(name, type, member, operand, A, B, C, KEEP, PAIR)                                                       \
	static void chain_##name(struct op *s, uint64_t n)                                                            \
	{                                                                                                             \
		type x = s->x.member;                                                                                 \
		operand a = (operand)s->A, b = (operand)s->B, c = (operand)s->C;                                      \
		KEEP(a);                                                                                              \
		KEEP(b);                                                                                              \
		KEEP(c);                                                                                              \
		for (; n; n -= UNROLL) {                                                                              \
			X48(PAIR)                                                                                     \
		}                                                                                                     \
		s->x.member = x;                                                                                      \
	}

#define INT_CHAINS(prefix, type, member, suffix)                                                                      \
	CHAIN(prefix##_add, type, member, type, a, b, c, BENCH_KEEP,                                                  \
	      x += a; BENCH_KEEP(x); x += a; BENCH_KEEP(x);)                                                          \
	CHAIN(prefix##_mul, type, member, type, a, b, c, BENCH_KEEP,                                                  \
	      x *= a; BENCH_KEEP(x); x *= a; BENCH_KEEP(x);)                                                          \
	CHAIN(prefix##_div, type, member, type, a, b, c, BENCH_KEEP,                                                  \
	      { type rest; DIVIDE(suffix, a, x, x, rest); (void)rest; } BENCH_KEEP(x);                                \
	      { type rest; DIVIDE(suffix, a, x, x, rest); (void)rest; } BENCH_KEEP(x);)                               \
	CHAIN(prefix##_mod, type, member, type, a, b, c, BENCH_KEEP,                                                  \
	      { type times; DIVIDE(suffix, x, a, times, x); (void)times; } x |= b; BENCH_KEEP(x);                     \
	      { type times; DIVIDE(suffix, x, a, times, x); (void)times; } x |= b; BENCH_KEEP(x);)

INT_CHAINS(int, uint32_t, u32, "l")
INT_CHAINS(int64, uint64_t, u64, "q")

/* The bit chain has a period of three, so it is written on its own: 32 times three. */
#define BIT_CHAIN(prefix, type, member)                                                                               \
	static void chain_##prefix##_bit(struct op *s, uint64_t n)                                                    \
	{                                                                                                             \
		type x = s->x.member, a = (type)s->a, b = (type)s->b, c = (type)s->c;                                 \
		BENCH_KEEP(a);                                                                                        \
		BENCH_KEEP(b);                                                                                        \
		BENCH_KEEP(c);                                                                                        \
		for (; n; n -= UNROLL) {                                                                              \
			X4(X4(x ^= a; BENCH_KEEP(x); x |= b; BENCH_KEEP(x); x &= c; BENCH_KEEP(x);))                  \
			X4(X4(x ^= a; BENCH_KEEP(x); x |= b; BENCH_KEEP(x); x &= c; BENCH_KEEP(x);))                  \
		}                                                                                                     \
		s->x.member = x;                                                                                      \
	}

BIT_CHAIN(int, uint32_t, u32)
BIT_CHAIN(int64, uint64_t, u64)

#define FLOAT_CHAINS(type, member)                                                                                    \
	CHAIN(type##_add, type, member, type, p, q, q, KEEP_FP,                                                       \
	      x += a; KEEP_FP(x); x -= a; KEEP_FP(x); (void)b; (void)c;)                                              \
	CHAIN(type##_mul, type, member, type, p, q, q, KEEP_FP,                                                       \
	      x *= a; KEEP_FP(x); x *= b; KEEP_FP(x); (void)c;)                                                       \
	CHAIN(type##_div, type, member, type, p, q, q, KEEP_FP,                                                       \
	      x = a / x; KEEP_FP(x); x = a / x; KEEP_FP(x); (void)b; (void)c;)                                        \
	static void chain_##type##_bogo(struct op *s, uint64_t n)                                                     \
	{                                                                                                             \
		uint64_t at = s->element;                                                                             \
		for (; n--; at = at + 1 == ELEMENTS ? 0 : at + 1) {                                                   \
			type x = s->in.member[at];                                                                    \
			KEEP_FP(x); /* one at a time: no vector instructions */                                       \
			s->out.member[at] = ((type)1 + x) * ((type)1.5 - x) / x;                                      \
		}                                                                                                     \
		s->element = at;                                                                                      \
	}

FLOAT_CHAINS(float, f32)
FLOAT_CHAINS(double, f64)

static void (*const chains[])(struct op *s, uint64_t n) = {
	chain_int_bit,    chain_int_add,    chain_int_mul,    chain_int_div,    chain_int_mod,    chain_int64_bit,
	chain_int64_add,  chain_int64_mul,  chain_int64_div,  chain_int64_mod,  chain_float_add,  chain_float_mul,
	chain_float_div,  chain_float_bogo, chain_double_add, chain_double_mul, chain_double_div, chain_double_bogo,
};

enum kind { BIT, ADD, MUL, DIV, MOD, FP_ADD, FP_MUL, FP_DIV, BOGO };
enum width { INT, INT64, FLOAT, DOUBLE };

/* In the order of chains and variants. */
static const struct {
	enum width width;
	enum kind kind;
} meaning[] = {
	{ INT, BIT },      { INT, ADD },      { INT, MUL },      { INT, DIV },     { INT, MOD },       { INT64, BIT },
	{ INT64, ADD },    { INT64, MUL },    { INT64, DIV },    { INT64, MOD },   { FLOAT, FP_ADD },  { FLOAT, FP_MUL },
	{ FLOAT, FP_DIV }, { FLOAT, BOGO },   { DOUBLE, FP_ADD }, { DOUBLE, FP_MUL }, { DOUBLE, FP_DIV }, { DOUBLE, BOGO },
};

static const uint64_t ALTERNATE = UINT64_C(0x5a5a5a5a5a5a5a5a);

static void set_operands(struct op *s)
{
	bool wide = meaning[s->variant].width == INT64;

	switch (meaning[s->variant].kind) {
	case BIT: /* bits that are 0 in b and 1 in c and a flip for ever */
		s->a = ALTERNATE, s->b = UINT64_C(0x1111111111111111), s->c = UINT64_C(0x7777777777777777);
		s->x.u64 = UINT64_C(0x123456789abcdef1);
		break;
	case ADD:
	case MUL: /* odd, so that no product is ever zero */
		s->a = UINT64_C(0x9e3779b97f4a7c15);
		s->x.u64 = UINT64_C(0x123456789abcdef1);
		break;
	case DIV: /* about the square root of the dividend; a / (a / x) comes back to x, so it stays there */
		s->a = wide ? UINT64_C(0x7fffffffffffffe7) : 0x7fffffe7;
		s->x.u64 = wide ? UINT64_C(3037000001) : 46001;
		break;
	case MOD: /* the remainder is below 2^16 (2^32), so the `or` adds: remainders walk round m in equal steps */
		s->a = wide ? UINT64_C(3037000507) : 46337;
		s->b = wide ? UINT64_C(1) << 62 : 1u << 30;
		s->x.u64 = s->b | 12345;
		break;
	case FP_ADD: /* exact, so it comes back */
		s->p = 0.7421875;
		break;
	case FP_MUL: /* 1.5 × 1.25 is exact, and × (1/1.5) rounds back to 1.25 in both widths */
		s->p = 1.5, s->q = 1 / 1.5;
		break;
	case FP_DIV: /* a / (a / x) rounds to a pair of values that repeats */
		s->p = 1.9;
		break;
	case BOGO:
		break;
	}
	if (meaning[s->variant].width == FLOAT)
		s->x.f32 = 1.25f;
	else if (meaning[s->variant].width == DOUBLE)
		s->x.f64 = 1.25;
	for (int i = 0; i < ELEMENTS; i++) {
		double value = 0.5 + 0.0009 * i;

		if (meaning[s->variant].width == FLOAT)
			s->in.f32[i] = (float)value;
		else
			s->in.f64[i] = value;
	}
}

static uint64_t integer_step(const struct op *s, uint64_t x, uint64_t i)
{
	switch (meaning[s->variant].kind) {
	case BIT:
		return i % 3 == 0 ? x ^ s->a : i % 3 == 1 ? x | s->b : x & s->c;
	case ADD:
		return x + s->a;
	case MUL:
		return x * s->a;
	case DIV:
		return s->a / x;
	default:
		return x % s->a | s->b;
	}
}

#define FP_STEP(type)                                                                                                 \
	static type type##_step(const struct op *s, type x, uint64_t i)                                               \
	{                                                                                                             \
		type p = (type)s->p, q = (type)s->q;                                                                  \
		switch (meaning[s->variant].kind) {                                                                   \
		case FP_ADD:                                                                                          \
			return i % 2 ? x - p : x + p;                                                                 \
		case FP_MUL:                                                                                          \
			return x * (i % 2 ? q : p);                                                                   \
		default:                                                                                              \
			return p / x;                                                                                 \
		}                                                                                                     \
	}

FP_STEP(float)
FP_STEP(double)

/* One turn of 96 operations, one after the other, as the language defines them. */
static union value replay(const struct op *s, union value x)
{
	for (uint64_t i = 0; i < UNROLL; i++) {
		switch (meaning[s->variant].width) {
		case INT:
			x.u32 = (uint32_t)integer_step(s, x.u32, i);
			break;
		case INT64:
			x.u64 = integer_step(s, x.u64, i);
			break;
		case FLOAT:
			x.f32 = float_step(s, x.f32, i);
			break;
		case DOUBLE:
			x.f64 = double_step(s, x.f64, i);
			break;
		}
	}
	return x;
}

static bool same(const struct op *s, union value one, union value other)
{
	bool narrow = meaning[s->variant].width == INT || meaning[s->variant].width == FLOAT;

	return narrow ? one.u32 == other.u32 : one.u64 == other.u64; /* bit for bit */
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
	uint64_t result = 1;

	for (; exponent; exponent >>= 1, base *= base)
		if (exponent & 1)
			result *= base;
	return result;
}

/* Where ops operations lead from the start, by formula; whole turns bring back all chains but three. */
static union value expected(const struct op *s, uint64_t ops)
{
	union value x = s->start;
	uint64_t value = meaning[s->variant].width == INT ? x.u32 : x.u64;

	switch (meaning[s->variant].kind) {
	case ADD:
		value += ops * s->a;
		break;
	case MUL:
		value *= power(s->a, ops);
		break;
	case MOD:
		value = s->b | ((value - s->b + ops % s->a * (s->b % s->a)) % s->a);
		break;
	default:
		return x;
	}
	if (meaning[s->variant].width == INT)
		x.u32 = (uint32_t)value;
	else
		x.u64 = value;
	return x;
}

static int op_setup(void *state, struct bench_env *env)
{
	struct op *s = state;
	union value want;

	s->variant = env->variant;
	set_operands(s);
	if (meaning[s->variant].kind == BOGO)
		return 0;
	/* Two turns: the first brings rounded quotients to the pair that repeats, the second must agree. */
	for (int turn = 0; turn < 2; turn++) {
		want = replay(s, s->x);
		chains[s->variant](s, UNROLL);
		if (!same(s, s->x, want))
			return err_set(env->err, -EIO, "the chain's result differs from that of a plain replay");
	}
	s->start = s->x;
	return 0;
}

static void op_run(void *state, uint64_t n)
{
	struct op *s = state;

	s->done += n;
	chains[s->variant](s, n);
}

static int check_bogo(const struct op *s, uint64_t ops, struct bench_env *env)
{
	for (uint64_t i = 0; i < ops && i < ELEMENTS; i++) {
		float x32 = s->in.f32[i];
		double x64 = s->in.f64[i];
		bool right = meaning[s->variant].width == FLOAT
				     ? s->out.f32[i] == (1 + x32) * (1.5f - x32) / x32
				     : s->out.f64[i] == (1 + x64) * (1.5 - x64) / x64;

		if (!right)
			return err_set(env->err, -EIO, "element %llu was not computed", (unsigned long long)i);
	}
	return 0;
}

static int op_check(void *state, uint64_t ops, struct bench_env *env)
{
	struct op *s = state;

	if (s->done != ops)
		return err_set(env->err, -EIO, "%llu operations were asked for and %llu done", (unsigned long long)ops,
			       (unsigned long long)s->done);
	if (meaning[s->variant].kind == BOGO)
		return check_bogo(s, ops, env);
	return same(s, s->x, expected(s, ops)) ? 0 : err_set(env->err, -EIO,
		"%llu operations did not lead where they must", (unsigned long long)ops);
}

static const struct variant variants[] = {
	{ "int_bit", "dependent 32-bit xor, or, and, in turn" },
	{ "int_add", "dependent 32-bit integer addition" },
	{ "int_mul", "dependent 32-bit integer multiplication" },
	{ "int_div", "dependent 32-bit unsigned division, through the divisor" },
	{ "int_mod", "dependent 32-bit unsigned remainder and one or" },
	{ "int64_bit", "dependent 64-bit xor, or, and, in turn" },
	{ "int64_add", "dependent 64-bit integer addition" },
	{ "int64_mul", "dependent 64-bit integer multiplication" },
	{ "int64_div", "dependent 64-bit unsigned division, through the divisor" },
	{ "int64_mod", "dependent 64-bit unsigned remainder and one or" },
	{ "float_add", "dependent single-precision addition" },
	{ "float_mul", "dependent single-precision multiplication" },
	{ "float_div", "dependent single-precision division, through the divisor" },
	{ "float_bogo", "(1 + x)(1.5 - x) / x in single precision, one of many elements" },
	{ "double_add", "dependent double-precision addition" },
	{ "double_mul", "dependent double-precision multiplication" },
	{ "double_div", "dependent double-precision division, through the divisor" },
	{ "double_bogo", "(1 + x)(1.5 - x) / x in double precision, one of many elements" },
	{ 0 },
};

static const struct bench cpu_op = {
	.name = "cpu.op",
	.title = "dependent arithmetic operation",
	.unit = BENCH_NS,
	.class = CLASS_CPU,
	.variants = variants,
	.state_size = sizeof(struct op),
	.granule = UNROLL,
	.min_cycles = 0.9, /* bogo too: a division an element, and no core does more than one a cycle */
	.setup = op_setup,
	.run = op_run,
	.check = op_check,
};

BENCH_REGISTER(cpu_op);
