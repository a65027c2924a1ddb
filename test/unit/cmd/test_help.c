/* What `assay help` says of benches comes from their files, and no bench goes without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cmd/help.h"
#include "harness/bench_doc.h"
#include "harness/registry.h"

static const char *doc_named(const char *name)
{
	for (const struct bench_doc *doc = bench_docs; doc->name; doc++) {
		if (!strcmp(doc->name, name))
			return doc->text;
	}
	return NULL;
}

static void every_bench_says_what_one_operation_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < registry_count(); i++) {
		const struct bench *bench = registry_at(i);
		const char *text = doc_named(bench->name);
		if (!text)
			fail_msg("%s: its file does not begin with a comment", bench->name);
		if (!bench->hidden && !strstr(text, "operation"))
			fail_msg("%s: its comment does not say what one operation is", bench->name);
		if (strstr(text, "*/") || strstr(text, "\n *") || strstr(text, "\n\n\n"))
			fail_msg("%s: its comment was not taken apart: %s", bench->name, text);
	}
}

static void every_comment_belongs_to_a_bench(void **state)
{
	size_t count = 0;

	(void)state;
	for (const struct bench_doc *doc = bench_docs; doc->name; doc++, count++) {
		if (!registry_find(doc->name))
			fail_msg("%s: a comment, but no such bench", doc->name);
	}
	assert_int_equal(count, registry_count());
}

/* Each is a place where the awk that made the table could have gone wrong. */
static void help_shows_the_comment(void **state)
{
	static const struct {
		const char *bench, *words;
	} expected[] = {
		{ "ipc.pipe", "\nOne message to another process and back, over two pipes.\n" },
		{ "mem.latency", "\n  forward  ascending addresses;" },
		{ "cpu.op", "\n  int*_mod    x = a % m | high:" },
		{ "cpu.op", "\"bogomflops\"" },
		{ "proc.signal", "\n\nNot counted: making the page.\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		auto_text struct text out = { 0 };
		help_bench(registry_find(expected[i].bench), &out);
		if (!strstr(text_get(&out), expected[i].words))
			fail_msg("%s: no \"%s\" in:\n%s", expected[i].bench, expected[i].words, text_get(&out));
	}
}

static void folders_list_their_benches(void **state)
{
	auto_text struct text out = { 0 };

	(void)state;
	assert_true(help_folder("ipc", &out));
	assert_non_null(strstr(text_get(&out), "ipc.pipe"));
	assert_null(strstr(text_get(&out), "net."));
	assert_false(help_folder("ip", &out));
	assert_false(help_folder("", &out));
	assert_false(help_folder("ipc.pipe", &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bench_says_what_one_operation_is),
		cmocka_unit_test(every_comment_belongs_to_a_bench),
		cmocka_unit_test(help_shows_the_comment),
		cmocka_unit_test(folders_list_their_benches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
