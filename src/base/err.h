/* Errors: one sentence, outermost words first.
 *
 * Convention of the whole program: functions that can fail return a negative errno value and, where the caller
 * handed them a struct err, leave one sentence in it that names the thing, the value, what was expected and what to
 * do. A NULL struct err is allowed everywhere: the caller then wants the code only.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	char text[512];
};

/* Sets the sentence and returns code (a negative errno), so that "return err_set(err, -EINVAL, …)" reads well. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As err_set, with ": " and the words of errno value -code behind. */
int err_sys(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "words: " before what is there already; returns code. */
int err_wrap(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
