// SPDX-License-Identifier: MIT
/*
 * SUBMIT: packets into a stream's ring. What is checked are opcodes, flags, reserved fields and
 * constants, by the tables of Documentation/device.md; addresses, and what depends on the AI core, are
 * the device's business.
 */
#include <errno.h>
#include <string.h>

#include "direct.h"

static bool zero(const void *from, size_t size)
{
	const uint8_t *p = from;

	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

#define ZERO(array) zero(array, sizeof(array))

static bool grid_ok(const struct anpu_pkt_kernel *k)
{
	bool related = k->core_type == ANPU_CORE_MIX || k->cluster_x > 1 || k->cluster_y > 1 || k->cluster_z > 1;
	uint32_t most = related ? ANPU_MAX_RELATED_BLOCKS : ANPU_MAX_BLOCKS;
	uint64_t blocks = (uint64_t)k->grid_x * k->grid_y;

	/* the product of two has 31 bits when that of three is made */
	if (!blocks || !k->grid_z || blocks > most || blocks * k->grid_z > most)
		return false;
	return !(k->cluster_x && k->grid_x % k->cluster_x) && !(k->cluster_y && k->grid_y % k->cluster_y) &&
	       !(k->cluster_z && k->grid_z % k->cluster_z);
}

static bool kernel_ok(const struct anpu_pkt_kernel *k)
{
	bool mix = k->core_type == ANPU_CORE_MIX;

	if (k->hdr.flags & ~ANPU_KERNEL_FLAGS)
		return false;
	if (!(k->hdr.flags & ANPU_KERNEL_OVERFLOW) && ANPU_KERNEL_GET_OVERFLOW_ENTRY(k->hdr.flags))
		return false;
	if (k->entry & 3 || k->args & 7 || (!k->args_size && k->args && !(k->hdr.flags & ANPU_KERNEL_LAUNCH)))
		return false;
	if (k->sched_mode >= ANPU_SCHED_COUNT || k->core_type >= ANPU_CORE_COUNT ||
	    k->priority >= ANPU_PRIORITIES)
		return false;
	if (mix ? k->mix_ratio < 1 || k->mix_ratio > 2 || k->aiv_entry & 3 : k->mix_ratio || k->aiv_entry)
		return false;
	return grid_ok(k);
}

static bool copy_2d_ok(const struct anpu_pkt_copy_2d *c)
{
	uint64_t pitch = c->src_pitch > c->dst_pitch ? c->src_pitch : c->dst_pitch;

	if (c->hdr.flags || c->reserved || c->src_pitch < c->width || c->dst_pitch < c->width)
		return false;
	return !c->height || pitch <= (1ULL << 63) / c->height;
}

static bool fill_ok(const struct anpu_pkt_fill *f)
{
	uint32_t size = f->pattern_size;

	if (f->hdr.flags || f->reserved0 || !ZERO(f->reserved))
		return false;
	return size && !(size & (size - 1)) && size <= 8 && !((f->dst | f->size) & (size - 1));
}

static bool signal_ok(const struct anpu_pkt_sem_signal *s)
{
	if (s->hdr.flags & ~ANPU_SEM_SIGNAL_FLAGS || !ZERO(s->reserved))
		return false;
	if ((s->width != 4 && s->width != 8) || s->op >= ANPU_SEM_OP_COUNT)
		return false;
	return !(s->addr & (s->width - 1)) && !(s->timestamp & 7);
}

static bool wait_ok(const struct anpu_pkt_sem_wait *w)
{
	if (w->hdr.flags & ~ANPU_SEM_WAIT_FLAGS || !ZERO(w->reserved))
		return false;
	return (w->width == 4 || w->width == 8) && w->cond < ANPU_SEM_COND_COUNT && !(w->addr & (w->width - 1));
}

static bool indirect_ok(const struct anpu_pkt_indirect *i)
{
	if (i->hdr.flags || i->reserved0 || !ZERO(i->reserved))
		return false;
	return !(i->addr & (ANPU_PACKET_SIZE - 1)) && i->count && i->count <= ANPU_MAX_INDIRECT;
}

static bool reduce_ok(const struct anpu_pkt_reduce *r)
{
	if (r->hdr.flags || !ZERO(r->reserved) || r->op >= ANPU_REDUCE_OP_COUNT ||
	    r->type >= ANPU_REDUCE_TYPE_COUNT)
		return false;
	return !((r->src | r->dst | r->size) & (ANPU_REDUCE_SIZE(r->type) - 1));
}

static bool random_ok(const struct anpu_pkt_random *r)
{
	bool mask = r->dist == ANPU_RANDOM_BITMASK;

	if (r->hdr.flags & ~ANPU_RANDOM_FLAGS || !zero(&r->reserved, sizeof(r->reserved)))
		return false;
	if (r->dist >= ANPU_RANDOM_DIST_COUNT || r->type >= ANPU_RANDOM_TYPE_COUNT)
		return false;
	if (r->dist != ANPU_RANDOM_UNIFORM && r->type < ANPU_RANDOM_F16)
		return false;
	if (mask && (r->b || r->hdr.flags & ANPU_RANDOM_B_AT))
		return false;
	return mask || !(r->dst & (ANPU_RANDOM_SIZE(r->type) - 1));
}

/* Opcodes without constants: no flags, and everything from a word on is reserved */
static bool plain_ok(const union anpu_packet *pkt, unsigned int words)
{
	return !pkt->hdr.flags && zero(pkt->qword + words, ANPU_PACKET_SIZE - 8 * words);
}

static bool packet_ok(const union anpu_packet *pkt)
{
	if (pkt->hdr.reserved)
		return false;
	switch (pkt->hdr.opcode) {
	case ANPU_OP_NOP:
		return plain_ok(pkt, 1);
	case ANPU_OP_KERNEL:
		return kernel_ok(&pkt->kernel);
	case ANPU_OP_COPY:
		return plain_ok(pkt, 4);
	case ANPU_OP_COPY_2D:
		return copy_2d_ok(&pkt->copy_2d);
	case ANPU_OP_COPY_DESC:
		return plain_ok(pkt, 2) && !(pkt->copy_desc.desc & 7);
	case ANPU_OP_FILL:
		return fill_ok(&pkt->fill);
	case ANPU_OP_SEM_SIGNAL:
		return signal_ok(&pkt->sem_signal);
	case ANPU_OP_SEM_WAIT:
		return wait_ok(&pkt->sem_wait);
	case ANPU_OP_TIMESTAMP:
		return plain_ok(pkt, 2) && !(pkt->timestamp.addr & 7);
	case ANPU_OP_NOTIFY:
		return plain_ok(pkt, 3);
	case ANPU_OP_INDIRECT:
		return indirect_ok(&pkt->indirect);
	case ANPU_OP_REDUCE:
		return reduce_ok(&pkt->reduce);
	case ANPU_OP_RANDOM:
		return random_ok(&pkt->random);
	}
	return false;
}

/* The ring --------------------------------------------------------------------------------------- */

static void publish(struct stream *s, uint64_t wptr)
{
	atomic_store(&s->wptr, wptr);
	__atomic_store_n(&s->control->wptr, wptr, __ATOMIC_RELEASE);
	/* the device clears polling, and then looks at wptr once more */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&s->status->polling, __ATOMIC_RELAXED))
		anpu_model_doorbell(s->dev->model, s->queue, wptr);
}

/* Packets until the ring is full or one is bad; 0 or an error about the next one */
static int put_some(struct stream *s, struct drm_anpu_submit *args)
{
	const union anpu_packet *from = (const void *)(uintptr_t)args->packets.array;
	uint64_t size = 1ULL << s->ring_log2, wptr = atomic_load(&s->wptr), first = wptr;
	uint64_t completed = stream_completed(s);
	int err = 0;

	while (!err && args->submitted < args->packets.count && wptr - completed < size) {
		union anpu_packet pkt;

		err = guard_copy(&pkt, &from[args->submitted], sizeof(pkt));
		if (!err && !packet_ok(&pkt))
			err = -EINVAL;
		if (err)
			break;
		s->ring[wptr++ & (size - 1)] = pkt;
		args->submitted++;
	}
	if (wptr != first)
		publish(s, wptr);
	return err;
}

static int submit(struct stream *s, struct drm_anpu_submit *args)
{
	uint64_t size = 1ULL << s->ring_log2;
	int err = 0;

	while (!err && args->submitted < args->packets.count) {
		uint64_t wptr = atomic_load(&s->wptr), left = args->packets.count - args->submitted;

		if (atomic_load(&s->dead))
			err = -EIO;
		else if (stream_state(s) == ANPU_QUEUE_HALTED)
			err = -ECANCELED;
		else if (wptr - stream_completed(s) < size)
			err = put_some(s, args);
		else if (args->flags & DRM_ANPU_SUBMIT_NONBLOCK)
			err = -EAGAIN;
		else
			err = wait_seq(s, wptr - size + min_u64(left, size / 2));
	}
	return err;
}

int submit_ioctl(struct file *file, void *data)
{
	struct drm_anpu_submit *args = data;
	struct stream *s;
	int err;

	if (args->flags & ~DRM_ANPU_SUBMIT_NONBLOCK || args->pad ||
	    args->packets.stride != ANPU_PACKET_SIZE || !args->packets.count)
		return -EINVAL;
	s = stream_find(file, args->stream);
	if (!s)
		return -ENOENT;
	if (s->flags & DRM_ANPU_STREAM_USER_QUEUE) {
		stream_put(s);
		return -EPERM;
	}
	args->submitted = 0;
	args->seq = 0;
	pthread_mutex_lock(&s->lock);
	err = submit(s, args);
	if (args->submitted)
		args->seq = atomic_load(&s->wptr);
	pthread_mutex_unlock(&s->lock);
	stream_put(s);
	return args->submitted ? 0 : err;
}
