#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/buffer.h"

static void a_buffer_is_zero_writable_and_aligned(void **state)
{
	struct buffer buffer;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(buffer_map(&buffer, 100000, BUFFER_BASE, &err), 0);
	assert_int_equal((uintptr_t)buffer.at % (size_t)sysconf(_SC_PAGESIZE), 0);
	assert_int_equal(buffer.bytes, 100000);
	for (size_t i = 0; i < buffer.bytes; i++)
		assert_int_equal(buffer.at[i], 0);
	memset(buffer.at, 1, buffer.bytes);
	assert_null(buffer_remark(&buffer));
	buffer_done(&buffer);
	assert_null(buffer.at);
	buffer_done(&buffer);
}

static void growing_keeps_address_and_contents(void **state)
{
	struct buffer buffer;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(buffer_reserve(&buffer, 4096, 16 << 20, BUFFER_BASE, &err), 0);
	assert_int_equal(buffer_grow(&buffer, 4096, &err), 0);
	unsigned char *at = buffer.at;
	memset(at, 7, 4096);
	assert_int_equal(buffer_grow(&buffer, 8 << 20, &err), 0);
	assert_ptr_equal(buffer.at, at);
	for (size_t i = 0; i < 4096; i++)
		assert_int_equal(at[i], 7);
	assert_int_equal(at[(8 << 20) - 1], 0);
	assert_int_equal(buffer_grow(&buffer, 100, &err), 0);
	assert_int_equal(buffer.bytes, 8 << 20);
	buffer_done(&buffer);
}

/* Whether huge pages are given is the kernel's business; that the buffer says which, is ours. Pages of a huge page lie
 * side by side in core, so only the claim and its counter can be held against each other here. */
static void what_pages_were_given_is_said(void **state)
{
	struct buffer buffer;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(buffer_map(&buffer, 4 << 20, BUFFER_HUGE, &err), 0);
	assert_true(buffer.huge_bytes <= buffer.committed);
	assert_true((buffer_remark(&buffer) == NULL) == (buffer.huge_bytes == buffer.committed));
	buffer_done(&buffer);
}

static void more_than_there_is_is_an_error_with_a_sentence(void **state)
{
	struct buffer buffer;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(buffer_reserve(&buffer, 4096, 1 << 20, BUFFER_BASE, &err), 0);
	assert_int_equal(buffer_grow(&buffer, 1 << 30, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "1g"));
	buffer_done(&buffer);

	err.text[0] = '\0';
	assert_true(buffer_map(&buffer, (size_t)1 << 46, BUFFER_BASE, &err) < 0);
	assert_true(err.text[0] != '\0');
	buffer_done(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_is_zero_writable_and_aligned),
		cmocka_unit_test(growing_keeps_address_and_contents),
		cmocka_unit_test(what_pages_were_given_is_said),
		cmocka_unit_test(more_than_there_is_is_an_error_with_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
