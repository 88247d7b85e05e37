// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * SUBMIT: packets from userspace into a stream's ring.
 *
 * Packets are copied once, from user memory to their place in the ring, checked there, and given to
 * the device by the write index: before that it does not look at them, and no process can write
 * there, so what is checked is what runs. Nothing is allocated, and nothing large is on the stack,
 * which the kernel may be built to clear. The checks are those of Documentation/device.md on
 * constants, flags and reserved fields; addresses, and what depends on the AI core (dyn_scratch,
 * max_cores, BATCH), are the device's business.
 */
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "anpu_stream.h"
#include "anpu_submit.h"
#include "diag/anpu_trace.h"
#include "reset/anpu_pm.h"
#include "sync/anpu_gate.h"
#include "sync/anpu_wake.h"

/* Packets that are copied before the device gets the first of them. */
#define ANPU_SUBMIT_BATCH	16

/*
 * The stream of this CPU's last submission. The pointer is only compared: the stream may be gone.
 */
static DEFINE_PER_CPU(const struct anpu_stream *, anpu_last_stream);

/* Checks --------------------------------------------------------------------------------------- */

/*
 * Inlined with a constant count, this is a chain of ORs: 4.8 ns for the seven words of a NOP, where
 * the loop that -O2 makes takes 10.0 ns (an EPYC, gcc 12, without an emulator).
 */
static __always_inline bool anpu_zero(const u64 *words, unsigned int count)
{
	u64 all = 0;

#pragma GCC unroll 8
	for (unsigned int i = 0; i < count; i++)
		all |= words[i];
	return !all;
}

static bool anpu_check_grid(const struct anpu_pkt_kernel *k)
{
	bool related = k->core_type == ANPU_CORE_MIX || k->cluster_x > 1 || k->cluster_y > 1 ||
		       k->cluster_z > 1;
	u32 most = related ? ANPU_MAX_RELATED_BLOCKS : ANPU_MAX_BLOCKS;
	u64 blocks = (u64)k->grid_x * k->grid_y;

	if (!blocks || !k->grid_z || blocks > most)
		return false;
	/* The product so far has 31 bits and the last factor 32. */
	if (blocks * k->grid_z > most)
		return false;
	return !(k->cluster_x && k->grid_x % k->cluster_x) &&
	       !(k->cluster_y && k->grid_y % k->cluster_y) &&
	       !(k->cluster_z && k->grid_z % k->cluster_z);
}

static bool anpu_check_kernel(const struct anpu_pkt_kernel *k)
{
	bool mix = k->core_type == ANPU_CORE_MIX;

	if (k->hdr.flags & ~ANPU_KERNEL_FLAGS)
		return false;
	if (!(k->hdr.flags & ANPU_KERNEL_OVERFLOW) && ANPU_KERNEL_GET_OVERFLOW_ENTRY(k->hdr.flags))
		return false;
	if (k->entry & 3 || k->args & 7 ||
	    (!k->args_size && k->args && !(k->hdr.flags & ANPU_KERNEL_LAUNCH)))
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

static bool anpu_check_reduce(const struct anpu_pkt_reduce *r)
{
	if (r->hdr.flags || !anpu_zero(r->reserved, ARRAY_SIZE(r->reserved)))
		return false;
	if (r->op >= ANPU_REDUCE_OP_COUNT || r->type >= ANPU_REDUCE_TYPE_COUNT)
		return false;
	return !((r->src | r->dst | r->size) & (ANPU_REDUCE_SIZE(r->type) - 1));
}

static bool anpu_check_random(const struct anpu_pkt_random *r)
{
	bool mask = r->dist == ANPU_RANDOM_BITMASK;

	if (r->hdr.flags & ~ANPU_RANDOM_FLAGS || memchr_inv(r->reserved, 0, sizeof(r->reserved)))
		return false;
	if (r->dist >= ANPU_RANDOM_DIST_COUNT || r->type >= ANPU_RANDOM_TYPE_COUNT)
		return false;
	if (r->dist != ANPU_RANDOM_UNIFORM && r->type < ANPU_RANDOM_F16)
		return false;
	if (mask && (r->b || r->hdr.flags & ANPU_RANDOM_B_AT))
		return false;
	return mask || !(r->dst & (ANPU_RANDOM_SIZE(r->type) - 1));
}

/* Opcodes without constants: no flags, and everything from a word on is reserved. */
static __always_inline bool anpu_check_plain(const union anpu_packet *pkt, unsigned int words)
{
	return !pkt->hdr.flags &&
	       anpu_zero(pkt->qword + words, ARRAY_SIZE(pkt->qword) - words);
}

/* Everything in a packet that needs no address space. */
static bool anpu_packet_ok(const union anpu_packet *pkt)
{
	if (pkt->hdr.reserved)
		return false;
	switch (pkt->hdr.opcode) {
	case ANPU_OP_NOP:
		return anpu_check_plain(pkt, 1);
	case ANPU_OP_KERNEL:
		return anpu_check_kernel(&pkt->kernel);
	case ANPU_OP_COPY:
		return anpu_check_plain(pkt, 4);
	case ANPU_OP_COPY_2D:
		return anpu_check_copy_2d(&pkt->copy_2d);
	case ANPU_OP_COPY_DESC:
		return anpu_check_plain(pkt, 2) && !(pkt->copy_desc.desc & 7);
	case ANPU_OP_FILL:
		return anpu_check_fill(&pkt->fill);
	case ANPU_OP_SEM_SIGNAL:
		return anpu_check_signal(&pkt->sem_signal);
	case ANPU_OP_SEM_WAIT:
		return anpu_check_wait(&pkt->sem_wait);
	case ANPU_OP_TIMESTAMP:
		return anpu_check_plain(pkt, 2) && !(pkt->timestamp.addr & 7);
	case ANPU_OP_NOTIFY:
		return anpu_check_plain(pkt, 3);
	case ANPU_OP_INDIRECT:
		return anpu_check_indirect(&pkt->indirect);
	case ANPU_OP_REDUCE:
		return anpu_check_reduce(&pkt->reduce);
	case ANPU_OP_RANDOM:
		return anpu_check_random(&pkt->random);
	}
	return false;
}

/* A packet of a BOUNDED stream ends by itself, and what it executes cannot change meanwhile. */
static bool anpu_packet_bound(union anpu_packet *pkt)
{
	switch (pkt->hdr.opcode) {
	case ANPU_OP_KERNEL:
		if (pkt->kernel.timeout_us == ANPU_TIMEOUT_DEFAULT)
			pkt->kernel.timeout_us = DRM_ANPU_BOUNDED_US;
		return pkt->kernel.timeout_us <= DRM_ANPU_BOUNDED_US;
	case ANPU_OP_SEM_WAIT:
		return pkt->sem_wait.timeout_us <= DRM_ANPU_BOUNDED_US;
	case ANPU_OP_INDIRECT:
		return false;
	}
	return true;
}

/**
 * anpu_packet_check() - may a stream execute a packet?
 * @stream: stream
 * @pkt: the packet, where no process can write; of a BOUNDED stream a default is filled in
 *
 * Return: whether it may.
 */
bool anpu_packet_check(const struct anpu_stream *stream, union anpu_packet *pkt)
{
	return anpu_packet_ok(pkt) && (!(stream->flags & DRM_ANPU_STREAM_BOUNDED) ||
				       anpu_packet_bound(pkt));
}

/* The ring ------------------------------------------------------------------------------------- */

/**
 * anpu_ring_room() - how many packets can be put into the ring
 * @stream: stream, whose lock is held
 * @wanted: how many the caller has, at least 1
 *
 * The status page, a cache line and a page of many, is read only if the ring has no room without
 * it.
 *
 * Return: their number, which may be more or less than @wanted.
 */
u64 anpu_ring_room(struct anpu_stream *stream, u64 wanted)
{
	u64 completed;

	if (stream->wptr - stream->seen + wanted > stream->ring_mask + 1) {
		completed = anpu_stream_completed(stream);
		/*
		 * A device that claims to have completed more than there was is not trusted with
		 * the ring.
		 */
		if (stream->wptr - completed > stream->ring_mask + 1)
			return 0;
		stream->seen = completed;
	}
	return stream->ring_mask + 1 - (stream->wptr - stream->seen);
}

static union anpu_packet *anpu_ring_slot(struct anpu_stream *stream, u64 index)
{
	return &stream->ring[index & stream->ring_mask];
}

/* Rings the shadow doorbell. Returns whether the device polls it. */
static bool anpu_ring_shadow(const struct anpu_stream *stream)
{
	struct anpu_shadow_doorbells *shadow = stream->shadow;

	/* A device that sees rung also sees wptr. There are none in a write-combining mapping. */
	dma_wmb();
	WRITE_ONCE(shadow->rung[stream->queue], 1);
	/* A device that sees the group also sees rung. */
	dma_wmb();
	WRITE_ONCE(shadow->group[stream->queue / ANPU_SHADOW_GROUP], 1);
	/* Pairs with the device's between clearing polling and looking at the shadow doorbells. */
	mb();
	return READ_ONCE(shadow->polling);
}

/*
 * Does the device see the new wptr without a doorbell? A queue that is submitted to again and
 * again is watched by itself. With many streams in turn the status page of each, which the device
 * writes, is in no cache: to read it takes 16 ns on an EPYC, to ring the shadow doorbell 1.6 ns.
 */
static bool anpu_ring_watched(struct anpu_stream *stream)
{
	bool again = this_cpu_read(anpu_last_stream) == stream;

	if (!again)
		this_cpu_write(anpu_last_stream, stream);
	if (again || !stream->shadow) {
		/* Pairs with the device's between clearing polling and reading wptr. */
		mb();
		if (READ_ONCE(stream->status->polling))
			return true;
	}
	return stream->shadow && anpu_ring_shadow(stream);
}

/**
 * anpu_ring_give() - tell the device of packets
 * @stream: stream, whose lock is held, or, while it has gates, alive and under its wait_lock
 * @wptr: index behind the last one
 *
 * Called from interrupts.
 */
void anpu_ring_give(struct anpu_stream *stream, u64 wptr)
{
	bool doorbell;

	/* A device that sees wptr also sees the packets. */
	anpu_hbm_wmb(stream->coherent);
	WRITE_ONCE(stream->control->wptr, wptr);
	doorbell = !anpu_ring_watched(stream);
	if (doorbell)
		writeq(stream->kick ? stream->queue : wptr, stream->doorbell);
	trace_anpu_submit(stream, wptr, doorbell);
}

/**
 * anpu_ring_publish() - packets were put into the ring: give them to the device when it may have
 *	them
 * @stream: stream, whose lock is held
 * @wptr: index behind the last one
 */
void anpu_ring_publish(struct anpu_stream *stream, u64 wptr)
{
	/* Pairs with anpu_gates_advance(), so that the greater index is given last. */
	if (unlikely(smp_load_acquire(&stream->gated)) && anpu_gates_submitted(stream, wptr))
		return;
	WRITE_ONCE(stream->wptr, wptr);
	anpu_ring_give(stream, wptr);
}

/**
 * anpu_ring_put() - copy packets into the ring, of which the device learns later
 * @stream: stream, whose lock is held
 * @wptr: index of the first one
 * @pkts: checked packets
 * @count: how many; there is room for them
 */
void anpu_ring_put(struct anpu_stream *stream, u64 wptr, const union anpu_packet *pkts, u32 count)
{
	for (u32 i = 0; i < count; i++, wptr++)
		memcpy(anpu_ring_slot(stream, wptr), &pkts[i], sizeof(*pkts));
}

/**
 * anpu_submit_locked() - put packets into the ring and tell the device
 * @stream: stream, whose lock is held
 * @pkts: checked packets
 * @count: how many; there is room for them
 */
void anpu_submit_locked(struct anpu_stream *stream, const union anpu_packet *pkts, u32 count)
{
	anpu_ring_put(stream, stream->wptr, pkts, count);
	anpu_ring_publish(stream, stream->wptr + count);
}

/**
 * anpu_submit_state() - can packets be submitted to a stream?
 * @stream: stream
 *
 * Return: 0, -EIO if it is dead, -ECANCELED if it has halted.
 */
int anpu_submit_state(struct anpu_stream *stream)
{
	if (READ_ONCE(stream->dead))
		return -EIO;
	if (READ_ONCE(stream->halts) && anpu_stream_state(stream) == ANPU_QUEUE_HALTED)
		return -ECANCELED;
	return 0;
}

/**
 * anpu_submit_wait() - wait until a part of the ring is free
 * @stream: stream, whose lock is held
 * @part: packets
 * @nonblock: do not wait
 *
 * Return: 0, or an error: -EAGAIN if it would have to wait, -EIO, -ECANCELED, -ERESTARTSYS.
 */
int anpu_submit_wait(struct anpu_stream *stream, u64 part, bool nonblock)
{
	u64 size = stream->ring_mask + 1;
	int ret;

	/* The device claims to have completed more than there was; the watchdog ends the stream. */
	if (anpu_stream_completed(stream) > stream->wptr)
		return -EIO;
	if (nonblock)
		return -EAGAIN;
	stream->full_waiters++;
	ret = anpu_stream_wait(stream, stream->wptr - size + part, S64_MAX, true);
	stream->full_waiters--;
	return ret;
}

/* A fast producer does not wake for each packet. */
static int anpu_submit_wait_room(struct anpu_stream *stream, u32 wanted, bool nonblock)
{
	return anpu_submit_wait(stream, min_t(u64, wanted, (stream->ring_mask + 1) / 2), nonblock);
}

/* Submits as many packets as there is room for, and those that stand before a bad one. */
static int anpu_submit_some(struct anpu_stream *stream, struct drm_anpu_submit *args)
{
	const union anpu_packet __user *from = u64_to_user_ptr(args->packets.array);
	u32 left = args->packets.count - args->submitted, count, i;
	u64 room = anpu_ring_room(stream, 1), wptr = stream->wptr;
	int ret;

	ret = anpu_submit_state(stream);
	if (ret)
		return ret;
	if (!room)
		return anpu_submit_wait_room(stream, left, args->flags & DRM_ANPU_SUBMIT_NONBLOCK);

	from += args->submitted;
	count = min_t(u64, min(left, ANPU_SUBMIT_BATCH), room);
	if (!access_ok(from, count * sizeof(*from)))
		return -EFAULT;
	/* A page that is not there is waited for without locks: anpu_submit_fault_in(). */
	pagefault_disable();
	for (i = 0; i < count; i++) {
		union anpu_packet *pkt = anpu_ring_slot(stream, wptr + i);

		if (__copy_from_user_inatomic(pkt, &from[i], sizeof(*pkt))) {
			ret = -EFAULT;
			break;
		}
		if (!anpu_packet_check(stream, pkt)) {
			drm_dbg_driver(&stream->adev->drm, "SUBMIT: packet %u, opcode %u, is bad\n",
				       args->submitted + i, pkt->hdr.opcode);
			ret = -EINVAL;
			break;
		}
	}
	pagefault_enable();
	if (i)
		anpu_ring_publish(stream, wptr + i);
	args->submitted += i;
	return ret;
}

/*
 * The second part of a call is submitted behind the first, if no other task came between: the
 * numbers of one call's packets are in a row.
 */
static int anpu_submit_run(struct anpu_stream *stream, struct drm_anpu_submit *args, u32 *epoch)
{
	int ret;

	CLASS(anpu_presence, presence)(stream->adev);
	/* If the device has not left yet, it stays as long as the lock is held: anpu_remove(). */
	if (anpu_gone(stream->adev))
		return -ENODEV;
	ret = mutex_lock_interruptible(&stream->lock);
	if (ret)
		return ret;
	if (!args->submitted)
		*epoch = stream->epoch;
	else if (stream->wptr != args->seq || stream->epoch != *epoch)
		ret = -ESTALE;
	while (!ret && args->submitted < args->packets.count) {
		ret = anpu_submit_some(stream, args);
		/*
		 * A device that keeps up never makes this task sleep, so signals are looked for
		 * here.
		 */
		if (!ret && signal_pending(current))
			ret = -ERESTARTSYS;
		cond_resched();
	}
	if (args->submitted && ret != -ESTALE)
		args->seq = stream->wptr;
	mutex_unlock(&stream->lock);
	return ret;
}

/* Brings the next packets into memory, as many as a ring can hold, however long that takes. */
static int anpu_submit_fault_in(struct anpu_stream *stream, const struct drm_anpu_submit *args)
{
	const union anpu_packet __user *from = u64_to_user_ptr(args->packets.array);
	u64 count = min_t(u64, args->packets.count - args->submitted, stream->ring_mask + 1);
	size_t size = count * sizeof(*from);

	if (signal_pending(current))
		return -ERESTARTSYS;
	cond_resched();
	/*
	 * fault_in_readable() returns how many bytes are missing: the first packet has to be there.
	 */
	return size - fault_in_readable((const char __user *)(from + args->submitted), size) <
	       sizeof(*from) ? -EFAULT : 0;
}

int anpu_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_stream *stream __free(anpu_stream) = NULL;
	struct drm_anpu_submit *args = data;
	u32 epoch;
	int ret;

	if (args->flags & ~DRM_ANPU_SUBMIT_NONBLOCK || args->pad ||
	    args->packets.stride != ANPU_PACKET_SIZE || !args->packets.count)
		return -EINVAL;
	stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
	if (!stream)
		return -ENOENT;

	if (stream->flags & DRM_ANPU_STREAM_USER_QUEUE)
		return -EPERM;
	args->submitted = 0;
	args->seq = 0;
	if (args->flags & DRM_ANPU_SUBMIT_NONBLOCK && READ_ONCE(stream->full_waiters))
		return -EAGAIN;
	for (;;) {
		ret = anpu_submit_run(stream, args, &epoch);
		if (ret != -EFAULT)
			break;
		ret = anpu_submit_fault_in(stream, args);
		if (ret)
			break;
	}
	return args->submitted ? 0 : ret;
}
