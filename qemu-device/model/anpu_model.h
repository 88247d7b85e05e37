/* SPDX-License-Identifier: MIT */
/*
 * The door of the ANPU model: everything a host (QEMU's glue, a unit test, a fuzzer) needs.
 *
 * The model is the whole device behind its registers: queues, MMU, DMA engine, AI cores. The host
 * gives it memory for the HBM and a table of functions, forwards register accesses, and is called
 * back from the model's threads. Documentation/model.md tells how to embed it.
 */
#ifndef ANPU_MODEL_H
#define ANPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct anpu_model;

/**
 * struct anpu_config - what a device is made of
 * @hbm: the memory of the device, page aligned, readable and writable until anpu_model_destroy()
 * @hbm_size: bytes, a power of 2, ANPU_HBM_MIN to ANPU_HBM_MAX
 * @cores: AI cores, 1 to ANPU_MAX_CORES
 * @queues: 1 to ANPU_MAX_QUEUES
 * @event_queues: event queues and MSI-X vectors, 1 to ANPU_MAX_EVENT_QUEUES
 * @asids: address spaces, 2 to ANPU_MAX_ASIDS
 * @threads: worker threads, 0 = one per host CPU but no more than @cores, at most ANPU_THREADS_MAX
 * @spin_us: how long an idle worker watches for new packets before it sleeps, at most
 *	ANPU_SPIN_MAX; up to eight times as long while packets keep coming just after it fell
 *	asleep; ANPU_SPIN_AUTO = ANPU_SPIN_DEFAULT, or 0 if the host has one CPU
 * @deterministic: one worker, one fixed order of execution
 * @peers: the host's map() reaches the BARs of other devices, too (ANPU_CAP_PEER)
 * @check: every kernel runs in checking mode, as if its packet had ANPU_KERNEL_CHECK
 * @soc, @cann: texts of ANPU_REG_SOC and ANPU_REG_CANN, with a zero at the end
 * @hide_caps: ANPU_CAP_* that the device does not say it has, as an older one
 * @inject: the registers ANPU_REG_INJECT are there: the guest can make the device fail
 * @plan: what the device does wrong, see plan.c: faults, or '@' and the name of a file with them; NULL: nothing.
 *	Used until anpu_model_create() returns
 * @record: a file that the run is recorded in for anpu-replay; the device is then deterministic. NULL: none. Used until
 *	anpu_model_create() returns
 * @core: the core file that the first failure of a kernel writes, NULL: none. Used until anpu_model_create() returns
 * @gdb: [launch:|fault:]PORT at which gdb can debug operators; the first launch, or the first failure, waits for it.
 *	NULL: none. Used until anpu_model_create() returns
 * @several: address spaces are of several programs: gdb has one of them at a time, and its end is that of gdb's session
 * @replay: what operators read of the clock counts from anpu_model_set_clock(), as in a recorded run
 * @jit: operators that run for long are translated to the host's instructions, if it can be done
 */
struct anpu_config {
	void *hbm;
	uint64_t hbm_size;
	unsigned int cores;
	unsigned int queues;
	unsigned int event_queues;
	unsigned int asids;
	unsigned int threads;
	unsigned int spin_us;
	bool deterministic;
	bool peers;
	bool check;
	bool inject;
	bool jit;
	char soc[64];
	char cann[64];
	uint64_t hide_caps;
	const char *plan;
	const char *record;
	const char *core;
	const char *gdb;
	bool several;
	bool replay;
};

#define ANPU_HBM_MIN		(16ULL << 20)
#define ANPU_HBM_MAX		(1ULL << 40)
#define ANPU_HBM_DEFAULT	(2ULL << 30)
#define ANPU_CORES_DEFAULT	8
#define ANPU_QUEUES_DEFAULT	1024
#define ANPU_EVENT_QUEUES_DEFAULT 16
#define ANPU_ASIDS_DEFAULT	1024
#define ANPU_THREADS_MAX	64
#define ANPU_SPIN_AUTO		0xffffffffU
#define ANPU_SPIN_DEFAULT	50
#define ANPU_SPIN_MAX		1000000

/**
 * struct anpu_mapping - a piece of system memory the host has made reachable
 * @ptr: host address of the first byte
 * @len: bytes reachable from there on, at least 1
 * @handle: the host's, handed back to unmap
 * @transient: the model returns the mapping by unmap soon, when the running packet is done. If
 *	false the model keeps using it, without telling, until an invalidation (the guest's, or
 *	anpu_model_invalidate()) has taken effect, and never calls unmap for it.
 */
struct anpu_mapping {
	void *ptr;
	uint64_t len;
	void *handle;
	bool transient;
};

/**
 * struct anpu_host_ops - what the model asks of its host
 * @map: make system memory reachable: @len bytes at DMA address @dma, for writing too if @write.
 *	@dma and @len are multiples of 4 KiB. Fewer bytes may be mapped than asked for, but less
 *	than 4 KiB counts as none. Return false if the first page cannot be reached.
 *	Called from any thread of the model. May wait for who is inside anpu_model_reset().
 * @unmap: return a transient mapping of which @len bytes were used; NULL if none is ever made
 * @raise: send MSI-X message @vector. Called from the model's threads without any lock of the
 *	model and outside of any use of system memory, and from inside anpu_model_write(), on the
 *	writer's thread, for ANPU_REG_IRQ_TEST.
 * @clock: nanoseconds that never go backwards; called often
 * @print: output of an operator, @len bytes of text without terminator; may be NULL
 * @note: a sentence about a fault that was injected; any thread; may be NULL
 * @kill: the user of gdb wants the program with this address space to end; may be NULL
 * @guard: run @fn(@arg), which may use what @map has made reachable; if that is not there any more,
 *	return false and the address, and the rest of @fn is left out. NULL: mapped memory does not go
 *	away. Called from any thread of the model, also from inside of @fn; the model holds locks that
 *	@fn does not take.
 */
struct anpu_host_ops {
	bool (*map)(void *ctx, uint64_t dma, uint64_t len, bool write, struct anpu_mapping *map);
	void (*unmap)(void *ctx, const struct anpu_mapping *map, bool write, uint64_t len);
	void (*raise)(void *ctx, unsigned int vector);
	uint64_t (*clock)(void *ctx);
	void (*print)(void *ctx, unsigned int queue, uint32_t task, uint32_t block,
		      const char *text, size_t len);
	void (*note)(void *ctx, const char *text);
	void (*kill)(void *ctx, uint32_t asid);
	bool (*guard)(void *ctx, void (*fn)(void *arg), void *arg, uint64_t *addr);
};

/**
 * struct anpu_stats - what the device has done since anpu_model_create(); resets do not clear it
 * @packets: packets completed
 * @kernels: KERNEL packets completed
 * @blocks: operator blocks completed
 * @insns: scalar instructions of completed blocks
 * @tiles: tile operations of completed blocks
 * @faults: fault records written
 * @copy_bytes: bytes written by COPY and FILL
 * @doorbells: doorbell writes
 * @interrupts: MSI-X messages sent
 * @events: events written
 * @bad_access: refused register accesses
 * @wakeups: times a sleeping worker was woken
 * @preemptions: blocks set aside for other work before they ended
 */
struct anpu_stats {
	uint64_t packets;
	uint64_t kernels;
	uint64_t blocks;
	uint64_t insns;
	uint64_t tiles;
	uint64_t faults;
	uint64_t copy_bytes;
	uint64_t doorbells;
	uint64_t interrupts;
	uint64_t events;
	uint64_t bad_access;
	uint64_t wakeups;
	uint64_t preemptions;
};

/** anpu_config_default() - defaults for everything but the HBM's address */
void anpu_config_default(struct anpu_config *config);

/** anpu_config_inject() - set @inject or @plan from the value of the property: on, off or a plan, which stays in use */
void anpu_config_inject(struct anpu_config *config, const char *text);

/** anpu_config_name() - copies a text to @soc or @cann; one that is too long stays so, for anpu_config_check() */
void anpu_config_name(char name[64], const char *text);

/**
 * anpu_config_check() - is this a possible device?
 * @config: the configuration; @hbm is not looked at
 * @err: out: a sentence telling what is wrong and what is allowed
 * @size: bytes of @err
 *
 * Return: true if it is.
 */
bool anpu_config_check(const struct anpu_config *config, char *err, size_t size);

/**
 * anpu_model_create() - power on a device and start its threads
 * @config: see there; copied
 * @ops: see there; copied
 * @ctx: first argument of every host function
 * @err: out: a sentence when NULL is returned
 * @size: bytes of @err
 */
struct anpu_model *anpu_model_create(const struct anpu_config *config,
				     const struct anpu_host_ops *ops, void *ctx, char *err,
				     size_t size);

/**
 * anpu_model_destroy() - stop everything and join the threads
 *
 * The host must not hold a lock that its raise or map function takes.
 */
void anpu_model_destroy(struct anpu_model *m);

/**
 * anpu_model_read() - a read access of @size bytes at @offset of BAR0
 *
 * Never blocks. May be called from any thread.
 */
uint64_t anpu_model_read(struct anpu_model *m, uint64_t offset, unsigned int size);

/** anpu_model_write() - a write access to BAR0; never blocks and never computes */
void anpu_model_write(struct anpu_model *m, uint64_t offset, uint64_t value, unsigned int size);

/** anpu_model_doorbell() - the same as writing @wptr to the doorbell of @queue */
void anpu_model_doorbell(struct anpu_model *m, unsigned int queue, uint64_t wptr);

/**
 * anpu_model_reset() - reset by the host: FLR, bus or machine reset
 *
 * When it returns, no thread of the model reads or writes system memory any more, nor will one
 * before the driver starts queues again. The rest of the reset goes on in the background;
 * ANPU_CONTROL_RESET reads as 1 until it is done. Waits some microseconds for running accesses,
 * never for a thread that is inside the raise or the map function; what that maps is not used.
 */
void anpu_model_reset(struct anpu_model *m);

/**
 * anpu_model_invalidate() - forget all mappings of system memory, as the guest's ANPU_TLB_ALL
 *
 * For the host's own changes, such as guest memory that is unplugged. Does not block and does not
 * count in ANPU_REG_TLB_ISSUED.
 *
 * Return: a number; anpu_model_invalidated() of it becomes true when no thread uses a mapping made
 * before the call.
 */
uint64_t anpu_model_invalidate(struct anpu_model *m);
bool anpu_model_invalidated(struct anpu_model *m, uint64_t number);

/**
 * anpu_model_shared() - words in @size bytes at @at may be written by other processes, or waited for there
 *
 * Devices of processes that map the same file tell each other of words there. It holds for as long as the device is there.
 */
void anpu_model_shared(struct anpu_model *m, const void *at, uint64_t size);

/** anpu_model_set_clock() - with cfg.replay: what the next task reads of the clock counts from @ns */
void anpu_model_set_clock(struct anpu_model *m, uint64_t ns);

/** anpu_model_gdb_port() - port at which gdb can come (cfg.gdb); 0: there is no stub */
unsigned int anpu_model_gdb_port(const struct anpu_model *m);
/** anpu_model_exits() - the process ends, with the device's threads where they are; gdb is told the status */
void anpu_model_exits(struct anpu_model *m, int status);
/** anpu_model_forked() - in a child of fork(), which does not have the device: let go of descriptors */
void anpu_model_forked(struct anpu_model *m);

/** anpu_model_gone() - by ANPU_INJECT_GONE: configuration space is to read as all ones, too */
bool anpu_model_gone(struct anpu_model *m);

/** anpu_model_stats() - counters; a snapshot, not an instant */
void anpu_model_stats(struct anpu_model *m, struct anpu_stats *stats);

/**
 * anpu_model_compare() - whether a word fulfils a condition of SEM_WAIT, or of a WAIT for memory
 * @cond: enum anpu_sem_cond, valid
 * @s: the word, masked
 * @v: what it is compared with
 * @width: 4 or 8 bytes; what is above them does not count
 */
bool anpu_model_compare(uint32_t cond, uint64_t s, uint64_t v, uint32_t width);

/** anpu_model_regs_size() - bytes of BAR0 for a number of queues, a power of 2 */
uint64_t anpu_model_regs_size(unsigned int queues);

#endif /* ANPU_MODEL_H */
