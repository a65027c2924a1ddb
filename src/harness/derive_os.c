/* Derived figures of the operating system. */
#include <stdio.h>

#include "harness/derive.h"

/* The classic tables know one "null I/O": the mean of a one-byte read and a one-byte write. */
static int null_io(const struct derive_input *in, const struct derivation *self, double *ret_value, struct err *err)
{
	double read, write;
	int r = derive_value(in, self->sources[0], &read, err);

	if (r == 0)
		r = derive_value(in, self->sources[1], &write, err);
	if (r == 0)
		*ret_value = (read + write) / 2;
	return r;
}

/* One hop of the token, less what a process pays for its pipe and its sum without a switch. May come out below zero
 * when the switch is lost in the noise; the interval tells. */
static int context_switch(const struct derive_input *in, const struct derivation *self, double *ret_value,
			  struct err *err)
{
	double hop, base;
	int r = derive_value(in, self->sources[0], &hop, err);

	if (r == 0)
		r = derive_value(in, self->sources[1], &base, err);
	if (r == 0)
		*ret_value = hop - base;
	return r;
}

#define CONTEXT_SWITCH(shape)                                                                                 \
	{                                                                                                     \
		.id = "proc.context_switch/" shape, .title = "context switch: one hop less pipe and sum",     \
		.unit = "ns", .target_pct = 5, .sources = { "proc.switch/" shape, "proc.switch_base/" shape }, \
		.compute = context_switch                                                                     \
	}

const struct derivation derivations_os[] = {
	{ .id = "syscall.null_io",
	  .title = "mean of a one-byte read and a one-byte write",
	  .unit = "ns",
	  .target_pct = 2,
	  .sources = { "syscall.simple:read", "syscall.simple:write" },
	  .compute = null_io },
	CONTEXT_SWITCH("procs=2,size=0"),
	CONTEXT_SWITCH("procs=2,size=16k"),
	CONTEXT_SWITCH("procs=2,size=64k"),
	CONTEXT_SWITCH("procs=8,size=16k"),
	CONTEXT_SWITCH("procs=8,size=64k"),
	CONTEXT_SWITCH("procs=16,size=16k"),
	CONTEXT_SWITCH("procs=16,size=64k"),
	{ 0 },
};
