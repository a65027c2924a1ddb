/* net.rpc: one remote procedure call (ONC RPC, RFC 5531) to another process, over loopback.
 *
 * One operation is one call with an argument of one character, answered with the character after it. Counted: XDR
 * coding and decoding at both ends, libtirpc's own work, and the round trip of its transport. Not counted: finding the
 * server; rpcbind takes no part, the server has a port of its own that is handed over.
 *
 * Over UDP the library itself sends a call again after 100 ms without an answer; such a batch becomes an outlier. A
 * call without an answer for 2 s fails the point. The difference to net.tcp and net.udp is what the RPC layer costs.
 *
 * Ancestor: lmbench's lat_rpc, which needs a port mapper and gives up after 25 ms.
 */
#include <errno.h>

#include "harness/bench.h"

#ifdef HAVE_TIRPC
#include <rpc/rpc.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kit/peer.h"
#include "kit/socket.h"
#endif

enum { TCP, UDP };

static const struct variant variants[] = {
	[TCP] = { "tcp", "a remote procedure call over TCP on loopback" },
	[UDP] = { "udp", "a remote procedure call over UDP on loopback" },
	{ 0 },
};

#ifdef HAVE_TIRPC
enum {
	PROGRAM = 0x20000001, /* the range left to users, RFC 5531 section 8.2 */
	VERSION = 1,
	NEXT_CHARACTER = 1,
	TIMEOUT_S = 2,
	RETRY_US = 100 * 1000,
};

struct rpc {
	struct peer peer;
	struct sockaddr_in server;
	int socket; /* the server's; one more than the descriptor, 0 is none */
	int type;
	CLIENT *client;
	uint64_t done;
	enum clnt_stat failed;
	int wrong; /* answers that were not the next character */
};

static void answer(struct svc_req *request, SVCXPRT *transport)
{
	char character = 0;

	if (request->rq_proc != NEXT_CHARACTER) {
		svcerr_noproc(transport);
	} else if (!svc_getargs(transport, (xdrproc_t)xdr_char, (caddr_t)&character)) {
		svcerr_decode(transport);
	} else {
		character++;
		svc_sendreply(transport, (xdrproc_t)xdr_char, (caddr_t)&character);
	}
}

static int serve(void *arg)
{
	struct rpc *rpc = arg;
	SVCXPRT *transport = rpc->type == SOCK_STREAM ? svc_vc_create(rpc->socket - 1, 0, 0) :
							svc_dg_create(rpc->socket - 1, 0, 0);

	/* Without a netconfig nothing is told to rpcbind. */
	if (!transport || !svc_reg(transport, PROGRAM, VERSION, answer, NULL))
		return 1;
	svc_run();
	return 1;
}

static int make_client(struct rpc *rpc, struct err *err)
{
	struct netbuf address = { sizeof rpc->server, sizeof rpc->server, &rpc->server };
	struct timeval retry = { .tv_usec = RETRY_US };
	char name[SOCKET_NAME];
	int fd;
	int r = socket_connected(rpc->type, &rpc->server, &fd, err);

	if (r < 0)
		return r;
	rpc->client = rpc->type == SOCK_STREAM ? clnt_vc_create(fd, &address, PROGRAM, VERSION, 0, 0) :
						 clnt_dg_create(fd, &address, PROGRAM, VERSION, 0, 0);
	if (!rpc->client) {
		close(fd);
		return err_set(err, -ECONNREFUSED, "cannot make an RPC client for %s: %s",
			       socket_name(name, &rpc->server), clnt_sperrno(rpc_createerr.cf_stat));
	}
	clnt_control(rpc->client, CLSET_FD_CLOSE, NULL);
	if (rpc->type == SOCK_DGRAM)
		clnt_control(rpc->client, CLSET_RETRY_TIMEOUT, (char *)&retry);
	return 0;
}

static void close_socket(struct rpc *rpc)
{
	if (rpc->socket)
		close(rpc->socket - 1);
	rpc->socket = 0;
}

static int setup(void *state, struct bench_env *env)
{
	struct rpc *rpc = state;
	int fd;

	rpc->type = env->variant == TCP ? SOCK_STREAM : SOCK_DGRAM;
	int r = socket_bound(rpc->type, 1, &fd, &rpc->server, env->err);
	if (r < 0)
		return r;
	rpc->socket = fd + 1;
	r = peer_start(&rpc->peer, env->peer_cpu, serve, rpc, env->err);
	close_socket(rpc);
	return r < 0 ? r : make_client(rpc, env->err);
}

static void run(void *state, uint64_t n)
{
	static const struct timeval timeout = { .tv_sec = TIMEOUT_S };
	struct rpc *rpc = state;

	for (; n && rpc->failed == RPC_SUCCESS; n--) {
		char asked = (char)(rpc->done % 100), got = 0;
		rpc->failed = clnt_call(rpc->client, NEXT_CHARACTER, (xdrproc_t)xdr_char, (caddr_t)&asked,
					(xdrproc_t)xdr_char, (caddr_t)&got, timeout);
		if (rpc->failed == RPC_SUCCESS) {
			rpc->done++;
			rpc->wrong += got != asked + 1;
		}
	}
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	struct rpc *rpc = state;
	unsigned long long done = rpc->done;
	char name[SOCKET_NAME], how[80];

	socket_name(name, &rpc->server);
	if (rpc->failed != RPC_SUCCESS) {
		if (peer_ended(&rpc->peer, rpc->failed == RPC_TIMEDOUT ? 0 : 1000, how, sizeof how))
			return err_set(env->err, -EPIPE, "RPC call %llu to %s: the other process ended: %s", done + 1,
				       name, how);
		return err_set(env->err, -EIO, "RPC call %llu to %s: %s", done + 1, name, clnt_sperrno(rpc->failed));
	}
	if (done != ops)
		return err_set(env->err, -EIO, "RPC to %s: %llu calls instead of %llu", name, done,
			       (unsigned long long)ops);
	if (rpc->wrong)
		return err_set(env->err, -EBADMSG, "RPC to %s: %d of %llu answers were wrong", name, rpc->wrong, done);
	return 0;
}

static void teardown(void *state)
{
	struct rpc *rpc = state;

	if (rpc->client)
		clnt_destroy(rpc->client);
	rpc->client = NULL;
	close_socket(rpc);
	peer_stop(&rpc->peer);
}
#else
struct rpc {
	int unused;
};

static int setup(void *state, struct bench_env *env)
{
	(void)state;
	return err_set(env->err, -EOPNOTSUPP,
		       "unavailable: built without RPC (install libtirpc-dev and build again)");
}

static void run(void *state, uint64_t n)
{
	(void)state;
	(void)n;
}

static int check(void *state, uint64_t ops, struct bench_env *env)
{
	(void)state;
	(void)ops;
	return err_set(env->err, -EOPNOTSUPP, "unavailable: built without RPC");
}

static void teardown(void *state)
{
	(void)state;
}
#endif

static const struct bench net_rpc = {
	.name = "net.rpc",
	.title = "a remote procedure call on loopback",
	.unit = BENCH_NS,
	.class = CLASS_OS,
	.needs = NEED_LOOPBACK,
	.variants = variants,
	.state_size = sizeof(struct rpc),
	.peers = true,
	.gives_up_cpu = true,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};
BENCH_REGISTER(net_rpc);
