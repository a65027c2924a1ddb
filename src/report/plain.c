#include "report/plain.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"

static const struct {
	uint32_t code;
	const char *ascii;
} spelled[] = {
	{ 0x00a0, " " },   { 0x00b0, " deg" }, { 0x00b1, "+-" },  { 0x00b2, "^2" },  { 0x00b5, "u" },   { 0x00b7, "-" },
	{ 0x00d7, "x" },   { 0x03bc, "u" },    { 0x2013, "-" },   { 0x2014, "-" },   { 0x2018, "'" },   { 0x2019, "'" },
	{ 0x201c, "\"" },  { 0x201d, "\"" },   { 0x2022, "*" },   { 0x2026, ".." },  { 0x2192, "->" },  { 0x2212, "-" },
	{ 0x2248, "~" },   { 0x2264, "<=" },   { 0x2265, ">=" },  { 0x00bd, "1/2" }, { 0x202f, " " },   { 0x2009, " " },
};

/* Decodes one character of strict UTF-8 (RFC 3629: no overlong forms, no surrogates). Bytes it takes, 0 if bad. */
static size_t decode(const unsigned char *at, uint32_t *ret_code)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = at[0] < 0x80 ? 1 : (at[0] & 0xe0) == 0xc0 ? 2 : (at[0] & 0xf0) == 0xe0 ? 3 :
			(at[0] & 0xf8) == 0xf0 ? 4 : 0;
	uint32_t code = length == 1 ? at[0] : length ? at[0] & (0x7fu >> length) : 0;

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80) /* the terminating NUL stops here too */
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (!length || code < lowest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return length;
}

/* Line and paragraph separators, the overrides of writing direction (UAX #9), and characters nobody sees. */
static bool is_hidden(uint32_t code)
{
	return (code >= 0x80 && code < 0xa0) || code == 0xad || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff9 && code <= 0xfffb) || code >= 0xe0000;
}

static void add_ascii(struct text *out, uint32_t code)
{
	for (size_t i = 0; i < countof(spelled); i++) {
		if (spelled[i].code == code) {
			text_add(out, "%s", spelled[i].ascii);
			return;
		}
	}
	text_add(out, "?");
}

void plain_add(struct text *out, const char *raw, bool utf8)
{
	const unsigned char *at = (const unsigned char *)(raw ? raw : "");

	while (*at) {
		uint32_t code = 0;
		size_t length = decode(at, &code);
		if (!length)
			text_add(out, "\\x%02x", *at);
		else if (code == '\n' || code == '\t' || code == '\r')
			text_add(out, " ");
		else if (code < 0x20 || code == 0x7f)
			text_add(out, "\\x%02x", code);
		else if (is_hidden(code))
			text_add(out, "\\u%04x", code);
		else if (code >= 0x80 && !utf8)
			add_ascii(out, code);
		else
			text_bytes(out, at, length);
		at += length ? length : 1;
	}
}

char *plain_copy(const char *raw, bool utf8)
{
	struct text text = { 0 };

	plain_add(&text, raw, utf8);
	return text_take(&text);
}

size_t plain_width(const char *plain)
{
	size_t width = 0;
	mbstate_t state = { 0 };

	while (*plain) {
		wchar_t wide;
		size_t length = mbrtowc(&wide, plain, strlen(plain), &state);
		if (length == 0 || length > strlen(plain)) {
			/* not text in this locale: count what begins a UTF-8 character */
			state = (mbstate_t){ 0 };
			width += ((unsigned char)*plain++ & 0xc0) != 0x80;
			continue;
		}
		int columns = wcwidth(wide);
		width += columns > 0 ? (size_t)columns : 0;
		plain += length;
	}
	return width;
}
