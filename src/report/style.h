/* How a report is to look. What the terminal can do is found out in cmd/; here it is only obeyed. */
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

#include <stdbool.h>

struct show_style {
	unsigned width;  /* columns of the terminal; 0 means 80 */
	bool color;      /* ECMA-48 colour sequences may be written */
	bool utf8;       /* µ, ± and – may be written; LC_CTYPE must then be a UTF-8 locale, else ASCII is used */
	bool long_form;  /* one line a figure, with its point, rounds, samples and noise; every condition */
	bool points;     /* every point of the run instead of the classic tables */

	/* For hints that can be pasted: how the program was called (NULL: "assay"), and the book if it was named. */
	const char *program, *book;
};

#endif
