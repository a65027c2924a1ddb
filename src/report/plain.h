/* The one door through which text reaches a report: nothing a terminal would obey gets through.
 *
 * Names, reasons and machine descriptions come from outside (a user, a kernel, another machine's record). Control
 * characters, escape sequences, bytes that are not UTF-8 and the characters that turn the writing direction around are
 * written in the visible form \x1b or \u202e; line ends and tabs become blanks.
 */
#ifndef REPORT_PLAIN_H
#define REPORT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* utf8 false: what ASCII lacks is spelled ("µ" → "u", "–" → "-", "±" → "+-"), the rest becomes "?". NULL adds
 * nothing. */
void plain_add(struct text *out, const char *raw, bool utf8);

/* The same as a string of its own; the caller frees. */
char *plain_copy(const char *raw, bool utf8);

/* Columns of a terminal that already plain text fills; without a UTF-8 locale each character counts one. */
size_t plain_width(const char *plain);

#endif
