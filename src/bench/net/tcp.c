/* net.tcp: one message to another process and back, over one TCP connection on the loopback interface.
 *
 * One operation is a round trip: write, the peer's read and write, read; `size` bytes each way (1 by default). Counted:
 * four system calls, two passes down and up the TCP/IP stack (in the sender's softirq), acknowledgements, two wake-ups.
 * Not counted: setting the connection up. No network card, driver or interrupt takes part.
 *
 * Nagle's delay is off at both ends (TCP_NODELAY), as it would be in anything that cares for latency; with it, messages
 * larger than a segment (65,483 bytes on loopback) would wait for delayed acknowledgements. Short reads are read on.
 * Firewall rules and packet taps on lo are part of the figure.
 *
 * Ancestor: lmbench's lat_tcp, which leaves Nagle's delay on and takes a short read for a whole message.
 */
#include "harness/bench.h"
#include "kit/pingpong.h"
#include "kit/socket.h"

struct tcp_state {
	uint64_t size;
	struct pingpong pingpong;
	char server[SOCKET_NAME];
};

static int setup(void *state, struct bench_env *env)
{
	struct tcp_state *tcp = state;
	struct transfer_pair pair;
	struct sockaddr_in server;
	int r = socket_tcp_pair(&pair, &server, env->err);

	if (r < 0)
		return r;
	socket_name(tcp->server, &server);
	return pingpong_start(&tcp->pingpong, &pair, tcp->size, env->peer_cpu, env->err);
}

static void run(void *state, uint64_t n)
{
	struct tcp_state *tcp = state;

	pingpong_run(&tcp->pingpong, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct tcp_state *tcp = state;

	return pingpong_check(&tcp->pingpong, ops, tcp->server, env->err);
}

static void teardown(void *state)
{
	struct tcp_state *tcp = state;

	pingpong_stop(&tcp->pingpong);
}

static const struct param params[] = {
	{ "size", "bytes of the message, each way", PARAM_SIZE, offsetof(struct tcp_state, size), 1, 1 << 20, 1, NULL },
	{ 0 },
};

static const struct bench net_tcp = {
	.name = "net.tcp",
	.title = "round trip to another process over TCP on loopback",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.needs = NEED_LOOPBACK,
	.params = params,
	.state_size = sizeof(struct tcp_state),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(net_tcp);
