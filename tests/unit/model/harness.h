/* SPDX-License-Identifier: MIT */
/*
 * A host and a driver for the model in a test: memory, queues, event queues, page tables, and a
 * small TAP writer. Everything fails loudly: a helper that cannot do its work ends the test.
 */
#ifndef MODEL_HARNESS_H
#define MODEL_HARNESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anpu/anpu_hw.h>
#include <anpu/anpu_packet.h>

#include "anpu_model.h"
#include "fake_core.h"

/* Windows of DMA addresses the test host answers; all show the same memory, dev.ram. */
#define RAM_SIZE	(8ULL << 20)
#define DMA_PLAIN	0x100000000ULL	/* mappings stay */
#define DMA_TRANSIENT	0x200000000ULL	/* mappings are returned after each packet */
#define DMA_READONLY	0x300000000ULL
#define DMA_SCRAPS	0x400000000ULL	/* half a page at a time */
#define DMA_HOLE	0x900000000ULL	/* nothing answers */

struct dev {
	struct anpu_model *m;
	uint8_t *hbm;
	uint64_t hbm_size;
	uint64_t hbm_next;
	uint8_t *ram;
	uint64_t asid_table;
	uint64_t queue_table;
	atomic_uint irqs[ANPU_MAX_EVENT_QUEUES];
	atomic_int transient;		/* transient mappings not yet returned */
	atomic_uint maps;
	atomic_uint prints;
	atomic_uint map_held;		/* the host's map function waits until this is 0 */
	atomic_uint maps_waiting;
	atomic_uint plain_gone;		/* DMA_PLAIN stops answering */
	atomic_uint raise_held;		/* the host's interrupt function waits until this is 0 */
	atomic_uint raises_waiting;
	struct anpu_config cfg;
};

struct tq {
	struct dev *d;
	unsigned int id;
	unsigned int log2;
	uint64_t ring_at, status_at, control_at;
	union anpu_packet *ring;
	struct anpu_queue_status *st;
	struct anpu_queue_control *ctl;
	uint64_t wptr;
};

struct teq {
	struct dev *d;
	unsigned int nr;
	unsigned int log2;
	struct anpu_event_header *hdr;
	struct anpu_event *entry;
};

/* TAP */
void ok_(bool cond, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#define ok(cond, ...)	ok_(cond, __FILE__, __LINE__, __VA_ARGS__)
void is_(uint64_t got, uint64_t want, const char *file, int line, const char *what);
#define is(got, want, what)	is_(got, want, __FILE__, __LINE__, what)
int done_testing(void);
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Time */
uint64_t now_ns(void);
void sleep_us(unsigned int us);
/* a limit against hanging, not a promise of speed: on a host with 25 others at work an operator has taken 20 s */
#define PATIENCE_NS	60000000000ULL
/* wait until the expression holds; false if it never did */
#define eventually(expr) ({						\
	uint64_t end_ = now_ns() + PATIENCE_NS;				\
	bool ok_done_;							\
	while (!(ok_done_ = (expr)) && now_ns() < end_)			\
		sleep_us(20);						\
	ok_done_; })

/* Device */
struct anpu_config config_small(void);
struct dev *dev_new(const struct anpu_config *cfg);
/* the same on a host whose memory may go away, with its anpu_host_ops.guard */
struct dev *dev_new_guarded(const struct anpu_config *cfg,
			    bool (*guard)(void *ctx, void (*fn)(void *arg), void *arg, uint64_t *addr));
struct dev *dev_default(void);
void dev_free(struct dev *d);
void dev_setup(struct dev *d);			/* tables and ENABLE, as after a reset */
uint64_t reg(struct dev *d, uint64_t offset);
void set_reg(struct dev *d, uint64_t offset, uint64_t value);
uint64_t hbm_alloc(struct dev *d, uint64_t size, uint64_t align);
static inline void *hbm_ptr(struct dev *d, uint64_t addr)
{
	return d->hbm + addr;
}
uint64_t load64(const void *p);
void store64(void *p, uint64_t v);

/* Queues */
struct tq *tq_new(struct dev *d, unsigned int id, unsigned int log2);
struct anpu_queue_context *tq_context(struct tq *q);
void tq_command(struct tq *q, enum anpu_queue_cmd cmd);
/* the device's word for it, which may change at any time */
enum anpu_queue_state tq_state(struct tq *q);
bool tq_polling(struct tq *q);
bool tq_wait_state(struct tq *q, enum anpu_queue_state state);
void tq_start(struct tq *q);			/* and wait until RUNNING */
void tq_stop(struct tq *q);			/* and wait until STOPPED */
struct tq *tq_started(struct dev *d, unsigned int id, uint32_t asid, uint32_t flags);
uint64_t tq_push(struct tq *q, const union anpu_packet *p);	/* returns its sequence number */
void tq_ring(struct tq *q);
void tq_kick(struct tq *q);			/* by the register KICK, even while the device polls */
bool tq_wait(struct tq *q, uint64_t seq);
uint64_t tq_run(struct tq *q, const union anpu_packet *p);	/* push, ring, wait */
/*
 * SUBMITTERS threads, each with its part of the queues, push so many NOPs into any of them and let ring() tell
 * the device; it returns false if a packet got lost. Returns whether none did.
 */
#define SUBMITTERS	3
bool tq_submit_many(struct tq **q, unsigned int queues, unsigned int rounds,
		    bool (*ring)(struct tq *q, unsigned int *seed));
unsigned int next_random(unsigned int *seed);
void nap(unsigned int *seed);			/* now and then all workers fall asleep, or are about to */
uint64_t tq_errors(struct tq *q);
/* run one packet that must fail, and compare cause and part of the message */
void tq_fails(struct tq *q, const union anpu_packet *p, uint32_t cause, const char *text,
	      const char *what);
const struct anpu_fault *tq_last_fault(struct tq *q);
void tq_free(struct tq *q);

/* Packets */
union anpu_packet p_nop(void);
union anpu_packet p_copy(uint64_t src, uint64_t dst, uint64_t size);
union anpu_packet p_fill(uint64_t dst, uint64_t size, uint64_t pattern, uint32_t pattern_size);
union anpu_packet p_reduce(uint64_t src, uint64_t dst, uint64_t size, enum anpu_reduce_op op,
			   enum anpu_reduce_type type);
union anpu_packet p_signal(uint64_t addr, uint64_t value, enum anpu_sem_op op);
union anpu_packet p_wait(uint64_t addr, uint64_t value, enum anpu_sem_cond cond,
			 uint64_t timeout_us);
union anpu_packet p_notify(uint64_t cookie, uint64_t value);
union anpu_packet p_timestamp(uint64_t addr);
union anpu_packet p_indirect(uint64_t addr, uint32_t count);
union anpu_packet p_kernel(uint64_t entry, uint32_t blocks);

/* Programs of the fake core */
uint64_t program(struct dev *d, const struct fake_insn *insn, unsigned int n);
#define PROGRAM(d, ...) ({						\
	const struct fake_insn insn_[] = { __VA_ARGS__, { FAKE_END, 0, 0 } }; \
	program(d, insn_, sizeof(insn_) / sizeof(insn_[0])); })

/*
 * A thread that adds @step to the words from @at on, 4 or 8 bytes each, in turn, and counts how often it was too
 * late, as the device had written in between: then it is likely that the device was too late at other times.
 */
struct contender {
	pthread_t thread;
	void *at;
	unsigned int words, width;
	uint64_t step;
	_Atomic uint64_t added, conflicts;
	atomic_bool stop;
};

void contender_start(struct contender *c);
void contender_stop(struct contender *c);
/* so many conflicts that the device must have had some itself; a host with one CPU seldom has any */
#define CONFLICTS	400

/* Event queues */
struct teq *teq_new(struct dev *d, unsigned int nr, unsigned int log2);
bool teq_pop(struct teq *e, struct anpu_event *out);
bool teq_wait(struct teq *e, struct anpu_event *out);
void teq_free(struct teq *e);

/* Address spaces */
void as_clear(struct dev *d, uint32_t asid);
uint64_t as_root(struct dev *d, uint32_t asid);
uint64_t *as_entry(struct dev *d, uint32_t asid, uint64_t va, int level);
void as_map(struct dev *d, uint32_t asid, uint64_t va, uint64_t size, uint64_t pa, uint64_t flags,
	    uint64_t page);
#define PTE_RW	(ANPU_PTE_READ | ANPU_PTE_WRITE)
#define PTE_RX	(ANPU_PTE_READ | ANPU_PTE_EXEC)
void invalidate(struct dev *d, uint64_t what);	/* and wait until done */

#endif /* MODEL_HARNESS_H */
