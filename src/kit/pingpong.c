#include "kit/pingpong.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_ALIGN = 4096 }; /* the same place within the page in every process: layout below it is no factor */

/* The peer: one message in, the same message out, until the other side closes. */
static int echo(void *arg)
{
	struct pingpong *pingpong = arg;
	const struct transfer_ends *ends = &pingpong->pair.there;

	transfer_close(&pingpong->pair.here);
	for (;;) {
		int r = transfer_read(ends->in, pingpong->got, pingpong->size);
		if (r == 0)
			r = transfer_write(ends->out, pingpong->got, pingpong->size);
		if (r < 0)
			return r == -EPIPE ? 0 : 1;
	}
}

static int make_messages(struct pingpong *pingpong)
{
	void *sent = NULL, *got = NULL;

	if (posix_memalign(&sent, MESSAGE_ALIGN, pingpong->size))
		return -ENOMEM;
	pingpong->sent = sent;
	if (posix_memalign(&got, MESSAGE_ALIGN, pingpong->size))
		return -ENOMEM;
	pingpong->got = got;
	for (uint64_t i = 0; i < pingpong->size; i++)
		pingpong->sent[i] = (char)(i * 31 + 7);
	memset(pingpong->got, 0, pingpong->size); /* or its pages would first be touched inside the clock */
	return 0;
}

int pingpong_start(struct pingpong *pingpong, const struct transfer_pair *pair, uint64_t size, int peer_cpu,
		   struct err *err)
{
	pingpong->open = true;
	pingpong->pair = *pair;
	pingpong->size = size;
	int r = make_messages(pingpong);
	if (r < 0)
		err_sys(err, r, "cannot get two messages of %llu bytes", (unsigned long long)size);
	else
		r = peer_start(&pingpong->peer, peer_cpu, echo, pingpong, err);
	transfer_close(&pingpong->pair.there); /* with no copy left here, the peer's end is our end of file */
	if (r < 0)
		pingpong_stop(pingpong);
	return r;
}

void pingpong_run(struct pingpong *pingpong, uint64_t n)
{
	const struct transfer_ends ends = pingpong->pair.here;
	uint64_t size = pingpong->size;
	size_t marked = size < sizeof pingpong->done ? size : sizeof pingpong->done;

	for (; n && !pingpong->failed; n--) {
		uint64_t number = pingpong->done;
		memcpy(pingpong->sent, &number, marked);
		int r = transfer_write(ends.out, pingpong->sent, size);
		if (r == 0)
			r = transfer_read(ends.in, pingpong->got, size);
		if (r == 0 && memcmp(pingpong->got, &number, marked) != 0)
			r = -EBADMSG;
		if (r < 0)
			pingpong->failed = r;
		else
			pingpong->done++;
	}
}

int pingpong_check(struct pingpong *pingpong, uint64_t ops, const char *whom, struct err *err)
{
	unsigned long long done = pingpong->done;
	char how[80];

	if (pingpong->failed) {
		if (peer_ended(&pingpong->peer, pingpong->failed == -EBADMSG ? 0 : 1000, how, sizeof how))
			return err_set(err, pingpong->failed, "%s, round trip %llu: the other process ended: %s", whom,
				       done + 1, how);
		if (pingpong->failed == -EBADMSG)
			return err_set(err, -EBADMSG, "%s, round trip %llu: another message came back", whom, done + 1);
		return err_sys(err, pingpong->failed, "%s, round trip %llu", whom, done + 1);
	}
	if (done != ops)
		return err_set(err, -EIO, "%s: %llu round trips instead of %llu", whom, done, (unsigned long long)ops);
	if (ops && memcmp(pingpong->sent, pingpong->got, pingpong->size) != 0)
		return err_set(err, -EBADMSG, "%s: the last message came back with other bytes", whom);
	return 0;
}

void pingpong_stop(struct pingpong *pingpong)
{
	if (!pingpong->open)
		return; /* zeroed: descriptor 0 is not ours */
	peer_stop(&pingpong->peer);
	transfer_close(&pingpong->pair.here);
	free(pingpong->sent);
	free(pingpong->got);
	*pingpong = (struct pingpong){ 0 };
}
