/* A run as text for people: verdicts first, then the machine, then the figures, then how to read them and where to read
 * on. */
#ifndef REPORT_SHOW_H
#define REPORT_SHOW_H

#include "base/text.h"
#include "record/record.h"
#include "report/style.h"

/* Characters of a run's id that stand for it in text: the milliseconds of its time, which no other run of a book has. */
enum { SHOW_ID_LENGTH = 13 };

/* Nothing of the run reaches out unescaped. 0, or -ENOMEM and what libsmartcols else may say. */
int show_run(const struct run *run, const struct show_style *style, struct text *out);

/* Only the head: "142 figures: 120 ok, 15 noisy, …" and what disturbed them. For the end of a run and for lists. */
void show_verdicts(const struct run *run, const struct show_style *style, struct text *out);

#endif
