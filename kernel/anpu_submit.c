// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * SUBMIT: packets from userspace into a stream's ring.
 *
 * Packets are copied once to the stack, checked there and copied to the ring; what is checked is
 * what runs. Nothing is allocated. The checks are those of Documentation/device.md on constants,
 * flags and reserved fields; addresses, and what depends on the AI core (dyn_scratch, BATCH), are
 * the device's business.
 */
#include <linux/uaccess.h>

#include "anpu_stream.h"

/* Packets copied at a time: 1 KiB of stack. */
#define ANPU_SUBMIT_BATCH	16

/* Checks --------------------------------------------------------------------------------------- */

static bool anpu_zero(const u64 *words, unsigned int count)
{
	u64 all = 0;

	while (count--)
		all |= *words++;
	return !all;
}

static bool anpu_check_grid(const struct anpu_pkt_kernel *k)
{
	u64 blocks;

	if (!k->grid_x || !k->grid_y || !k->grid_z || k->grid_x > ANPU_MAX_BLOCKS ||
	    k->grid_y > ANPU_MAX_BLOCKS || k->grid_z > ANPU_MAX_BLOCKS)
		return false;
	/* Each factor has 16 bits, so the product of two has 32 and that of three 48. */
	blocks = (u64)k->grid_x * k->grid_y * k->grid_z;
	if (blocks > ANPU_MAX_BLOCKS)
		return false;
	return !(k->cluster_x && k->grid_x % k->cluster_x) &&
	       !(k->cluster_y && k->grid_y % k->cluster_y) &&
	       !(k->cluster_z && k->grid_z % k->cluster_z);
}

static bool anpu_check_kernel(const struct anpu_pkt_kernel *k)
{
	bool mix = k->core_type == ANPU_CORE_MIX;

	if (k->hdr.flags & ~ANPU_KERNEL_FLAGS || k->reserved)
		return false;
	if (k->entry & 3 || k->args & 7 || (!k->args_size && k->args))
		return false;
	if (k->sched_mode >= ANPU_SCHED_COUNT || k->core_type >= ANPU_CORE_COUNT ||
	    k->priority >= ANPU_PRIORITIES)
		return false;
	if (mix ? k->mix_ratio < 1 || k->mix_ratio > 2 : k->mix_ratio)
		return false;
	if (mix ? k->aiv_entry & 3 : k->aiv_entry)
		return false;
	return anpu_check_grid(k);
}

static bool anpu_check_copy_2d(const struct anpu_pkt_copy_2d *c)
{
	u64 pitch = max(c->src_pitch, c->dst_pitch);

	if (c->hdr.flags || c->reserved)
		return false;
	if (c->src_pitch < c->width || c->dst_pitch < c->width)
		return false;
	return !c->height || pitch <= BIT_ULL(63) / c->height;
}

static bool anpu_check_fill(const struct anpu_pkt_fill *f)
{
	if (f->hdr.flags || f->reserved0 || !anpu_zero(f->reserved, ARRAY_SIZE(f->reserved)))
		return false;
	if (!is_power_of_2(f->pattern_size) || f->pattern_size > 8)
		return false;
	return !((f->dst | f->size) & (f->pattern_size - 1));
}

static bool anpu_check_signal(const struct anpu_pkt_sem_signal *s)
{
	if (s->hdr.flags & ~ANPU_SEM_SIGNAL_FLAGS ||
	    !anpu_zero(s->reserved, ARRAY_SIZE(s->reserved)))
		return false;
	if ((s->width != 4 && s->width != 8) || s->op >= ANPU_SEM_OP_COUNT)
		return false;
	return !(s->addr & (s->width - 1)) && !(s->timestamp & 7);
}

static bool anpu_check_wait(const struct anpu_pkt_sem_wait *w)
{
	if (w->hdr.flags & ~ANPU_SEM_WAIT_FLAGS ||
	    !anpu_zero(w->reserved, ARRAY_SIZE(w->reserved)))
		return false;
	if ((w->width != 4 && w->width != 8) || w->cond >= ANPU_SEM_COND_COUNT)
		return false;
	return !(w->addr & (w->width - 1));
}

static bool anpu_check_indirect(const struct anpu_pkt_indirect *i)
{
	if (i->hdr.flags || i->reserved0 || !anpu_zero(i->reserved, ARRAY_SIZE(i->reserved)))
		return false;
	return !(i->addr & (ANPU_PACKET_SIZE - 1)) && i->count && i->count <= ANPU_MAX_INDIRECT;
}

/* Opcodes without constants: no flags, and everything from a word on is reserved. */
static bool anpu_check_plain(const union anpu_packet *pkt, unsigned int words)
{
	return !pkt->hdr.flags &&
	       anpu_zero(pkt->qword + words, ARRAY_SIZE(pkt->qword) - words);
}

/**
 * anpu_packet_check() - check everything in a packet that needs no address space
 * @pkt: packet in kernel memory
 *
 * Return: 0 or -EINVAL.
 */
int anpu_packet_check(const union anpu_packet *pkt)
{
	bool ok = false;

	if (pkt->hdr.reserved)
		return -EINVAL;
	switch (pkt->hdr.opcode) {
	case ANPU_OP_NOP:
		ok = anpu_check_plain(pkt, 1);
		break;
	case ANPU_OP_KERNEL:
		ok = anpu_check_kernel(&pkt->kernel);
		break;
	case ANPU_OP_COPY:
		ok = anpu_check_plain(pkt, 4);
		break;
	case ANPU_OP_COPY_2D:
		ok = anpu_check_copy_2d(&pkt->copy_2d);
		break;
	case ANPU_OP_COPY_DESC:
		ok = anpu_check_plain(pkt, 2) && !(pkt->copy_desc.desc & 7);
		break;
	case ANPU_OP_FILL:
		ok = anpu_check_fill(&pkt->fill);
		break;
	case ANPU_OP_SEM_SIGNAL:
		ok = anpu_check_signal(&pkt->sem_signal);
		break;
	case ANPU_OP_SEM_WAIT:
		ok = anpu_check_wait(&pkt->sem_wait);
		break;
	case ANPU_OP_TIMESTAMP:
		ok = anpu_check_plain(pkt, 2) && !(pkt->timestamp.addr & 7);
		break;
	case ANPU_OP_NOTIFY:
		ok = anpu_check_plain(pkt, 3);
		break;
	case ANPU_OP_INDIRECT:
		ok = anpu_check_indirect(&pkt->indirect);
		break;
	}
	return ok ? 0 : -EINVAL;
}

/* The ring ------------------------------------------------------------------------------------- */

static u64 anpu_ring_room(const struct anpu_stream *stream)
{
	u64 used = stream->wptr - anpu_stream_completed(stream), size = 1ULL << stream->ring_log2;

	/* A device that claims more than there was is not to be trusted with the ring. */
	return used > size ? 0 : size - used;
}

/**
 * anpu_submit_locked() - put packets into the ring and tell the device
 * @stream: stream, whose lock is held
 * @pkts: checked packets
 * @count: how many; there is room for them
 */
void anpu_submit_locked(struct anpu_stream *stream, const union anpu_packet *pkts, u32 count)
{
	u64 mask = (1ULL << stream->ring_log2) - 1, wptr = stream->wptr;

	for (u32 i = 0; i < count; i++, wptr++)
		memcpy(&stream->ring[wptr & mask], &pkts[i], sizeof(*pkts));
	WRITE_ONCE(stream->wptr, wptr);
	/* The packets are in the ring before the device may look at them. */
	smp_store_release(&stream->control->wptr, wptr);
	/* Pairs with the device's between clearing polling and reading wptr. */
	mb();
	if (!READ_ONCE(stream->status->polling))
		writeq(wptr, stream->adev->regs + ANPU_DOORBELL_OFFSET +
		       stream->queue * ANPU_DOORBELL_STRIDE + ANPU_DOORBELL_WPTR);
}

static int anpu_submit_state(struct anpu_stream *stream)
{
	if (READ_ONCE(stream->dead))
		return -EIO;
	if (anpu_stream_state(stream) == ANPU_QUEUE_HALTED)
		return -ECANCELED;
	return 0;
}

/* Waits until a part of the ring is free, so that a fast producer does not wake for each packet. */
static int anpu_submit_wait_room(struct anpu_stream *stream, u32 wanted, bool nonblock)
{
	u64 size = 1ULL << stream->ring_log2, part = min_t(u64, wanted, size / 2);
	int ret;

	if (nonblock)
		return -EAGAIN;
	stream->full_waiters++;
	ret = anpu_stream_wait(stream, stream->wptr - size + part, S64_MAX, true);
	stream->full_waiters--;
	return ret;
}

static int anpu_submit_copy(const struct drm_anpu_submit *args, u32 done, u32 count,
			    union anpu_packet *pkts)
{
	const void __user *from = u64_to_user_ptr(args->packets.array);

	return copy_from_user(pkts, from + (size_t)done * sizeof(*pkts), count * sizeof(*pkts)) ?
		-EFAULT : 0;
}

static int anpu_submit_batch(struct anpu_stream *stream, struct drm_anpu_submit *args)
{
	union anpu_packet pkts[ANPU_SUBMIT_BATCH];
	u32 count = min_t(u32, args->packets.count - args->submitted, ANPU_SUBMIT_BATCH);
	u32 good;
	int ret;

	ret = anpu_submit_copy(args, args->submitted, count, pkts);
	if (ret)
		return ret;
	for (good = 0; good < count; good++) {
		ret = anpu_packet_check(&pkts[good]);
		if (ret) {
			drm_dbg_driver(&stream->adev->drm, "SUBMIT: packet %u, opcode %u, is bad\n",
				       args->submitted + good, pkts[good].hdr.opcode);
			break;
		}
	}
	for (u32 done = 0; done < good;) {
		u32 room = min_t(u64, anpu_ring_room(stream), good - done);
		int err = anpu_submit_state(stream);

		if (!err && !room)
			err = anpu_submit_wait_room(stream, args->packets.count - args->submitted,
						    args->flags & DRM_ANPU_SUBMIT_NONBLOCK);
		if (err)
			return err;
		if (!room)
			continue;
		anpu_submit_locked(stream, pkts + done, room);
		done += room;
		args->submitted += room;
	}
	return ret;
}

int anpu_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_stream *stream __free(anpu_stream) = NULL;
	struct drm_anpu_submit *args = data;
	int ret = 0;

	if (args->flags & ~DRM_ANPU_SUBMIT_NONBLOCK || args->pad ||
	    args->packets.stride != ANPU_PACKET_SIZE || !args->packets.count)
		return -EINVAL;
	CLASS(anpu_enter, idx)(drm);
	if (idx < 0)
		return idx;
	stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
	if (!stream)
		return -ENOENT;

	args->submitted = 0;
	args->seq = 0;
	if (args->flags & DRM_ANPU_SUBMIT_NONBLOCK && READ_ONCE(stream->full_waiters))
		return -EAGAIN;
	ret = mutex_lock_interruptible(&stream->lock);
	if (ret)
		return ret;
	while (!ret && args->submitted < args->packets.count)
		ret = anpu_submit_batch(stream, args);
	if (args->submitted)
		args->seq = stream->wptr;
	mutex_unlock(&stream->lock);
	return args->submitted ? 0 : ret;
}
