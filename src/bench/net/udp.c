/* net.udp: one datagram to another process and back, over UDP on the loopback interface.
 *
 * One operation is a round trip: send, the peer's receive and send, receive; `size` bytes each way (4 by default, the
 * least: the first word is a sequence number). Both sockets are connected. Counted: four system calls, two passes
 * through the UDP/IP stack, two wake-ups. Not counted: name look-up, set-up, any network card.
 *
 * UDP may lose datagrams. After 100 ms without an answer the same number is sent again; that time stays in the batch,
 * which becomes an outlier, and the loss is counted: more than 1 in 1,000 fail the point. Answers that come late are
 * told by their number and dropped. 50 losses in a row end it.
 *
 * Ancestor: lmbench's lat_udp, which ends at the first lost datagram.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/peer.h"
#include "kit/socket.h"

enum {
	LARGEST = 65507, /* 65,535 less the IP and UDP headers */
	PATIENCE_US = 100 * 1000,
	PATIENCE_TIMES = 50,
};

struct udp {
	uint64_t size;
	struct peer peer;
	struct transfer_pair pair;
	uint64_t done, lost;
	int failed;
	uint32_t sequence;
	bool open;
	char server[SOCKET_NAME];
	char sent[LARGEST], got[LARGEST];
};

static int echo(void *arg)
{
	struct udp *udp = arg;
	int fd = udp->pair.there.in;

	transfer_close(&udp->pair.here);
	for (;;) {
		ssize_t size = recv(fd, udp->got, sizeof udp->got, 0);
		if (size >= 0)
			size = send(fd, udp->got, (size_t)size, 0);
		if (size < 0 && errno != EINTR)
			return errno == ECONNREFUSED ? 0 : 1; /* refused: the other side has closed */
	}
}

static int setup(void *state, struct bench_env *env)
{
	struct timeval patience = { .tv_usec = PATIENCE_US };
	struct udp *udp = state;
	struct sockaddr_in server;
	int r = socket_udp_pair(&udp->pair, &server, env->err);

	if (r < 0)
		return r;
	udp->open = true;
	socket_name(udp->server, &server);
	for (uint64_t i = sizeof udp->sequence; i < udp->size; i++)
		udp->sent[i] = (char)(i * 31 + 7);
	memset(udp->got, 0, udp->size); /* or its pages would first be touched inside the clock */
	if (setsockopt(udp->pair.here.in, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
		return err_sys(env->err, -errno, "cannot limit how long an answer is waited for");
	r = peer_start(&udp->peer, env->peer_cpu, echo, udp, env->err);
	transfer_close(&udp->pair.there);
	return r;
}

/* Waits for the answer with the number just sent. 0, -EAGAIN when none came in time, or -errno. */
static int await(struct udp *udp)
{
	for (;;) {
		ssize_t size = recv(udp->pair.here.in, udp->got, sizeof udp->got, 0);
		if (size < 0 && errno != EINTR)
			return -errno;
		if (size < 0 || memcmp(udp->got, &udp->sequence, sizeof udp->sequence) != 0)
			continue; /* an answer to what was already given up */
		return (uint64_t)size == udp->size ? 0 : -EMSGSIZE;
	}
}

static void run(void *state, uint64_t n)
{
	struct udp *udp = state;

	for (unsigned tries = 0; n && !udp->failed;) {
		memcpy(udp->sent, &udp->sequence, sizeof udp->sequence);
		int r = send(udp->pair.here.out, udp->sent, udp->size, 0) < 0 ? -errno : await(udp);
		if (r == 0) {
			udp->sequence++;
			udp->done++;
			n--;
			tries = 0;
		} else if (r == -EAGAIN && ++tries < PATIENCE_TIMES) {
			udp->lost++;
		} else {
			udp->failed = r == -EAGAIN ? -ETIMEDOUT : r;
		}
	}
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct udp *udp = state;
	unsigned long long done = udp->done, lost = udp->lost;
	char how[80];

	if (udp->failed && peer_ended(&udp->peer, udp->failed == -ECONNREFUSED ? 1000 : 0, how, sizeof how))
		return err_set(env->err, udp->failed, "UDP to %s, round trip %llu: the other process ended: %s",
			       udp->server, done + 1, how);
	if (udp->failed)
		return err_sys(env->err, udp->failed, "UDP to %s, round trip %llu", udp->server, done + 1);
	if (done != ops)
		return err_set(env->err, -EIO, "UDP to %s: %llu round trips instead of %llu", udp->server, done,
			       (unsigned long long)ops);
	if (lost * 1000 > ops)
		return err_set(env->err, -EIO, "UDP to %s: %llu datagrams lost in %llu round trips (more than 1 in 1000)",
			       udp->server, lost, done);
	if (ops && memcmp(udp->sent, udp->got, udp->size) != 0)
		return err_set(env->err, -EBADMSG, "UDP to %s: the last datagram came back with other bytes",
			       udp->server);
	return 0;
}

static void teardown(void *state)
{
	struct udp *udp = state;

	peer_stop(&udp->peer);
	if (!udp->open)
		return;
	transfer_close(&udp->pair.here);
	transfer_close(&udp->pair.there);
}

static const struct param params[] = {
	{ "size", "bytes of the datagram, each way", PARAM_SIZE, offsetof(struct udp, size), 4, LARGEST, 4, NULL },
	{ 0 },
};

static const struct bench net_udp = {
	.name = "net.udp",
	.title = "round trip to another process over UDP on loopback",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.needs = NEED_LOOPBACK,
	.params = params,
	.state_size = sizeof(struct udp),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(net_udp);
