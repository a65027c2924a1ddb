#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/root.h"

static char tree[] = "/tmp/assay-root-XXXXXX";

static void put(const char *path, const void *bytes, size_t length)
{
	auto_free char *full = mem_text("%s%s", tree, path);

	for (char *slash = strchr(full + strlen(tree) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	FILE *file = fopen(full, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static int plant(void **state)
{
	(void)state;
	if (!mkdtemp(tree))
		return -1;
	put_text("/proc/meminfo",
		 "MemTotal:       16384 kB\nMemFree:  12 kB\nMem: 3\n\nNothing:\nHugepagesize: 2048 kB\n");
	put_text("/sys/devices/cpu0/id", "7\n");
	put_text("/sys/devices/cpu0/octal", "010\n");
	put_text("/sys/devices/cpu0/nine", "09\n");
	put_text("/sys/devices/cpu0/hex", "0x1F\n");
	put_text("/sys/devices/cpu0/negative", "-1\n");
	put_text("/sys/devices/cpu0/huge", "99999999999999999999999\n");
	put_text("/sys/devices/cpu0/size", "32768K");
	put_text("/sys/devices/cpu0/empty", "");
	put_text("/sys/devices/cpu0/blank", "\n\n");
	put("/sys/devices/cpu0/binary", "\0\1\2", 3);
	put_text("/sys/devices/cpu10/id", "1");
	put_text("/sys/devices/cpu2/id", "1");
	root_set(tree);
	return 0;
}

static int clear(void **state)
{
	auto_free char *command = mem_text("rm -rf %s", tree);

	(void)state;
	root_set(NULL);
	return system(command);
}

static void a_file_is_read_without_its_last_line_end(void **state)
{
	auto_free char *id = NULL, *empty = NULL, *blank = NULL, *size = NULL;

	(void)state;
	assert_int_equal(root_read("/sys/devices/cpu0/id", &id), 0);
	assert_string_equal(id, "7");
	assert_int_equal(root_read("/sys/devices/cpu0/empty", &empty), 0);
	assert_string_equal(empty, "");
	assert_int_equal(root_readf(&blank, "/sys/devices/cpu%d/%s", 0, "blank"), 0);
	assert_string_equal(blank, "\n");
	assert_int_equal(root_read("/sys/devices/cpu0/size", &size), 0);
	assert_string_equal(size, "32768K");
}

static void a_long_file_is_read_whole(void **state)
{
	enum { LENGTH = 300001 };
	auto_free char *text = mem_new(LENGTH + 1, 1), *back = NULL;

	(void)state;
	for (unsigned i = 0; i < LENGTH; i++)
		text[i] = (char)('a' + i % 26);
	put("/proc/long", text, LENGTH);
	assert_int_equal(root_read("/proc/long", &back), 0);
	assert_string_equal(back, text);
}

static void what_cannot_be_read_says_why_and_writes_nothing(void **state)
{
	char *text = NULL;
	uint64_t value = 42;
	char long_name[700];

	(void)state;
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	assert_int_equal(root_read("/proc/missing", &text), -ENOENT);
	assert_int_equal(root_read("/proc", &text), -EISDIR);
	assert_int_equal(root_readf(&text, "/proc/%s", long_name), -ENAMETOOLONG);
	assert_int_equal(root_number(&value, "/proc/missing"), -ENOENT);
	assert_int_equal(root_number(&value, "/proc/%s", long_name), -ENAMETOOLONG);
	assert_int_equal(root_field("/proc/missing", "x", &value), -ENOENT);
	assert_null(text);
	assert_int_equal(value, 42);
}

static void numbers_are_decimal_unless_they_say_0x(void **state)
{
	static const struct {
		const char *name;
		int r;
		uint64_t value;
	} row[] = { { "id", 0, 7 }, { "octal", 0, 10 }, { "nine", 0, 9 }, { "hex", 0, 31 }, { "size", 0, 32768 },
		    { "negative", -EINVAL, 42 }, { "empty", -EINVAL, 42 }, { "blank", -EINVAL, 42 },
		    { "binary", -EINVAL, 42 }, { "huge", -ERANGE, 42 } };

	(void)state;
	for (size_t i = 0; i < countof(row); i++) {
		uint64_t value = 42;
		assert_int_equal(root_number(&value, "/sys/devices/cpu0/%s", row[i].name), row[i].r);
		assert_int_equal(value, row[i].value);
	}
}

static void a_field_is_found_by_its_whole_name_on_its_own_line(void **state)
{
	uint64_t value = 42;

	(void)state;
	assert_int_equal(root_field("/proc/meminfo", "Nothing", &value), -EINVAL);
	assert_int_equal(root_field("/proc/meminfo", "emTotal", &value), -ENOENT);
	assert_int_equal(root_field("/proc/meminfo", "MemTota", &value), -ENOENT);
	assert_int_equal(value, 42);
	assert_int_equal(root_field("/proc/meminfo", "MemTotal", &value), 0);
	assert_int_equal(value, 16384);
	assert_int_equal(root_field("/proc/meminfo", "Mem", &value), 0);
	assert_int_equal(value, 3);
	assert_int_equal(root_field("/proc/meminfo", "Hugepagesize", &value), 0);
	assert_int_equal(value, 2048);
}

static void names_are_listed_in_order_and_ended_by_an_empty_one(void **state)
{
	static const char wanted[] = "cpu0\0cpu10\0cpu2\0";
	auto_free char *names = NULL, *none = NULL;

	(void)state;
	assert_int_equal(root_list("/sys/devices", &names), 3);
	assert_memory_equal(names, wanted, sizeof wanted);
	assert_int_equal(root_list("/missing", &none), -ENOENT);
	assert_int_equal(root_list("/proc/meminfo", &none), -ENOTDIR);
	auto_free char *directory = mem_text("%s/void", tree);
	mkdir(directory, 0755);
	assert_int_equal(root_list("/void", &none), 0);
	assert_string_equal(none, "");
}

static void the_real_machine_and_a_recorded_one_are_told_apart(void **state)
{
	auto_free char *path = root_path("/proc/stat");

	(void)state;
	assert_true(root_is_recorded());
	assert_int_equal(strncmp(path, tree, strlen(tree)), 0);
	assert_true(root_exists("/proc/meminfo"));
	assert_false(root_exists("/proc/self"));
	root_set("");
	assert_false(root_is_recorded());
	assert_true(root_exists("/dev/null"));
	root_set(tree);
	assert_true(root_is_recorded());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_without_its_last_line_end),
		cmocka_unit_test(a_long_file_is_read_whole),
		cmocka_unit_test(what_cannot_be_read_says_why_and_writes_nothing),
		cmocka_unit_test(numbers_are_decimal_unless_they_say_0x),
		cmocka_unit_test(a_field_is_found_by_its_whole_name_on_its_own_line),
		cmocka_unit_test(names_are_listed_in_order_and_ended_by_an_empty_one),
		cmocka_unit_test(the_real_machine_and_a_recorded_one_are_told_apart),
	};

	return cmocka_run_group_tests(tests, plant, clear);
}
