#include "kit/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_ALIGN = 4096 };

static size_t marked(const struct stream *stream)
{
	return stream->size < sizeof stream->done ? stream->size : sizeof stream->done;
}

static char pattern(uint64_t index)
{
	return (char)(index * 31 + 7);
}

/* The peer: reads how many blocks are wanted, writes them, until the other side closes. */
static int produce(void *arg)
{
	struct stream *stream = arg;
	uint64_t wanted;

	transfer_close(&stream->pair.here);
	close(stream->ask[1]);
	for (uint64_t i = 0; i < stream->size; i++)
		stream->block[i] = pattern(i);
	for (uint64_t number = 0; transfer_read(stream->ask[0], &wanted, sizeof wanted) == 0;) {
		for (; wanted; wanted--, number++) {
			memcpy(stream->block, &number, marked(stream));
			if (transfer_write(stream->pair.there.out, stream->block, stream->size) < 0)
				return 1;
		}
	}
	return 0;
}

/* Blocks of one operation: stream.h says why so many. */
static uint64_t blocks_of(uint64_t size, bool cross)
{
	uint64_t bytes = cross ? 16 << 20 : 4 << 20, most = cross ? 4096 : 2048;
	uint64_t blocks = bytes / size;

	if (blocks > most)
		return most;
	return blocks ? blocks : 1;
}

int stream_start(struct stream *stream, const struct transfer_pair *pair, uint64_t size, int peer_cpu, struct err *err)
{
	void *block = NULL;
	int r = 0;

	*stream = (struct stream){ .pair = *pair, .ask = { -1, -1 }, .size = size, .open = true };
	stream->blocks = blocks_of(size, peer_cpu >= 0);
	if (posix_memalign(&block, BLOCK_ALIGN, size))
		r = err_sys(err, -ENOMEM, "cannot get a block of %llu bytes", (unsigned long long)size);
	stream->block = block;
	if (r == 0 && pipe2(stream->ask, O_CLOEXEC) < 0)
		r = err_sys(err, -errno, "cannot make a control pipe");
	if (r == 0) {
		memset(block, 0, size); /* or its pages would first be touched inside the clock */
		r = peer_start(&stream->peer, peer_cpu, produce, stream, err);
	}
	transfer_close(&stream->pair.there); /* with no copy left here, the peer's end is our end of file */
	if (r < 0) {
		stream_stop(stream);
		return r;
	}
	close(stream->ask[0]);
	stream->ask[0] = -1;
	return 0;
}

void stream_run(struct stream *stream, uint64_t n)
{
	size_t compared = marked(stream);
	uint64_t wanted = n * stream->blocks;

	if (!stream->failed)
		stream->failed = transfer_write(stream->ask[1], &wanted, sizeof wanted);
	for (; wanted && !stream->failed; wanted--) {
		int r = transfer_read(stream->pair.here.in, stream->block, stream->size);
		if (r == 0 && memcmp(stream->block, &stream->done, compared) != 0)
			r = -EBADMSG;
		if (r < 0)
			stream->failed = r;
		else
			stream->done++;
	}
}

static int check_pattern(const struct stream *stream, const char *whom, struct err *err)
{
	for (uint64_t i = marked(stream); stream->done && i < stream->size; i++)
		if (stream->block[i] != pattern(i))
			return err_set(err, -EBADMSG, "%s: byte %llu of the last block arrived changed", whom,
				       (unsigned long long)i);
	return 0;
}

int stream_check(struct stream *stream, uint64_t ops, const char *whom, struct err *err)
{
	unsigned long long done = stream->done, wanted = ops * stream->blocks;
	char how[80];

	if (stream->failed) {
		if (peer_ended(&stream->peer, stream->failed == -EBADMSG ? 0 : 1000, how, sizeof how))
			return err_set(err, stream->failed, "%s, block %llu: the other process ended: %s", whom,
				       done + 1, how);
		if (stream->failed == -EBADMSG)
			return err_set(err, -EBADMSG, "%s: another block arrived as number %llu", whom, done + 1);
		return err_sys(err, stream->failed, "%s, block %llu", whom, done + 1);
	}
	if (done != wanted)
		return err_set(err, -EIO, "%s: %llu blocks instead of %llu", whom, done, wanted);
	return check_pattern(stream, whom, err);
}

uint64_t stream_bytes(const struct stream *stream)
{
	return stream->blocks * stream->size;
}

void stream_stop(struct stream *stream)
{
	if (!stream->open)
		return; /* zeroed: descriptor 0 is not ours */
	peer_stop(&stream->peer);
	transfer_close(&stream->pair.here);
	for (int i = 0; i < 2; i++)
		if (stream->ask[i] >= 0)
			close(stream->ask[i]);
	free(stream->block);
	*stream = (struct stream){ 0 };
}
