/* ipc.pipe_bw: how fast one process takes in what another writes into a pipe.
 *
 * One operation is some megabytes received in blocks of `size` bytes (kit/stream.h says how many); a byte is counted
 * once, though the machine copies it twice (into the pipe, out of it). Counted: the peer's write, the reads, the copies, the switches or wake-ups between them.
 * The buffer is as the kernel makes it (64 KiB as a rule): it is not enlarged. The reader looks at the first word of
 * each block only, so that what is measured is the pipe and not a walk over the data.
 *
 * Blocks are made on request, a batch at a time (kit/stream.h says why, and what the request costs). On one CPU writer
 * and reader take turns and share a cache; with place=cross they overlap and the data crosses caches: neither is the
 * better figure, they answer different questions.
 *
 * Ancestor: lmbench's bw_pipe, whose writer runs freely and so has a full pipe ready when the clock starts.
 */
#include "harness/bench.h"
#include "kit/stream.h"

struct pipe_bw {
	uint64_t size;
	struct stream stream;
};

static int setup(void *state, struct bench_env *env)
{
	struct pipe_bw *bw = state;
	struct transfer_pair pair;
	int r = transfer_pipes(&pair);

	if (r < 0)
		return err_sys(env->err, r, "cannot make two pipes");
	return stream_start(&bw->stream, &pair, bw->size, env->peer_cpu, env->err);
}

static void run(void *state, uint64_t n)
{
	struct pipe_bw *bw = state;

	stream_run(&bw->stream, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct pipe_bw *bw = state;

	return stream_check(&bw->stream, ops, "pipe", env->err);
}

static void teardown(void *state)
{
	struct pipe_bw *bw = state;

	stream_stop(&bw->stream);
}

static uint64_t bytes(const void *state)
{
	const struct pipe_bw *bw = state;

	return stream_bytes(&bw->stream);
}

static const struct param params[] = {
	{ "size", "bytes of a block: one write of the peer", PARAM_SIZE, offsetof(struct pipe_bw, size), 1, 10 << 20,
	  64 << 10, NULL },
	{ 0 },
};

static const struct bench ipc_pipe_bw = {
	.name = "ipc.pipe_bw",
	.title = "data from another process through a pipe",
	.unit = BENCH_BYTES_PER_SEC,
	.class = CLASS_OS,
	.params = params,
	.state_size = sizeof(struct pipe_bw),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.bytes = bytes,
};
BENCH_REGISTER(ipc_pipe_bw);
