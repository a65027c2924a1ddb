/* Numbers for people: as many digits as their interval gives reason for. */
#ifndef REPORT_NUMBER_H
#define REPORT_NUMBER_H

#include <stdbool.h>

enum { NUMBER_TEXT = 48 };

/* The power of ten of the last digit worth showing: that of the leading digit of half the interval, so that what is
 * not known is not printed; yet two significant digits always, three behind a leading 1, or rounding would change the
 * value. Without an interval three. Of a value that is a choice among whole numbers (exact: bytes, pages) every digit
 * before the point, and three at least unless it is whole. At most six significant digits in any case. */
int number_place(double value, double low, double high, bool exact);

enum number_rounding { NUMBER_NEAREST, NUMBER_DOWN, NUMBER_UP };

/* value rounded to 10^place, always with a dot, no exponent; "" for NaN and infinity. Bounds are rounded outwards, so
 * that the interval shown never claims more than the one computed. */
char *number_format(char out[NUMBER_TEXT], double value, int place, enum number_rounding rounding);

/* Half the interval in percent of the value, two digits ("1.5", "12", "0.02"); "" when there is none. */
char *number_percent(char out[NUMBER_TEXT], double value, double low, double high);

bool number_has_interval(double low, double high);

#endif
