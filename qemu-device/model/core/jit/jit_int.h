/* SPDX-License-Identifier: MIT */
/*
 * Inside the translator. A region is a piece of a program: up to MAX_INSNS instructions that can be
 * reached from one entry, cut into blocks. Within a region every RISC-V register has one home, a
 * host register or its place in struct core_block, so that jumps inside it, above all those of
 * loops, move nothing.
 */
#ifndef ANPU_JIT_INT_H
#define ANPU_JIT_INT_H

#include "../fp.h"
#include "asm.h"
#include "jit.h"

#define MAX_INSNS	512
#define MAX_BLOCKS	MAX_INSNS
#define MAX_SUCC	6
#define NO_BLOCK	(-1)

/* Homes ------------------------------------------------------------------------------------------ *
 *
 * rbx points into the block, r15 counts instructions down to the next poll. rax, rcx, rdx and xmm0
 * to xmm2 are free for the translation of one instruction.
 */
#define R_BLOCK		RBX
#define R_CREDIT	R15
#define BLOCK_BIAS	128	/* x0 to x31 are within a byte's reach of rbx */
#define XT0		0
#define XT1		1
#define XT2		2
#define X_HOMES		10
#define F_FIRST		3	/* xmm3 to xmm15 */
#define F_HOMES		13
#define IN_MEMORY	0xff

#define BLOCK_AT(field)	rm_mem(R_BLOCK, (int32_t)offsetof(struct core_block, field) - BLOCK_BIAS)

/* Instructions ----------------------------------------------------------------------------------- */

/* operations of OP-FP that have a translation of their own, beyond enum insn_op */
enum jit_op { JOP_FIRST = OP_COUNT, JOP_fmin, JOP_fmax, JOP_fcvt_s_d, JOP_fcvt_d_s, JOP_fcvt_int };

/**
 * struct jinsn - an instruction of the region
 * @pc: its address
 * @word: its encoding
 * @op: enum insn_op or enum jit_op
 * @d: operands; the immediate of branches is in bytes
 */
struct jinsn {
	uint64_t pc;
	uint32_t word;
	unsigned int op;
	struct insn d;
};

/* The use that an operation makes of its operands. */
#define OP_X1		0x0001	/* reads x[rs1] */
#define OP_X2		0x0002
#define OP_XD		0x0004	/* writes x[rd] */
#define OP_F1		0x0008	/* reads f[rs1] */
#define OP_F2		0x0010
#define OP_F3		0x0020
#define OP_FD		0x0040	/* writes f[rd] */
#define OP_SRC_S	0x0080	/* the f it reads must be NaN-boxed singles */
#define OP_DST_S	0x0100	/* the f it writes is one */
#define OP_END		0x0200	/* ends a block */
#define OP_LEAVE	0x0400	/* the interpreter does it */
#define OP_CALL		0x0800	/* jit_call() does it */

/** jinsn_decode() - @i->op and @i->d from @i->word */
void jinsn_decode(struct jinsn *i);
unsigned int jinsn_flags(const struct jinsn *i);

/* Regions ---------------------------------------------------------------------------------------- */

/**
 * struct jblock - straight code
 * @first: its instructions in the region
 * @succ: blocks that may follow, first the one a branch is taken to, then the one after it
 * @succs: entries of @succ; NO_BLOCK is outside
 * @header: some loop comes back to it
 * @depth: loops around it
 * @boxed_in: f registers that are NaN-boxed singles when it begins
 * @boxed_need: f registers that whoever enters from outside must find boxed
 * @at: where its code begins
 */
struct jblock {
	unsigned int first;
	unsigned int count;
	int succ[MAX_SUCC];
	unsigned int succs;
	bool header;
	unsigned int depth;
	uint32_t boxed_in;
	uint32_t boxed_need;
	const uint8_t *at;
};

/**
 * struct jit_site - an instruction that may call out of translated code
 * @left: how many of the block's instructions are it or behind it
 * @near_slot: of a load or store: its slot of struct tlb_near
 */
struct jit_site {
	struct jinsn i;
	unsigned int left;
	unsigned int near_slot;
};

/**
 * struct jit_region - what remains of a region after its translation
 */
struct jit_region {
	struct jit_region *next;
	struct jit_entry *entry;
	struct jit_site *site;
};

struct region {
	struct code_gen *gen;
	struct jinsn insn[MAX_INSNS];
	unsigned int insns;
	struct jblock block[MAX_BLOCKS];
	unsigned int blocks;
	uint8_t x_home[32];	/* host register or IN_MEMORY */
	uint8_t f_home[32];
	uint32_t x_written;	/* of those with a home */
	uint32_t f_written;
};

/**
 * region_find() - the instructions that can be reached from @pc, in blocks; false if there are none
 * @apart: the region ends where other translated code begins, else it may have the same instructions again
 */
bool region_find(struct region *r, struct code_gen *gen, uint64_t pc, bool apart);
/** region_allocate() - give homes to the registers that loops use most */
void region_allocate(struct region *r);
/** region_boxes() - find out which f registers hold singles where */
void region_boxes(struct region *r);

/* Translation ------------------------------------------------------------------------------------ */

enum stub_kind { STUB_CALL, STUB_READ, STUB_WRITE, STUB_STEP, STUB_POLL, STUB_GO, STUB_NAN_S,
		 STUB_NAN_D };

/* rarely executed code, written behind the blocks */
struct stub {
	enum stub_kind kind;
	uint8_t *from;		/* the jump that leads here */
	const uint8_t *back;	/* where to go on */
	uint64_t pc;
	unsigned int arg;	/* slot of struct tlb_near, instructions left, or xmm register */
	unsigned int bytes;	/* of an access */
	unsigned int site;	/* of a call */
	const uint8_t *done;	/* behind the instruction */
};

struct branch {
	uint8_t *from;
	int block;
};

#define MAX_STUBS	4096
#define MAX_BRANCHES	4096

/**
 * struct trans - a translation in progress
 * @boxed: f registers known to hold singles at this point
 * @left: how many of the block's instructions are the present one or behind it
 * @computed: x registers that the block has written, other than in steps
 * @slot: slots of struct tlb_near of these, 0: none yet
 */
struct trans {
	struct code c;
	struct region *r;
	struct jit_arena *arena;
	const struct jinsn *i;
	unsigned int left;
	uint32_t boxed;
	uint32_t computed;
	uint8_t slot[32];
	unsigned int next_slot;
	struct stub stub[MAX_STUBS];
	unsigned int stubs;
	struct branch branch[MAX_BRANCHES];
	unsigned int branches;
	struct jit_site *site;	/* MAX_INSNS of them, at the place where they stay */
	unsigned int sites;
	const uint8_t *entry[MAX_BLOCKS];
};

/**
 * struct jit_arena - the memory for a generation's translated code, and code they share
 * @write: it, writable
 * @run: it, executable
 * @used: bytes of it
 * @leave: store the state and return; pc in rax, enum jit_exit in edx
 * @dispatch: go on at the pc in rax, in another region if there is one
 * @call: constant: address of jit_call()
 * @k: constants for floating point, 16 bytes each
 */
struct jit_arena {
	uint8_t *write;
	uint8_t *run;
	size_t used;
	const uint8_t *enter;
	const uint8_t *leave;
	const uint8_t *dispatch;
	const uint8_t *call;
	const uint8_t *k;
};

#define ARENA_BYTES	(4u << 20)
#define JUMP_SLOTS	1024u

enum jit_const { K_BOX_S, K_BOX_H, K_NAN_S, K_NAN_D, K_SIGN_S, K_SIGN_D, K_ABS_S, K_ABS_D, K_MAX_WU_D,
		 K_2_32_S, K_2_63_S, K_2_63_D, K_ZERO, K_COUNT };

/**
 * struct gen_jit - translated code of a generation
 * @lock: held while translating
 * @full: there is no room for more
 * @jump: entries by address, for jumps between regions; never NULL
 * @regions_made: counts regions, before anybody can enter them
 * @heat: polls that found code without translation, by address
 */
struct gen_jit {
	pthread_mutex_t lock;
	struct jit_arena arena;
	struct jit_region *regions;
	bool full;
	atomic_uint regions_made;
	_Atomic(const struct jit_entry *) jump[JUMP_SLOTS];
	atomic_uchar heat[256];
};

/** arena_init() - get memory and write the shared code; false if the host refuses */
bool arena_init(struct gen_jit *j);
void arena_fini(struct jit_arena *a);

/** translate() - the code of a region; false if there is no room for it */
bool translate(struct trans *t);

/**
 * jit_call() - execute the instruction of a site, called by translated code
 *
 * Return: 0, or enum jit_exit with b->pc set
 */
unsigned int jit_call(struct core_block *b, const struct jit_site *s);

/* translate.c, for the others */
struct rm x_rm(const struct trans *t, unsigned int r);
unsigned int x_use(struct trans *t, unsigned int r, unsigned int scratch);
unsigned int x_def(const struct trans *t, unsigned int r, unsigned int scratch);
void x_done(struct trans *t, unsigned int r, unsigned int host);
struct rm f_rm(const struct trans *t, unsigned int r);
unsigned int f_use(struct trans *t, unsigned int r, unsigned int scratch);
unsigned int f_def(const struct trans *t, unsigned int r, unsigned int scratch);
void f_done(struct trans *t, unsigned int r, unsigned int xmm);
struct rm konst(const struct trans *t, enum jit_const k);
/** stub() - a jump on @cc to rarely executed code; returns the stub */
struct stub *stub(struct trans *t, enum stub_kind kind, enum cond cc);
/** call_on() - on @cc have jit_call() execute the instruction instead, and go on behind it */
void call_on(struct trans *t, enum cond cc);
/** site_here() - number of the site of the present instruction */
unsigned int site_here(struct trans *t);
/** step_on() - on @cc leave the instruction to the interpreter */
void step_on(struct trans *t, enum cond cc);

void translate_int(struct trans *t);
/* translate_pair() - the present instruction and @next behind it, if the two are fewer instructions on the host */
bool translate_pair(struct trans *t, const struct jinsn *next);
void translate_memory(struct trans *t);
/* the part of a load or store that is behind the blocks */
void translate_look_up(struct trans *t, const struct stub *s);
/* memory_block() - a block begins; memory_written() - the present instruction is translated */
void memory_block(struct trans *t);
void memory_written(struct trans *t, unsigned int flags);
void translate_fp(struct trans *t);

static inline bool is_x(unsigned int r)
{
	return r && r < 32;
}

#endif /* ANPU_JIT_INT_H */
