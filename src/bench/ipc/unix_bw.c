/* ipc.unix_bw: how fast one process takes in what another writes into an AF_UNIX stream socket.
 *
 * One operation is some megabytes received in blocks of `size` bytes (kit/stream.h says how many); a byte is counted
 * once, though the machine copies it twice (into socket buffers, out of them). Counted: the peer's write, the reads, the copies, the allocation of the buffers
 * and the switches or wake-ups between. The socket's buffer is as the system gives it (wmem_default). The reader
 * looks at the first word of each block only.
 *
 * Blocks are made on request, a batch at a time (kit/stream.h says why, and what the request costs). On one CPU writer
 * and reader take turns; with place=cross they overlap and the data crosses caches.
 *
 * Ancestor: lmbench's bw_unix, which divides by a constant 10 MiB whatever was moved.
 */
#include "harness/bench.h"
#include "kit/stream.h"

struct unix_bw {
	uint64_t size;
	struct stream stream;
};

static int setup(void *state, struct bench_env *env)
{
	struct unix_bw *bw = state;
	struct transfer_pair pair;
	int r = transfer_unix(&pair);

	if (r < 0)
		return err_sys(env->err, r, "cannot make a pair of AF_UNIX sockets");
	return stream_start(&bw->stream, &pair, bw->size, env->peer_cpu, env->err);
}

static void run(void *state, uint64_t n)
{
	struct unix_bw *bw = state;

	stream_run(&bw->stream, n);
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct unix_bw *bw = state;

	return stream_check(&bw->stream, ops, "socket pair", env->err);
}

static void teardown(void *state)
{
	struct unix_bw *bw = state;

	stream_stop(&bw->stream);
}

static uint64_t bytes(const void *state)
{
	const struct unix_bw *bw = state;

	return stream_bytes(&bw->stream);
}

static const struct param params[] = {
	{ "size", "bytes of a block: one write of the peer", PARAM_SIZE, offsetof(struct unix_bw, size), 1, 10 << 20,
	  64 << 10, NULL },
	{ 0 },
};

static const struct bench ipc_unix_bw = {
	.name = "ipc.unix_bw",
	.title = "data from another process through an AF_UNIX stream socket",
	.unit = BENCH_BYTES_PER_SEC,
	.class = CLASS_OS,
	.params = params,
	.state_size = sizeof(struct unix_bw),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.bytes = bytes,
};
BENCH_REGISTER(ipc_unix_bw);
