/* A small streaming JSON writer: commas and nesting are its business, order is the caller's.
 *
 * Doubles are written as the shortest text that reads back as the same value, with a dot whatever the locale says;
 * a value JSON cannot hold (NaN, infinity) becomes null, because here such a value always means "not measured".
 * Text that is not UTF-8 has its bad bytes replaced by U+FFFD.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json {
	struct text *out;
	unsigned depth;
	uint64_t filled; /* bit d: something was already written at depth d (64 levels at most) */
	uint64_t arrays; /* bit d: depth d is an array */
	bool pretty; /* two-space indents and line ends */
};

void json_init(struct json *json, struct text *out, bool pretty);

/* Jansson, which reads what is written here, has functions of these names too: other symbols keep the linker from
 * giving one's callers the other's. No file can include both headers. */
#define JSON_SYMBOL(name) __asm__("assay_" #name)

/* key: NULL inside an array or at the top. */
void json_object(struct json *json, const char *key) JSON_SYMBOL(json_object);
void json_array(struct json *json, const char *key) JSON_SYMBOL(json_array);
void json_end(struct json *json); /* closes the innermost object or array */

void json_text(struct json *json, const char *key, const char *value); /* NULL value writes null */
void json_double(struct json *json, const char *key, double value);
void json_int(struct json *json, const char *key, int64_t value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key) JSON_SYMBOL(json_null);
void json_raw(struct json *json, const char *key, const char *document); /* a finished JSON value, copied as it is */

#endif
