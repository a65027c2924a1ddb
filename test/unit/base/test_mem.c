#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

static void new_memory_is_zero_even_for_nothing(void **state)
{
	auto_free unsigned char *some = mem_new(1000, 3);
	auto_free unsigned char *none = mem_new(0, 8);

	(void)state;
	for (unsigned i = 0; i < 3000; i++)
		assert_int_equal(some[i], 0);
	assert_non_null(none);
}

static void room_keeps_what_is_there(void **state)
{
	size_t capacity = 0;
	unsigned *array = NULL;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		array = mem_room(array, i, &capacity, sizeof *array);
		assert_true(capacity > i);
		array[i] = i;
	}
	for (unsigned i = 0; i < 10000; i++)
		assert_int_equal(array[i], i);
	mem_free_ptr(&array);
}

static void texts_are_copied_and_made(void **state)
{
	auto_free char *copy = mem_copy("abc");
	auto_free char *made = mem_text("%d %s", 5, "x");

	(void)state;
	assert_string_equal(copy, "abc");
	assert_string_equal(made, "5 x");
	assert_null(mem_copy(NULL));
}

static void impossible_requests_end_the_program_with_one_line(void **state)
{
	char line[200] = "";
	int out[2], status = 0;

	(void)state;
	assert_int_equal(pipe(out), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(out[1], STDERR_FILENO);
		mem_grow(NULL, SIZE_MAX / 2, 4);
		_exit(0);
	}
	close(out[1]);
	assert_true(read(out[0], line, sizeof line - 1) > 0);
	close(out[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_string_equal(line, "assay: out of memory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_memory_is_zero_even_for_nothing),
		cmocka_unit_test(room_keeps_what_is_there),
		cmocka_unit_test(texts_are_copied_and_made),
		cmocka_unit_test(impossible_requests_end_the_program_with_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
