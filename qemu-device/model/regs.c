// SPDX-License-Identifier: MIT
/*
 * BAR0: registers. A read only looks, a write only notes what is wanted: nothing here waits or
 * computes.
 */
#include "internal.h"
#include "diag/debug.h"
#include "diag/inject.h"
#include "queue/shadow.h"
#include "sched/manager.h"

#if __has_include(<anpu/anpu_isa.h>)
#include <anpu/anpu_isa.h>
#endif
#ifndef ANPU_ISA_VERSION
#define ANPU_ISA_VERSION	1
#endif

/* vector sub-cores per AI core: a MIX block has at most two vector sub-blocks */
#define VECTOR_CORES	2

static uint64_t caps(const struct anpu_model *m)
{
	uint64_t all = ANPU_CAP_HBM_COHERENT | ANPU_CAP_CALIBRATION | ANPU_CAP_PRINT |
		       ANPU_CAP_ABORT | ANPU_CAP_JUMP | ANPU_CAP_KICK | ANPU_CAP_REDUCE |
		       ANPU_CAP_MAX_CORES | ANPU_CAP_HALT | ANPU_CAP_RANDOM |
		       ANPU_CAP_END_TASK | ANPU_CAP_BUSY | ANPU_CAP_QUEUE_BUSY | ANPU_CAP_PRIORITY |
		       ANPU_CAP_OVERFLOW | ANPU_CAP_LAUNCH | ANPU_CAP_TRACE | ANPU_CAP_RECOVERY | ANPU_CAP_BLOCKS |
		       ANPU_CAP_NAMES |
		       (m->cfg.inject ? ANPU_CAP_INJECT : 0) | (m->gdb ? ANPU_CAP_CODE_LIST : 0) |
		       /* shadow doorbells do not keep the order in which they rang */
		       (m->cfg.deterministic ? ANPU_CAP_DETERMINISTIC : ANPU_CAP_SHADOW_DOORBELLS) |
		       (m->cfg.peers ? ANPU_CAP_PEER : 0);

	return all & ~m->cfg.hide_caps;
}

static _Atomic uint64_t *counter(struct counters *c, uint64_t offset)
{
	switch (offset) {
	case ANPU_REG_BAD_ACCESS:
		return &c->bad_access;
	case ANPU_REG_PACKETS:
		return &c->packets;
	case ANPU_REG_KERNELS:
		return &c->kernels;
	case ANPU_REG_BLOCKS:
		return &c->blocks;
	case ANPU_REG_FAULTS:
		return &c->faults;
	case ANPU_REG_COPY_BYTES:
		return &c->copy_bytes;
	case ANPU_REG_DOORBELLS_RUNG:
		return &c->doorbells;
	case ANPU_REG_INTERRUPTS:
		return &c->interrupts;
	case ANPU_REG_EVENTS:
		return &c->events;
	default:
		return NULL;
	}
}

static uint64_t invalidations(struct anpu_model *m, uint64_t number)
{
	return (number >> INVAL_GUEST_SHIFT) - atomic_load(&m->inval_base);
}

/* Event queue registers. Return: true if @offset is one. */
static bool eq_register(const struct anpu_model *m, uint64_t offset, unsigned int *eq, bool *size)
{
	uint64_t n = (offset - ANPU_REG_EQ_BASE(0)) / 0x10;

	if (offset < ANPU_REG_EQ_BASE(0) || n >= m->cfg.event_queues)
		return false;
	*eq = n;
	*size = offset == (uint64_t)ANPU_REG_EQ_SIZE(n);
	return true;
}

/* Return: true if @offset is the register of a fault that can be injected. */
static bool inject_register(const struct anpu_model *m, uint64_t offset, unsigned int *fault)
{
	*fault = (offset - ANPU_REG_INJECT(0)) / 8;
	return m->cfg.inject && offset >= ANPU_REG_INJECT(0) && *fault < ANPU_INJECT_COUNT;
}

static uint64_t tlb_done(struct anpu_model *m)
{
	uint64_t done = invalidations(m, mmu_done(m)), stuck = atomic_load(&m->inject_stuck);

	return stuck && done >= stuck ? stuck - 1 : done;
}

/* Return: true if @offset is one of the registers that hold a text, eight bytes of which are in @value */
static bool read_names(const struct anpu_model *m, uint64_t offset, uint64_t *value)
{
	const char *name = offset < ANPU_REG_CANN(0) ? m->cfg.soc : m->cfg.cann;
	uint64_t first = offset < ANPU_REG_CANN(0) ? ANPU_REG_SOC(0) : ANPU_REG_CANN(0);

	if (offset < first || offset - first >= ANPU_NAME_SIZE || m->cfg.hide_caps & ANPU_CAP_NAMES)
		return false;
	*value = 0;
	for (unsigned int i = 0; i < 8; i++)
		*value |= (uint64_t)(uint8_t)name[offset - first + i] << 8 * i;
	return true;
}

/* Read a register that says what the device is. Return: false if @offset is none of these. */
static bool read_identity(struct anpu_model *m, uint64_t offset, uint64_t *value)
{
	switch (offset) {
	case ANPU_REG_ID:
		*value = ANPU_ID_VALUE;
		return true;
	case ANPU_REG_VERSION:
		*value = ANPU_VERSION_MAJOR << 16 | ANPU_VERSION_MINOR |
			 (uint64_t)ANPU_ISA_VERSION << 32;
		return true;
	case ANPU_REG_CAPS:
		*value = caps(m);
		return true;
	case ANPU_REG_HBM_SIZE:
		*value = m->cfg.hbm_size;
		return true;
	case ANPU_REG_QUEUES:
		*value = m->cfg.queues;
		return true;
	case ANPU_REG_ASIDS:
		*value = m->cfg.asids;
		return true;
	case ANPU_REG_CORES:
		*value = m->cfg.cores | VECTOR_CORES << 16;
		return true;
	case ANPU_REG_EVENT_QUEUES:
		*value = m->cfg.event_queues;
		return true;
	case ANPU_REG_DOORBELLS:
		*value = ANPU_DOORBELL_OFFSET | (uint64_t)ANPU_DOORBELL_STRIDE << 32;
		return true;
	case ANPU_REG_CLOCK:
		*value = model_clock(m);
		return true;
	}
	return false;
}

static bool read_control(struct anpu_model *m, uint64_t offset, uint64_t *value)
{
	bool resetting = atomic_load(&m->resetting);

	switch (offset) {
	case ANPU_REG_CONTROL:
		*value = atomic_load(&m->control) | (resetting ? ANPU_CONTROL_RESET : 0);
		return true;
	case ANPU_REG_STATUS:
		*value = resetting ? 0 : ANPU_STATUS_READY;
		return true;
	case ANPU_REG_RESETS:
		*value = atomic_load(&m->resets);
		return true;
	case ANPU_REG_ASID_TABLE:
		*value = atomic_load(&m->asid_table);
		return true;
	case ANPU_REG_QUEUE_TABLE:
		*value = atomic_load(&m->queue_table);
		return true;
	case ANPU_REG_TIMEOUT:
		*value = atomic_load(&m->timeout);
		return true;
	case ANPU_REG_TLB_ISSUED:
		*value = invalidations(m, atomic_load(&m->inval_issued));
		return true;
	case ANPU_REG_TLB_DONE:
		*value = tlb_done(m);
		return true;
	case ANPU_REG_CALIBRATE:
		*value = atomic_load(&m->calibrate);
		return true;
	case ANPU_REG_BUSY_AT:
		*value = busy_take(m);
		return true;
	case ANPU_REG_BUSY_CUBE:
		*value = atomic_load(&m->busy.taken[BUSY_CUBE]);
		return true;
	case ANPU_REG_BUSY_VECTOR:
		*value = atomic_load(&m->busy.taken[BUSY_VECTOR]);
		return true;
	case ANPU_REG_HEARTBEAT:
		*value = atomic_load(&m->heartbeat);
		manager_kick(m);
		return true;
	case ANPU_REG_SHADOW_DOORBELLS:
		*value = shadow_get(m);
		return caps(m) & ANPU_CAP_SHADOW_DOORBELLS;
	}
	return false;
}

static bool read_reg(struct anpu_model *m, uint64_t offset, uint64_t *value)
{
	_Atomic uint64_t *c = counter(&m->count, offset);
	unsigned int eq, fault;
	bool size;

	if (read_identity(m, offset, value) || read_names(m, offset, value) || read_control(m, offset, value))
		return true;
	if (c) {
		*value = atomic_load(c) - atomic_load(counter(&m->base, offset));
		return true;
	}
	if (inject_register(m, offset, &fault)) {
		*value = atomic_load(&m->inject[fault]);
		return true;
	}
	if (!eq_register(m, offset, &eq, &size))
		return false;
	*value = size ? event_get_size(m, eq) : event_get_base(m, eq);
	return true;
}

static bool write_control(struct anpu_model *m, uint64_t value)
{
	if (value & ~(ANPU_CONTROL_ENABLE | ANPU_CONTROL_RESET))
		return false;
	atomic_store(&m->control, value & ANPU_CONTROL_ENABLE);
	if (value & ANPU_CONTROL_RESET) {
		inject_reset_begins(m);
		manager_begin_reset(m);
	}
	return true;
}

static bool write_table(struct anpu_model *m, _Atomic uint64_t *reg, uint64_t value, uint64_t size)
{
	if (value % 4096 || !hbm_contains(m, value, size))
		return false;
	atomic_store(reg, value);
	return true;
}

static bool write_queue_cmd(struct anpu_model *m, uint64_t value)
{
	unsigned int cmd = value & 0xff;
	unsigned int queue = value >> 16 & 0xffff;
	uint32_t arg = value >> 32;

	if (value != ANPU_QUEUE_CMD_ARG(cmd, queue, arg) || cmd < ANPU_QUEUE_START ||
	    cmd >= ANPU_QUEUE_CMD_COUNT || queue >= m->cfg.queues)
		return false;
	if (cmd == ANPU_QUEUE_PRIORITY ? arg >= ANPU_PRIORITIES : arg && cmd != ANPU_QUEUE_END_TASK)
		return false;
	return manager_command(m, queue, cmd, arg);
}

static bool write_invalidate(struct anpu_model *m, uint64_t value)
{
	uint64_t number;

	if (value != ANPU_TLB_ALL && value >= m->cfg.asids)
		return false;
	number = mmu_invalidate(m, value & 0xffff, value == ANPU_TLB_ALL, INVAL_GUEST);
	if (m->gdb && value != ANPU_TLB_ALL)
		debug_flushed(m, (uint32_t)value);
	if (inject(m, ANPU_INJECT_INVALIDATE, ANPU_INJECT_ANY)) {
		uint64_t none = 0;

		atomic_compare_exchange_strong(&m->inject_stuck, &none, invalidations(m, number));
	}
	return true;
}

static bool write_irq_test(struct anpu_model *m, uint64_t value)
{
	if (value >= m->cfg.event_queues)
		return false;
	count_add(&m->count.interrupts, 1);
	m->ops.raise(m->ctx, value);
	return true;
}

static bool write_calibrate(struct anpu_model *m, uint64_t value)
{
	if (!value || value > ANPU_CALIBRATE_MAX || atomic_exchange(&m->calibrating, 1))
		return false;
	atomic_store(&m->calibrate, 0);
	atomic_store(&m->calibrate_request, value);
	pool_wake(m, 1);
	return true;
}

static bool write_kick(struct anpu_model *m, uint64_t value)
{
	if (value >= m->cfg.queues)
		return false;
	queue_kick(m, value);
	return true;
}

static bool write_board(struct anpu_model *m, uint64_t value)
{
	if (!(caps(m) & ANPU_CAP_SHADOW_DOORBELLS) || atomic_load(&m->control) & ANPU_CONTROL_ENABLE ||
	    value % 4096 || !hbm_contains(m, value, sizeof(struct anpu_shadow_doorbells)))
		return false;
	shadow_set(m, value);
	return true;
}

static bool write_reg(struct anpu_model *m, uint64_t offset, uint64_t value)
{
	unsigned int eq, fault;
	bool size;

	switch (offset) {
	case ANPU_REG_CONTROL:
		return write_control(m, value);
	case ANPU_REG_ASID_TABLE:
		return write_table(m, &m->asid_table, value, 8ULL * m->cfg.asids);
	case ANPU_REG_QUEUE_TABLE:
		return write_table(m, &m->queue_table, value,
				   sizeof(struct anpu_queue_context) * m->cfg.queues);
	case ANPU_REG_TIMEOUT:
		atomic_store(&m->timeout, value);
		return true;
	case ANPU_REG_QUEUE_CMD:
		return write_queue_cmd(m, value);
	case ANPU_REG_TLB_INVALIDATE:
		return write_invalidate(m, value);
	case ANPU_REG_IRQ_TEST:
		return write_irq_test(m, value);
	case ANPU_REG_CALIBRATE:
		return write_calibrate(m, value);
	case ANPU_REG_KICK:
		return write_kick(m, value);
	case ANPU_REG_SHADOW_DOORBELLS:
		return write_board(m, value);
	}
	if (inject_register(m, offset, &fault))
		return inject_write(m, fault, value);
	if (!eq_register(m, offset, &eq, &size))
		return false;
	return size ? event_set_size(m, eq, value) : event_set_base(m, eq, value);
}

/* Give all registers their reset values; the manager calls it when all queues are stopped. */
void regs_reset(struct anpu_model *m)
{
	for (uint64_t o = ANPU_REG_BAD_ACCESS; o <= ANPU_REG_EVENTS; o += 8)
		atomic_store(counter(&m->base, o), atomic_load(counter(&m->count, o)));
	atomic_store(&m->inval_base, atomic_load(&m->inval_issued) >> INVAL_GUEST_SHIFT);
	atomic_store(&m->control, 0);
	atomic_store(&m->asid_table, 0);
	atomic_store(&m->queue_table, 0);
	atomic_store(&m->timeout, ANPU_TIMEOUT_RESET);
	atomic_store(&m->calibrate, 0);
	shadow_set(m, 0);
}

uint64_t anpu_model_read(struct anpu_model *m, uint64_t offset, unsigned int size)
{
	uint64_t value = 0;

	if (inject_gone(m))
		return ~0ULL >> (64 - 8 * (size & 7 ? size : 8));
	if (size != 8 || offset % 8 || !read_reg(m, offset, &value))
		count_add(&m->count.bad_access, 1);
	return value;
}

static bool write_access(struct anpu_model *m, uint64_t offset, uint64_t value)
{
	uint64_t queue = (offset - ANPU_DOORBELL_OFFSET) / ANPU_DOORBELL_STRIDE;

	if (offset < ANPU_DOORBELL_OFFSET)
		return write_reg(m, offset, value);
	if (queue >= m->cfg.queues || offset % ANPU_DOORBELL_STRIDE != ANPU_DOORBELL_WPTR)
		return false;
	queue_doorbell(m, queue, value);
	return true;
}

void anpu_model_write(struct anpu_model *m, uint64_t offset, uint64_t value, unsigned int size)
{
	if (inject_gone(m) || (size == 8 && !(offset % 8) && atomic_load(&m->resetting)))
		return;
	if (size != 8 || offset % 8 || !write_access(m, offset, value))
		count_add(&m->count.bad_access, 1);
}

void anpu_model_doorbell(struct anpu_model *m, unsigned int queue, uint64_t wptr)
{
	anpu_model_write(m, ANPU_DOORBELL_OFFSET + queue * (uint64_t)ANPU_DOORBELL_STRIDE +
			    ANPU_DOORBELL_WPTR, wptr, 8);
}
