// SPDX-License-Identifier: MIT
/*
 * Marks that a program queues into its streams, for the timeline: each is a packet that does nothing, and its text
 * is kept by the number of its task, also for each replay if the task belongs to a graph.
 */
#include <stdlib.h>
#include <string.h>

#include "diag/diag.h"

#define DATA	18 /* bytes of a mark */
#define BUCKETS 4096

struct mark {
	struct mark *next; /* an older one */
	const char *text;
	uint32_t task;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects @marks */
static struct mark *marks[BUCKETS];

/* Text if it is that, with zeros behind it, and else all 18 bytes in hexadecimal */
static void make_text(const unsigned char *data, char *text)
{
	size_t n = strnlen((const char *)data, DATA), i;
	bool printable = n > 0;

	for (i = 0; i < DATA; i++)
		printable &= i < n ? data[i] >= ' ' && data[i] <= '~' : !data[i];
	if (printable) {
		memcpy(text, data, n);
		text[n] = 0;
		return;
	}
	memcpy(text, "0x", 2);
	for (i = 0; i < DATA; i++)
		sprintf(text + 2 + 2 * i, "%02x", data[i]);
}

static aclError keep(uint32_t task, const unsigned char *data)
{
	char text[2 * DATA + 3];
	struct mark *m = malloc(sizeof(*m)), **at = &marks[task % BUCKETS];

	make_text(data, text);
	if (m)
		*m = (struct mark){ .task = task, .text = anpu_trace_text(text) };
	if (!m || !m->text) {
		free(m);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a mark of the timeline");
	}
	pthread_mutex_lock(&lock);
	m->next = *at;
	*at = m;
	pthread_mutex_unlock(&lock);
	return ACL_SUCCESS;
}

const char *anpu_mark_of(uint32_t task)
{
	const struct mark *m;
	const char *text;

	pthread_mutex_lock(&lock);
	for (m = marks[task % BUCKETS]; m && m->task != task; m = m->next)
		;
	text = m ? m->text : NULL;
	pthread_mutex_unlock(&lock);
	return text;
}

aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream)
{
	union anpu_packet nop = { .hdr.opcode = ANPU_OP_NOP };
	unsigned char data[DATA] = { 0 };
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(userdata);
	if (length < 1 || length > DATA)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "length is %d and must be 1 to %d bytes", length, DATA);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	memcpy(data, userdata, (size_t)length);
	nop.hdr.task_id = anpu_task_number();
	/* before the device can have recorded the packet, and another thread have read that */
	if (anpu_trace_wanted())
		ret = keep(nop.hdr.task_id, data);
	if (!ret)
		ret = anpu_stream_submit_numbered(s, &nop);
	anpu_stream_put(s);
	return ret;
}
