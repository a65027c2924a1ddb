#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"

enum { MAX_DEPTH = 63 };

void json_init(struct json *json, struct text *out, bool pretty)
{
	*json = (struct json){ .out = out, .pretty = pretty };
}

static void line(struct json *json)
{
	if (json->pretty)
		text_add(json->out, "\n%*s", 2 * (int)json->depth, "");
}

/* The length of a well-formed UTF-8 sequence at s, 0 when there is none (Unicode 15, table 3-7). */
static size_t utf8_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return (s[1] & 0xc0) == 0x80 ? 2 : 0;
	if (s[0] >= 0xe0 && s[0] <= 0xef) {
		unsigned char low = s[0] == 0xe0 ? 0xa0 : 0x80, high = s[0] == 0xed ? 0x9f : 0xbf;
		return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 ? 3 : 0;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		unsigned char low = s[0] == 0xf0 ? 0x90 : 0x80, high = s[0] == 0xf4 ? 0x8f : 0xbf;
		return s[1] >= low && s[1] <= high && (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80 ? 4 : 0;
	}
	return 0;
}

static void quoted(struct json *json, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	text_add(json->out, "\"");
	while (*s) {
		size_t length = utf8_length(s);
		if (!length) {
			text_add(json->out, "\\ufffd");
			length = 1;
		} else if (*s == '"' || *s == '\\') {
			text_add(json->out, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			text_add(json->out, "\\u%04x", *s);
		} else {
			text_bytes(json->out, s, length);
		}
		s += length;
	}
	text_add(json->out, "\"");
}

static void begin(struct json *json, const char *key)
{
	if (json->filled & (UINT64_C(1) << json->depth))
		text_add(json->out, ",");
	json->filled |= UINT64_C(1) << json->depth;
	if (json->depth)
		line(json);
	if (!key)
		return;
	quoted(json, key);
	text_add(json->out, json->pretty ? ": " : ":");
}

static void open_level(struct json *json, const char *key, char bracket)
{
	assert(json->depth < MAX_DEPTH);
	begin(json, key);
	text_add(json->out, "%c", bracket);
	json->depth++;
	json->filled &= ~(UINT64_C(1) << json->depth);
	json->arrays = bracket == '[' ? json->arrays | UINT64_C(1) << json->depth
				      : json->arrays & ~(UINT64_C(1) << json->depth);
}

void json_object(struct json *json, const char *key)
{
	open_level(json, key, '{');
}

void json_array(struct json *json, const char *key)
{
	open_level(json, key, '[');
}

void json_end(struct json *json)
{
	assert(json->depth > 0);
	bool filled = json->filled & (UINT64_C(1) << json->depth);
	bool array = json->arrays & (UINT64_C(1) << json->depth);
	json->depth--;
	if (filled)
		line(json);
	text_add(json->out, "%c", array ? ']' : '}');
}

void json_text(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	if (value)
		quoted(json, value);
	else
		text_add(json->out, "null");
}

void json_double(struct json *json, const char *key, double value)
{
	char number[FORMAT_DOUBLE];

	begin(json, key);
	text_add(json->out, "%s", isfinite(value) ? format_double(number, value) : "null");
}

void json_int(struct json *json, const char *key, int64_t value)
{
	begin(json, key);
	text_add(json->out, "%" PRId64, value);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	text_add(json->out, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	text_add(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin(json, key);
	text_add(json->out, "null");
}

void json_raw(struct json *json, const char *key, const char *document)
{
	begin(json, key);
	text_add(json->out, "%s", document && *document ? document : "null");
}
