/* net.tcp_bw: how fast one process takes in what another sends over TCP on the loopback interface.
 *
 * One operation is some megabytes received in blocks of `size` bytes (kit/stream.h says how many); a byte is counted
 * once, though it is copied twice. Counted: the peer's write, the reads, the copies, the TCP/IP stack, acknowledgements, switches or wake-ups. Not
 * counted: the connection's set-up; its first blocks, when windows are still small, fall into the warm-up.
 *
 * Buffers are left to the kernel's own tuning (tcp_rmem, tcp_wmem), for that is what programs get. Nagle's delay is off
 * (TCP_NODELAY): with it the tail of the last block of a batch could wait 40 ms for a delayed acknowledgement. Blocks
 * are made on request, a batch at a time (kit/stream.h says why, and what the request costs). The longer the request,
 * the further the writer gets ahead and the less of the data is still in a cache: eight operations at once were measured
 * 12 % slower each. With very small blocks the figure is the cost of system calls and segments, not of moving data.
 *
 * Ancestor: lmbench's bw_tcp, which asks for 1 MiB socket buffers, leaves Nagle's delay on, and has a server that
 * sends whether or not the clock runs.
 */
#include "harness/bench.h"
#include "kit/socket.h"
#include "kit/stream.h"

struct tcp_bw {
	uint64_t size;
	struct stream stream;
	char server[SOCKET_NAME];
};

static int setup(void *state, struct bench_env *env)
{
	struct tcp_bw *bw = state;
	struct transfer_pair pair;
	struct sockaddr_in server;
	int r = socket_tcp_pair(&pair, &server, env->err);

	if (r < 0)
		return r;
	socket_name(bw->server, &server);
	return stream_start(&bw->stream, &pair, bw->size, env->peer_cpu, env->err);
}

static void run(void *state, uint64_t n)
{
	struct tcp_bw *bw = state;

	stream_run(&bw->stream, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct tcp_bw *bw = state;

	return stream_check(&bw->stream, ops, bw->server, env->err);
}

static void teardown(void *state)
{
	struct tcp_bw *bw = state;

	stream_stop(&bw->stream);
}

static uint64_t bytes(const void *state)
{
	const struct tcp_bw *bw = state;

	return stream_bytes(&bw->stream);
}

static const struct param params[] = {
	{ "size", "bytes of a block: one write of the peer", PARAM_SIZE, offsetof(struct tcp_bw, size), 1, 10 << 20,
	  64 << 10, NULL },
	{ 0 },
};

static const struct bench net_tcp_bw = {
	.name = "net.tcp_bw",
	.title = "data from another process over TCP on loopback",
	.unit = BENCH_BYTES_PER_SEC,
	.class = CLASS_OS,
	.needs = NEED_LOOPBACK,
	.params = params,
	.state_size = sizeof(struct tcp_bw),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.bytes = bytes,
};
BENCH_REGISTER(net_tcp_bw);
