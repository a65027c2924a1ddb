/* What stands before the figures, and what the machine's description says about caches. */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include <stdint.h>

#include "base/text.h"
#include "record/record.h"
#include "report/style.h"

void head_verdicts(const struct run *run, const struct show_style *style, struct text *out);
void head_run(const struct run *run, const struct show_style *style, struct text *out);
void head_machine(const struct run *run, const struct show_style *style, struct text *out);
void head_conditions(const struct run *run, const struct show_style *style, struct text *out);

/* Size of the data or unified cache of a level as the kernel reports it; 0 when it does not. */
uint64_t head_kernel_cache(const struct run *run, unsigned level);

#endif
