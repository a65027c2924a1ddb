#include "cmd/bench_words.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/mem.h"
#include "base/text.h"

const char *bench_unit_word(enum bench_unit unit)
{
	static const char *const words[] = { [BENCH_NS] = "ns", [BENCH_BYTES_PER_SEC] = "B/s", [BENCH_HZ] = "Hz" };

	return words[unit];
}

const char *bench_need_word(unsigned bit)
{
	static const char *const words[] = { "root", "loopback", "scratch", "shell" };

	return bit < countof(words) ? words[bit] : NULL;
}

const char *param_type_word(enum param_type type)
{
	static const char *const words[] = { "count", "size", "choice" };

	return words[type];
}

char *param_value_word(const struct param *param, uint64_t value)
{
	char size[FORMAT_SIZE];

	switch (param->type) {
	case PARAM_SIZE:
		return mem_copy(value == PARAM_MEMORY ? "memory" : format_size(size, value));
	case PARAM_CHOICE:
		for (uint64_t i = 0; param->choices[i]; i++) {
			if (i == value)
				return mem_copy(param->choices[i]);
		}
		return mem_copy("?");
	default:
		return mem_text("%" PRIu64, value);
	}
}

char *param_range_words(const struct param *param)
{
	struct text words = { 0 };

	if (param->type == PARAM_CHOICE) {
		for (const char *const *choice = param->choices; *choice; choice++)
			text_add(&words, "%s%s", words.length ? "|" : "", *choice);
		return text_take(&words);
	}
	auto_free char *low = param_value_word(param, param->low);
	auto_free char *high = param_value_word(param, param->high);
	text_add(&words, "%s … %s", low, high);
	return text_take(&words);
}

/* Behind a '/': each key is a param of the bench; values are not looked at. */
static bool has_params(const struct bench *bench, const char *pairs)
{
	auto_free char *copy = mem_copy(pairs);
	char *rest = copy, *pair;

	while ((pair = strsep(&rest, ","))) {
		bool known = bench->peers && !strncmp(pair, "place=", 6);
		size_t length = strcspn(pair, "=");
		for (const struct param *param = bench->params; param && param->name && !known; param++)
			known = pair[length] && strlen(param->name) == length && !strncmp(param->name, pair, length);
		if (!known)
			return false;
	}
	return true;
}

bool bench_is_selected(const struct bench *bench, const char *selector, char **ret_variant)
{
	size_t length = strcspn(selector, ":/"), whole = strcspn(selector, "/");
	auto_free char *name = mem_text("%.*s", (int)length, selector);
	size_t room = strcspn(name, ".");
	bool whole_room = room == strlen(name) && !strncmp(bench->name, name, room) && bench->name[room] == '.';

	if (bench->hidden && !(room == 4 && !strncmp(name, "self", room)))
		return false;
	if (!whole_room && fnmatch(name, bench->name, 0))
		return false;
	if (selector[whole] && !has_params(bench, selector + whole + 1))
		return false;
	if (length == whole) {
		if (ret_variant)
			*ret_variant = NULL;
		return true;
	}
	auto_free char *pattern = mem_text("%.*s", (int)(whole - length - 1), selector + length + 1);
	for (const struct variant *variant = bench->variants; variant && variant->name; variant++) {
		if (fnmatch(pattern, variant->name, 0))
			continue;
		if (ret_variant)
			*ret_variant = mem_copy(pattern);
		return true;
	}
	return false;
}
