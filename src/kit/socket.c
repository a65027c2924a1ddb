#include "kit/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/root.h"

char *socket_name(char out[SOCKET_NAME], const struct sockaddr_in *address)
{
	char host[INET_ADDRSTRLEN] = "?";

	inet_ntop(AF_INET, &address->sin_addr, host, sizeof host);
	snprintf(out, SOCKET_NAME, "%s:%u", host, (unsigned)ntohs(address->sin_port));
	return out;
}

/* Closes fd and gives the error of the call before, with the words and the address. */
static int give_up(int fd, const char *words, const struct sockaddr_in *address, struct err *err)
{
	int failed = -errno;
	char name[SOCKET_NAME];

	close(fd);
	return err_sys(err, failed, "%s %s", words, socket_name(name, address));
}

static int new_socket(int type, int *ret_fd, struct err *err)
{
	int on = 1;
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_sys(err, -errno, "cannot make a %s socket", type == SOCK_STREAM ? "TCP" : "UDP");
	if (type == SOCK_STREAM && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0) {
		int failed = -errno;
		close(fd);
		return err_sys(err, failed, "cannot set TCP_NODELAY");
	}
	*ret_fd = fd;
	return 0;
}

int socket_loopback(struct err *err)
{
	/* Binding works without the interface; only a route shows it, and connecting a datagram socket looks for one. */
	struct sockaddr_in anywhere = { .sin_family = AF_INET, .sin_port = htons(9),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = -1;
	int r = new_socket(SOCK_DGRAM, &fd, err);

	if (r < 0)
		return r;
	if (connect(fd, (struct sockaddr *)&anywhere, sizeof anywhere) < 0)
		r = -errno;
	close(fd);
	if (r == -ENETUNREACH)
		return err_set(err, -EOPNOTSUPP,
			       "unavailable: the loopback interface is down ('ip link set lo up' brings it up)");
	return r < 0 ? err_sys(err, r, "cannot reach 127.0.0.1") : 0;
}

/* /proc/net/netstat has a line of names for each line of values. */
int socket_time_wait_overflows(uint64_t *ret_count)
{
	auto_free char *text = NULL;
	char *name_rest, *value_rest;
	int r = root_read("/proc/net/netstat", &text);

	if (r < 0)
		return r;
	char *names = strstr(text, "TcpExt:");
	char *values = names ? strstr(names + 1, "\nTcpExt:") : NULL;
	if (!values)
		return -ENOENT;
	*values++ = '\0';
	char *name = strtok_r(names, " ", &name_rest), *value = strtok_r(values, " \n", &value_rest);
	for (; name && value; name = strtok_r(NULL, " ", &name_rest), value = strtok_r(NULL, " \n", &value_rest)) {
		if (strcmp(name, "TCPTimeWaitOverflow") == 0) {
			*ret_count = strtoull(value, NULL, 10);
			return 0;
		}
	}
	return -ENOENT;
}

int socket_bound(int type, int backlog, int *ret_fd, struct sockaddr_in *ret_address, struct err *err)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof address;
	int fd;
	int r = socket_loopback(err);

	if (r == 0)
		r = new_socket(type, &fd, err);
	if (r < 0)
		return r;
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return give_up(fd, "cannot bind to", &address, err);
	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return give_up(fd, "cannot learn the port behind", &address, err);
	if (type == SOCK_STREAM && listen(fd, backlog) < 0)
		return give_up(fd, "cannot listen on", &address, err);
	*ret_fd = fd;
	*ret_address = address;
	return 0;
}

int socket_connected(int type, const struct sockaddr_in *to, int *ret_fd, struct err *err)
{
	int fd;
	int r = new_socket(type, &fd, err);

	if (r < 0)
		return r;
	if (connect(fd, (const struct sockaddr *)to, sizeof *to) < 0)
		return give_up(fd, "cannot connect to", to, err);
	*ret_fd = fd;
	return 0;
}

int socket_tcp_pair(struct transfer_pair *pair, struct sockaddr_in *ret_address, struct err *err)
{
	int listener, near, on = 1;
	int r = socket_bound(SOCK_STREAM, 1, &listener, ret_address, err);

	if (r < 0)
		return r;
	r = socket_connected(SOCK_STREAM, ret_address, &near, err);
	if (r < 0) {
		close(listener);
		return r;
	}
	int far = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (far < 0 || setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0) {
		r = give_up(near, "cannot accept on", ret_address, err);
		if (far >= 0)
			close(far);
	}
	close(listener);
	if (r == 0) {
		pair->here = (struct transfer_ends){ near, near };
		pair->there = (struct transfer_ends){ far, far };
	}
	return r;
}

int socket_udp_pair(struct transfer_pair *pair, struct sockaddr_in *ret_address, struct err *err)
{
	struct sockaddr_in own;
	socklen_t length = sizeof own;
	int near, far;
	int r = socket_bound(SOCK_DGRAM, 0, &far, ret_address, err);

	if (r < 0)
		return r;
	r = socket_connected(SOCK_DGRAM, ret_address, &near, err);
	if (r < 0) {
		close(far);
		return r;
	}
	if (getsockname(near, (struct sockaddr *)&own, &length) < 0 ||
	    connect(far, (struct sockaddr *)&own, sizeof own) < 0) {
		r = give_up(near, "cannot connect back from", ret_address, err);
		close(far);
		return r;
	}
	pair->here = (struct transfer_ends){ near, near };
	pair->there = (struct transfer_ends){ far, far };
	return 0;
}
