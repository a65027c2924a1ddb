/* One classic table as text. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/text.h"
#include "record/record.h"
#include "report/classic.h"
#include "report/style.h"

/* The classic row of numbers with its interval and verdicts beneath, or, where the width is too small or the long form
 * is wanted, one line a figure; then the reasons. 0 or -errno. */
int table_draw(const struct run *run, const struct classic_table *table, const struct show_style *style,
	       struct text *out);

#endif
