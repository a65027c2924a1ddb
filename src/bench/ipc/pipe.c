/* ipc.pipe: one message to another process and back, over two pipes.
 *
 * One operation is a round trip: write, the peer's read and write, read; `size` bytes each way (1 by default). Counted:
 * four system calls, the copies in and out of the pipe, and two wake-ups; on one CPU also two context switches, which
 * are then most of it. With place=cross the two wake-ups go from CPU to CPU and idle states are part of the figure.
 *
 * Messages larger than the pipe's buffer (64 KiB as a rule) go through it in several parts, with a switch for each.
 * The two placements differ by a factor of two and more, which is why the peer is never left to the scheduler.
 *
 * Ancestor: lmbench's lat_pipe, which moves one byte and does not place its processes.
 */
#include "harness/bench.h"
#include "kit/pingpong.h"

struct pipe_state {
	uint64_t size;
	struct pingpong pingpong;
};

static int setup(void *state, struct bench_env *env)
{
	struct pipe_state *pipes = state;
	struct transfer_pair pair;
	int r = transfer_pipes(&pair);

	if (r < 0)
		return err_sys(env->err, r, "cannot make two pipes");
	return pingpong_start(&pipes->pingpong, &pair, pipes->size, env->peer_cpu, env->err);
}

static void run(void *state, uint64_t n)
{
	struct pipe_state *pipes = state;

	pingpong_run(&pipes->pingpong, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct pipe_state *pipes = state;

	return pingpong_check(&pipes->pingpong, ops, "pipe", env->err);
}

static void teardown(void *state)
{
	struct pipe_state *pipes = state;

	pingpong_stop(&pipes->pingpong);
}

static const struct param params[] = {
	{ "size", "bytes of the message, each way", PARAM_SIZE, offsetof(struct pipe_state, size), 1, 1 << 20, 1, NULL },
	{ 0 },
};

static const struct bench ipc_pipe = {
	.name = "ipc.pipe",
	.title = "round trip to another process over two pipes",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.params = params,
	.state_size = sizeof(struct pipe_state),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(ipc_pipe);
