#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/root.h"
#include "kit/socket.h"

static void nobody_listening_is_refused_with_address_and_port(void **state)
{
	struct sockaddr_in address;
	struct err err = { "" };
	char name[SOCKET_NAME];
	int fd, other;

	(void)state;
	assert_int_equal(socket_bound(SOCK_STREAM, 1, &fd, &address, &err), 0);
	close(fd);
	assert_int_equal(socket_connected(SOCK_STREAM, &address, &other, &err), -ECONNREFUSED);
	assert_non_null(strstr(err.text, socket_name(name, &address)));
	assert_non_null(strstr(err.text, "refused"));
}

/* Both ends may write at once, and one end is not the other's own echo. */
static void a_pair_is_two_ends_of_one_connection(void **state)
{
	int (*const make[])(struct transfer_pair *, struct sockaddr_in *, struct err *) = { socket_tcp_pair,
											   socket_udp_pair };

	(void)state;
	for (size_t i = 0; i < countof(make); i++) {
		struct transfer_pair pair;
		struct sockaddr_in address;
		struct err err = { "" };
		char got[6] = "";

		int r = make[i](&pair, &address, &err);
		if (r == -EOPNOTSUPP)
			skip();
		assert_int_equal(r, 0);
		assert_int_equal(ntohl(address.sin_addr.s_addr), INADDR_LOOPBACK);
		assert_int_equal(transfer_write(pair.here.out, "hither", 6), 0);
		assert_int_equal(transfer_write(pair.there.out, "yonder", 6), 0);
		assert_int_equal(transfer_read(pair.here.in, got, 6), 0);
		assert_memory_equal(got, "yonder", 6);
		assert_int_equal(transfer_read(pair.there.in, got, 6), 0);
		assert_memory_equal(got, "hither", 6);
		transfer_close(&pair.here);
		transfer_close(&pair.there);
	}
}

/* Makes this tree's /proc/net/netstat, asks, and removes it. */
static int overflows_of(const char *netstat, uint64_t *ret_count)
{
	char root[] = "/tmp/assay-socket-XXXXXX";

	assert_non_null(mkdtemp(root));
	auto_free char *proc = mem_text("%s/proc", root), *net = mem_text("%s/net", proc);
	auto_free char *file = mem_text("%s/netstat", net);
	mkdir(proc, 0700);
	mkdir(net, 0700);
	if (netstat) {
		FILE *out = fopen(file, "w");
		assert_non_null(out);
		fputs(netstat, out);
		fclose(out);
	}
	root_set(root);
	int r = socket_time_wait_overflows(ret_count);
	root_set(NULL);
	unlink(file);
	rmdir(net);
	rmdir(proc);
	rmdir(root);
	return r;
}

static void overflows_are_found_under_their_name(void **state)
{
	uint64_t count = 99;

	(void)state;
	assert_int_equal(overflows_of("TcpExt: SyncookiesSent TCPTimeWaitOverflow TW\nTcpExt: 5 17 23\n"
				      "IpExt: InNoRoutes\nIpExt: 4\n",
				      &count),
			 0);
	assert_int_equal(count, 17);
	assert_int_equal(overflows_of("TcpExt: TW TCPTimeWaitOverflow\nTcpExt: 23 4294967296\n", &count), 0);
	assert_int_equal(count, 4294967296);
}

static void what_the_kernel_does_not_say_is_no_number(void **state)
{
	uint64_t count = 99;

	(void)state;
	assert_int_equal(overflows_of(NULL, &count), -ENOENT);
	assert_int_equal(overflows_of("", &count), -ENOENT);
	assert_int_equal(overflows_of("TcpExt: TCPTimeWaitOverflow\n", &count), -ENOENT);
	assert_int_equal(overflows_of("TcpExt: TW TCPTimeWaitOverflow\nTcpExt: 23\n", &count), -ENOENT);
	assert_int_equal(overflows_of("IpExt: TCPTimeWaitOverflow\nIpExt: 4\n", &count), -ENOENT);
	assert_int_equal(count, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_listening_is_refused_with_address_and_port),
		cmocka_unit_test(a_pair_is_two_ends_of_one_connection),
		cmocka_unit_test(overflows_are_found_under_their_name),
		cmocka_unit_test(what_the_kernel_does_not_say_is_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
