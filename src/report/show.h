/* A run as text for people: verdict first, then the machine, then the figures, then where to read on. */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include "base/text.h"
#include "record/record.h"
#include "report/style.h"

/* Nothing of the run reaches out unescaped. 0, or -ENOMEM and what libsmartcols else may say. */
int show_run(const struct run *run, const struct show_style *style, struct text *out);

/* Only the head: "142 figures: 120 ok, 15 noisy, …" and what disturbed them. For the end of a run and for lists. */
void show_verdicts(const struct run *run, const struct show_style *style, struct text *out);

#endif
