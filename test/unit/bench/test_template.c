/* The bench that others are copied from is one that works, alone and under the harness. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"
#include "harness/point.h"
#include "harness/worker.h"

static void test_it_does_what_it_says_in_each_variant(void **state)
{
	(void)state;
	for (unsigned variant = 0; variant < 2; variant++) {
		struct drive drive;
		uint64_t size = 200;

		assert_int_equal(drive_begin(&drive, "example.random", variant, NULL, &size, 1), 0);
		drive_run(&drive, 3);
		drive_run(&drive, 40);
		assert_int_equal(drive_check(&drive, 43), 0);
		assert_int_equal(drive_check(&drive, 44), -EIO);
		assert_string_equal(drive.err.text, "8600 random bytes instead of 8800");
		drive_end(&drive);
	}
}

static void test_its_points_are_named_by_variant_and_params(void **state)
{
	struct err err = { "" };
	struct spec spec;

	(void)state;
	assert_int_equal(spec_parse("example.random:device", &spec, &err), 0);
	auto_free char *id = spec_format(&spec);
	assert_string_equal(id, "example.random:device/size=16");
	assert_string_equal(spec_title(&spec), "a read from /dev/urandom");
	assert_int_equal(spec_parse("example.random/size=257", &spec, &err), -EINVAL);
	assert_int_equal(spec_parse("example.random/place=cross", &spec, &err), -EINVAL);
}

enum { TICK_NS = 50000, OPS = 50 };

/* Every batch takes a tick, and so does every look at the time. */
static uint64_t ticking(void *arg)
{
	uint64_t *now = arg;

	return *now += TICK_NS;
}

/* The point as a worker in this process leaves it. */
static struct slab_point measure(const char *id)
{
	struct err err = { "" };
	uint64_t now = 0;
	const struct sampler_clock clock = { .now_ns = ticking, .arg = &now };
	int fd = -1;
	struct slab *slab = slab_new(&fd, &err);

	assert_non_null(slab);
	slab->seed = 1;
	slab->cpu = slab->peer_cpu = -1;
	slab->batch_ns = TICK_NS;
	slab->measure_ns = 60 * TICK_NS;
	slab->points = 1;
	slab->point[0].n = OPS;
	snprintf(slab->point[0].id, sizeof slab->point[0].id, "%s", id);
	worker_measure(slab, &clock);
	struct slab_point point = slab->point[0];
	assert_int_equal(slab->finished, 1);
	for (uint64_t i = 0; i < point.batches; i++)
		assert_true(slab->value[point.first + i] == (double)TICK_NS / OPS);
	slab_free(slab);
	close(fd);
	return point;
}

static void test_a_worker_measures_it(void **state)
{
	const char *const id[] = { "example.random:getrandom/size=1", "example.random:device/size=256" };

	(void)state;
	for (size_t i = 0; i < countof(id); i++) {
		struct slab_point point = measure(id[i]);
		assert_string_equal(point.reason, "");
		assert_int_equal(point.state, SLAB_MEASURED);
		assert_int_equal(point.n, OPS);
		assert_int_equal(point.batches, 20); /* three looks at the time each */
		assert_true(point.bytes == 0);       /* it has no .bytes */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_does_what_it_says_in_each_variant),
		cmocka_unit_test(test_its_points_are_named_by_variant_and_params),
		cmocka_unit_test(test_a_worker_measures_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
