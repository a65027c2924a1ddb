/* ipc.unix: one message to another process and back, over a pair of AF_UNIX stream sockets.
 *
 * One operation is a round trip: write, the peer's read and write, read; `size` bytes each way (1 by default). Counted:
 * four system calls, a socket buffer allocated and freed each way, the copies, and two wake-ups; on one CPU also two
 * context switches. Short reads are read on. With place=cross the wake-ups go from CPU to CPU.
 *
 * Messages larger than the send buffer (net.core.wmem_default, about 208 KiB) are taken in parts, with a switch for
 * each. Descriptors are neither passed nor are credentials.
 *
 * Ancestor: lmbench's lat_unix, which takes a short read for a whole message and does not place its processes.
 */
#include "harness/bench.h"
#include "kit/pingpong.h"

struct unix_state {
	uint64_t size;
	struct pingpong pingpong;
};

static int setup(void *state, struct bench_env *env)
{
	struct unix_state *stream = state;
	struct transfer_pair pair;
	int r = transfer_unix(&pair);

	if (r < 0)
		return err_sys(env->err, r, "cannot make a pair of AF_UNIX sockets");
	return pingpong_start(&stream->pingpong, &pair, stream->size, env->peer_cpu, env->err);
}

static void run(void *state, uint64_t n)
{
	struct unix_state *stream = state;

	pingpong_run(&stream->pingpong, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct unix_state *stream = state;

	return pingpong_check(&stream->pingpong, ops, "socket pair", env->err);
}

static void teardown(void *state)
{
	struct unix_state *stream = state;

	pingpong_stop(&stream->pingpong);
}

static const struct param params[] = {
	{ "size", "bytes of the message, each way", PARAM_SIZE, offsetof(struct unix_state, size), 1, 1 << 20, 1, NULL },
	{ 0 },
};

static const struct bench ipc_unix = {
	.name = "ipc.unix",
	.title = "round trip to another process over a pair of AF_UNIX stream sockets",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.params = params,
	.state_size = sizeof(struct unix_state),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(ipc_unix);
