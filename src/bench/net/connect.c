/* net.connect: a TCP connection made and given up, on the loopback interface.
 *
 * One operation is socket, bind, connect and close, against a peer that accepts, reads the end of file and closes. This
 * side closes first. The peer's part is inside the clock too: a batch ends when all of its connections have been closed
 * at both ends. On one CPU the two take turns; with place=cross the peer works beside the next connection, and a batch
 * has so many of them that its first and last, which have no other beside them, are about 1 % of it. Not counted: name
 * look-up, data.
 *
 * Each operation comes from another source address of 127.0.0.0/8: as the first to close, this side keeps address and
 * port in TIME_WAIT for a minute, and from one address the ports (net.ipv4.ip_local_port_range, 28,232 as a rule) would
 * be gone within seconds. The seed says where in the range a process begins. IP_BIND_ADDRESS_NO_PORT leaves the choice
 * of the port to connect, as it is without bind. At most WAITING connections stand in the listener's queue: one too many
 * would be dropped and tried again after a second. Once there are net.ipv4.tcp_max_tw_buckets in TIME_WAIT (131,072
 * with 24 GiB of memory, fewer with less) the kernel gives further ones up at once, which is other work: a remark says
 * so when that has happened.
 *
 * A connection that is refused or finds no port is counted as failed, and one of them fails the point: a refusal is
 * quick, and must never pass for a success.
 *
 * Ancestor: lmbench's lat_connect, which uses one source address and times refusals.
 */
#include <errno.h>
#include <netinet/ip.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/bench.h"
#include "kit/peer.h"
#include "kit/socket.h"

enum {
	GRANULE = 64, /* across two CPUs 18 µs of a batch were measured not to grow with it, at 28 µs a connection */
	WAITING = 32, /* well below 128, what net.core.somaxconn was before Linux 5.4 */
	SOURCES = 255 * 254 * 254,
	LOOK_EVERY = 1024, /* turns of waiting between two looks whether the peer lives */
};

struct connect_state {
	struct peer peer;
	int listener; /* one more than the descriptor; 0 is none */
	struct sockaddr_in server;
	_Atomic uint64_t *accepted; /* shared: connections that the peer has closed */
	uint64_t done, failed;
	int failure; /* of the first that failed */
	bool peer_gone;
	uint64_t overflows; /* of the TIME_WAIT table, before */
	uint32_t source;
};

static int serve(void *arg)
{
	struct connect_state *c = arg;
	char byte;

	for (;;) {
		int fd = accept4(c->listener - 1, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
			return 1;
		if (fd < 0)
			continue;
		while (read(fd, &byte, 1) > 0)
			;
		close(fd);
		atomic_fetch_add_explicit(c->accepted, 1, memory_order_release);
	}
}

static void close_listener(struct connect_state *c)
{
	if (c->listener)
		close(c->listener - 1);
	c->listener = 0;
}

static int setup(void *state, struct bench_env *env)
{
	struct connect_state *c = state;
	int fd;
	int r = socket_bound(SOCK_STREAM, 4 * WAITING, &fd, &c->server, env->err);

	if (r < 0)
		return r;
	c->listener = fd + 1;
	c->source = (uint32_t)(env->seed % SOURCES);
	(void)socket_time_wait_overflows(&c->overflows); /* stays 0 where it cannot be told, then and afterwards */
	void *shared = mmap(NULL, sizeof *c->accepted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return err_sys(env->err, -errno, "cannot map a page for the peer's count");
	c->accepted = shared;
	r = peer_start(&c->peer, env->peer_cpu, serve, c, env->err);
	close_listener(c); /* or a dead peer's connections would be taken by the kernel for us */
	return r;
}

/* The next address of 127.1.1.1 … 127.255.254.254. */
static struct sockaddr_in next_source(struct connect_state *c)
{
	uint32_t i = c->source;

	c->source = i + 1 == SOURCES ? 0 : i + 1;
	uint32_t host = (i / (254 * 254) % 255 + 1) << 16 | (i / 254 % 254 + 1) << 8 | (i % 254 + 1);
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(127U << 24 | host) };
}

static int connect_once(struct connect_state *c)
{
	struct sockaddr_in source = next_source(c);
	int on = 1, failure = 0;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) < 0 ||
	    bind(fd, (struct sockaddr *)&source, sizeof source) < 0 ||
	    connect(fd, (struct sockaddr *)&c->server, sizeof c->server) < 0)
		failure = -errno;
	close(fd);
	return failure;
}

/* Until no more than so many connections are still to be closed by the peer. Yielding lets it run on this CPU. */
static void wait_below(struct connect_state *c, uint64_t waiting)
{
	char how[80];

	for (unsigned turn = 1; c->done - atomic_load_explicit(c->accepted, memory_order_acquire) > waiting; turn++) {
		if (turn % LOOK_EVERY == 0 && peer_ended(&c->peer, 0, how, sizeof how)) {
			c->peer_gone = true;
			return;
		}
		sched_yield();
	}
}

static void run(void *state, uint64_t n)
{
	struct connect_state *c = state;

	for (; n && !c->peer_gone && !c->failed; n--) {
		int r = connect_once(c);
		if (r < 0) {
			c->failed++;
			c->failure = r;
		} else {
			c->done++;
			wait_below(c, WAITING);
		}
	}
	if (!c->peer_gone)
		wait_below(c, 0);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct connect_state *c = state;
	unsigned long long done = c->done, accepted = atomic_load(c->accepted);
	char name[SOCKET_NAME], how[80];

	socket_name(name, &c->server);
	if (c->peer_gone || c->failed) {
		if (peer_ended(&c->peer, c->failure == -ECONNREFUSED ? 1000 : 0, how, sizeof how))
			return err_set(env->err, c->failure ? c->failure : -EPIPE,
				       "connection %llu to %s: the other process ended: %s", done + 1, name, how);
		return err_sys(env->err, c->failure, "connection %llu to %s, from a source in 127.0.0.0/8", done + 1,
			       name);
	}
	if (done != ops || accepted != done)
		return err_set(env->err, -EIO, "%s: %llu connections made and %llu accepted instead of %llu", name, done,
			       accepted, (unsigned long long)ops);
	return 0;
}

static const char *remark(const void *state)
{
	const struct connect_state *c = state;

	uint64_t overflows;

	if (socket_time_wait_overflows(&overflows) < 0 || overflows == c->overflows)
		return NULL;
	return "the TIME_WAIT table was full (net.ipv4.tcp_max_tw_buckets): closing was cut short";
}

static void teardown(void *state)
{
	struct connect_state *c = state;

	peer_stop(&c->peer);
	close_listener(c);
	if (c->accepted)
		munmap(c->accepted, sizeof *c->accepted);
	c->accepted = NULL;
}

static const struct bench net_connect = {
	.name = "net.connect",
	.title = "TCP connection made and closed on loopback",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.needs = NEED_LOOPBACK,
	.state_size = sizeof(struct connect_state),
	.peers = true,
	.gives_up_cpu = true,
	.granule = GRANULE,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.remark = remark,
};
BENCH_REGISTER(net_connect);
