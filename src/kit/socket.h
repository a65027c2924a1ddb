/* Sockets on the loopback address, on ports that the kernel chooses; all close-on-exec.
 *
 * Sentences name address and port, so that "connection refused" says by whom.
 */
#ifndef KIT_SOCKET_H
#define KIT_SOCKET_H

#include <netinet/in.h>
#include <stdint.h>

#include "base/err.h"
#include "kit/transfer.h"

enum { SOCKET_NAME = 32 };

/* "127.0.0.1:40000" */
char *socket_name(char out[SOCKET_NAME], const struct sockaddr_in *address);

/* 0, or -EOPNOTSUPP and what to do when the loopback interface is down. Sends nothing. */
int socket_loopback(struct err *err);

/* Connections of this network namespace that could not be kept in TIME_WAIT since there were tcp_max_tw_buckets already
 * (TCPTimeWaitOverflow, net/ipv4/tcp_minisocks.c). -ENOENT and the like where the kernel does not say. */
int socket_time_wait_overflows(uint64_t *ret_count);

/* A bound socket of type SOCK_STREAM (listening as well, with room for backlog connections or what net.core.somaxconn
 * allows) or SOCK_DGRAM; ret_address is where it can be reached. 0 or -errno, as of socket_loopback too. */
int socket_bound(int type, int backlog, int *ret_fd, struct sockaddr_in *ret_address, struct err *err);

/* A socket of that type connected to an address; SOCK_STREAM without Nagle's delay (TCP_NODELAY). 0 or -errno. */
int socket_connected(int type, const struct sockaddr_in *to, int *ret_fd, struct err *err);

/* Both ends of one TCP connection, without Nagle's delay, or of two UDP sockets connected to each other. ret_address is
 * that of the far end. 0, or -errno and nothing is open. */
int socket_tcp_pair(struct transfer_pair *pair, struct sockaddr_in *ret_address, struct err *err);
int socket_udp_pair(struct transfer_pair *pair, struct sockaddr_in *ret_address, struct err *err);

#endif
