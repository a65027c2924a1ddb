#include "machine/machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/mem.h"
#include "base/root.h"
#include "recorded.h"

static struct machine machine;

static void begin(const char *name)
{
	recorded_begin(name);
	machine_read(&machine, NULL);
}

static void end(void)
{
	machine_done(&machine);
	recorded_end();
}

static bool lacks(const char *what)
{
	for (size_t i = 0; i < machine.lacks; i++) {
		if (!strcmp(machine.lack[i].what, what))
			return *machine.lack[i].why != '\0';
	}
	return false;
}

static void a_server_is_described_in_full(void **state)
{
	(void)state;
	begin("two-socket");
	assert_string_equal(machine.hostname, "db1");
	assert_string_equal(machine.os, "Red Hat Enterprise Linux 9.4 (Plow)");
	assert_string_equal(machine.cpu.architecture, "x86_64");
	assert_string_equal(machine.cpu.model, "Intel(R) Xeon(R) Gold 6134 CPU @ 3.20GHz");
	assert_string_equal(machine.cpu.stepping, "family 6 model 85 stepping 4");
	assert_string_equal(machine.cpu.microcode, "0x2007006");
	assert_string_equal(machine.frequency.driver, "intel_pstate");
	assert_string_equal(machine.frequency.governor, "performance");
	assert_int_equal(machine.frequency.boost, KNOWN_YES); /* no_turbo is 0 */
	assert_int_equal(machine.frequency.max_hz, 3700000000);
	assert_string_equal(machine.kernel.release, "5.14.0-427.el9.x86_64");
	assert_string_equal(machine.kernel.preemption, "none"); /* from preempt= on the command line */
	assert_string_equal(machine.kernel.clocksources, "tsc hpet acpi_pm");
	assert_string_equal(machine.kernel.smt, "on");
	assert_int_equal(machine.kernel.aslr, 2);
	assert_int_equal(machine.kernel.numa_balancing, 1);
	assert_int_equal(machine.kernel.timer_slack_ns, 50000);
	assert_string_equal(machine.virt.hypervisor, "none");
	assert_string_equal(machine.virt.container, "none");
	assert_string_equal(machine.virt.emulation, "none");
	assert_string_equal(machine.virt.product, "Dell Inc. PowerEdge R740");
	assert_true(isinf(machine.virt.cpu_quota));
	assert_int_equal(machine.mitigations, 3);
	assert_string_equal(machine.mitigation[2].name, "meltdown");
	assert_string_equal(machine.mitigation[2].state, "Mitigation: PTI");
	assert_int_equal(machine_has_loopback(), KNOWN_YES);
	end();
}

static void a_big_little_board_is_named_by_its_cores(void **state)
{
	(void)state;
	begin("big-little");
	assert_string_equal(machine.cpu.architecture, "aarch64");
	assert_string_equal(machine.cpu.model, "Cortex-A72 + Cortex-A53");
	assert_string_equal(machine.cpu.vendor, "Arm");
	assert_string_equal(machine.kernel.release, "6.6.30");
	assert_string_equal(machine.kernel.version, "#3 SMP PREEMPT Tue May  7 2024"); /* out of /proc/version */
	assert_string_equal(machine.kernel.preemption, "full");
	assert_string_equal(machine.virt.product, "Radxa ROCK Pi 4B");
	assert_int_equal(machine.frequency.boost, KNOWN_NO);
	assert_true(lacks("cpu.microcode"));
	end();
}

static void a_riscv_board_has_an_isa_string_and_no_package(void **state)
{
	(void)state;
	begin("riscv");
	assert_string_equal(machine.cpu.architecture, "riscv64");
	assert_string_equal(machine.cpu.model, "sifive,u74-mc");
	assert_non_null(strstr(machine.cpu.isa, "rv64imafdc"));
	assert_string_equal(machine.kernel.preemption, "none or voluntary");
	assert_true(lacks("topology.packages"));
	assert_true(lacks("memory.page_bytes"));
	end();
}

static void a_mainframe_is_read_out_of_its_own_form_of_cpuinfo(void **state)
{
	(void)state;
	begin("s390x");
	assert_string_equal(machine.cpu.architecture, "s390x");
	assert_string_equal(machine.cpu.model, "IBM Z machine type 3931");
	assert_string_equal(machine.virt.hypervisor, "zvm");
	end();
}

static void a_guest_names_its_hypervisor_and_lacks_cpufreq(void **state)
{
	(void)state;
	begin("guest");
	assert_string_equal(machine.virt.hypervisor, "kvm"); /* QEMU alone would not say; the kvm-clock does */
	assert_true(isnan(machine.virt.cpu_quota));
	assert_true(lacks("virtual.cpu_quota"));
	assert_true(lacks("frequency"));
	assert_string_equal(machine.kernel.preemption, "dynamic");
	assert_false(machine_is_emulated(&machine));
	end();
}

static void containers_are_named(void **state)
{
	(void)state;
	begin("container-v2");
	assert_string_equal(machine.virt.container, "docker");
	assert_string_equal(machine.virt.hypervisor, "kvm"); /* EC2, and the product is no .metal */
	assert_true(fabs(machine.virt.cpu_quota - 1.5) < 1e-9);
	end();
	begin("container-v1");
	assert_string_equal(machine.virt.container, "kubernetes");
	end();
}

static void without_sys_proc_alone_describes_the_machine(void **state)
{
	(void)state;
	begin("no-sys");
	assert_string_equal(machine.cpu.architecture, "x86_64");
	assert_string_equal(machine.kernel.release, "3.10.0");
	assert_int_equal(machine.topology.packages, 2);
	assert_true(lacks("topology.caches"));
	assert_true(lacks("mitigations"));
	end();
}

static void an_old_kernels_preemption_is_in_its_configuration(void **state)
{
	(void)state;
	begin("no-cpufreq");
	assert_string_equal(machine.kernel.preemption, "voluntary");
	assert_string_equal(machine.virt.hypervisor, "none");
	end();
}

static void nothing_of_the_machine_underneath_enters_a_recorded_one(void **state)
{
	struct utsname name;

	(void)state;
	assert_int_equal(uname(&name), 0);
	begin("no-proc");
	assert_null(machine.hostname);
	assert_null(machine.kernel.release);
	assert_null(machine.kernel.version);
	assert_null(machine.cpu.architecture);
	assert_null(machine.build.libc);
	assert_null(machine.timer.name);
	assert_int_equal(machine.kernel.timer_slack_ns, -1);
	assert_int_equal(machine.memory.total_bytes, 0);
	assert_int_equal(machine_has_loopback(), KNOWN_NOT);
	end();
}

/* Is path, or what it lies in, listed among the unavailable? "a.b" covers "a.b" and "a.b.c". */
static bool is_explained(const json_t *unavailable, const char *path)
{
	size_t index;
	json_t *row;

	json_array_foreach(unavailable, index, row) {
		const char *what = json_string_value(json_object_get(row, "what"));
		size_t length = strlen(what);
		if (!strncmp(path, what, length) && (!path[length] || path[length] == '.'))
			return true;
	}
	return false;
}

static void check_nulls(const json_t *value, const char *path, const json_t *root)
{
	const char *key;
	json_t *inner;
	size_t index;

	if (json_is_null(value) && !is_explained(json_object_get(root, "unavailable"), path))
		fail_msg("%s is null, and nothing says why", path);
	if (json_is_array(value)) {
		json_array_foreach(value, index, inner)
			check_nulls(inner, path, root);
	}
	json_object_foreach((json_t *)value, key, inner) {
		auto_free char *below = *path ? mem_text("%s.%s", path, key) : mem_copy(key);
		/* Null beside "limited: false" is no gap: there is no limit to give. */
		bool limit = !strcmp(key, "limit_bytes") && json_is_false(json_object_get(value, "limited"));
		bool quota = !strcmp(key, "cpu_quota") && json_is_false(json_object_get(value, "cpu_limited"));
		if (!limit && !quota)
			check_nulls(inner, below, root);
	}
}

static void check_document(const char *name)
{
	auto_free char *text = machine_document(&machine);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s: %s", name, error.text);
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "assay.machine/1");
	check_nulls(root, "", root);
	json_decref(root);
}

static void every_null_of_every_machine_has_a_reason(void **state)
{
	(void)state;
	for (size_t i = 0; recorded_names[i]; i++) {
		print_message("  %s\n", recorded_names[i]);
		begin(recorded_names[i]);
		check_document(recorded_names[i]);
		end();
	}
	machine_read(&machine, NULL);
	check_document("this machine");
	machine_done(&machine);
}

static void an_empty_tree_gives_a_document_of_nulls_with_reasons(void **state)
{
	char directory[] = "/tmp/assay-empty-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(directory));
	root_set(directory);
	assert_true(machine_read(&machine, NULL) < 0);
	check_document("empty");
	machine_done(&machine);
	root_set(NULL);
	assert_int_equal(remove(directory), 0);
}

static void this_machine_has_a_name_a_kernel_and_a_clock(void **state)
{
	struct utsname name;

	(void)state;
	assert_int_equal(machine_read(&machine, NULL), 0);
	assert_int_equal(uname(&name), 0);
	assert_string_equal(machine.kernel.release, name.release);
	assert_string_equal(machine.cpu.architecture, name.machine);
	assert_true(machine.topology.allowed.count > 0);
	assert_true(machine.memory.usable_bytes > 0);
	assert_non_null(machine.timer.name);
	assert_non_null(machine.build.compiler);
	machine_done(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_is_described_in_full),
		cmocka_unit_test(a_big_little_board_is_named_by_its_cores),
		cmocka_unit_test(a_riscv_board_has_an_isa_string_and_no_package),
		cmocka_unit_test(a_mainframe_is_read_out_of_its_own_form_of_cpuinfo),
		cmocka_unit_test(a_guest_names_its_hypervisor_and_lacks_cpufreq),
		cmocka_unit_test(containers_are_named),
		cmocka_unit_test(without_sys_proc_alone_describes_the_machine),
		cmocka_unit_test(an_old_kernels_preemption_is_in_its_configuration),
		cmocka_unit_test(nothing_of_the_machine_underneath_enters_a_recorded_one),
		cmocka_unit_test(every_null_of_every_machine_has_a_reason),
		cmocka_unit_test(an_empty_tree_gives_a_document_of_nulls_with_reasons),
		cmocka_unit_test(this_machine_has_a_name_a_kernel_and_a_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
