// SPDX-License-Identifier: MIT
/*
 * Memory for translated code. It is mapped twice, once to write and once to execute: no address is
 * ever both, since what an operator computes must not become code of the host. Code only has
 * relative addresses, so that it can be written through one mapping and run in the other.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "jit_int.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

static int code_file(void)
{
	/* kernels before 6.3 do not know MFD_EXEC, later ones may insist on it */
	int fd = memfd_create("anpu-jit", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0)
		fd = memfd_create("anpu-jit", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, ARENA_BYTES)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool arena_map(struct jit_arena *a)
{
	int fd = code_file();

	if (fd < 0)
		return false;
	a->write = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	a->run = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	close(fd);
	if (a->write == MAP_FAILED || a->run == MAP_FAILED) {
		if (a->write != MAP_FAILED)
			munmap(a->write, ARENA_BYTES);
		if (a->run != MAP_FAILED)
			munmap(a->run, ARENA_BYTES);
		a->write = NULL;
		return false;
	}
	return true;
}

void arena_fini(struct jit_arena *a)
{
	if (!a->write)
		return;
	munmap(a->write, ARENA_BYTES);
	munmap(a->run, ARENA_BYTES);
	a->write = NULL;
}

static void write_constants(struct code *c, struct jit_arena *a)
{
	static const uint64_t value[K_COUNT] = {
		[K_BOX_S] = BOX_S,
		[K_BOX_H] = BOX_H,
		[K_NAN_S] = BOX_S | NAN_S,
		[K_NAN_D] = NAN_D,
		[K_SIGN_S] = 1ull << 31,
		[K_SIGN_D] = 1ull << 63,
		[K_ABS_S] = ~(1ull << 31),
		[K_ABS_D] = ~(1ull << 63),
		[K_MAX_WU_D] = 0x41efffffffe00000,	/* 2^32 - 1 */
		[K_2_32_S] = 0x4f800000,
		[K_2_63_S] = 0x5f000000,
		[K_2_63_D] = 0x43e0000000000000,
		[K_ZERO] = 0,
	};
	unsigned int n;

	emit_align(c, 16);
	a->k = c->p;
	for (n = 0; n < K_COUNT; n++) {
		emit_u64(c, value[n]);
		emit_u64(c, 0);
	}
	a->call = c->p;
	emit_u64(c, (uintptr_t)jit_call);
}

static const uint8_t saved[] = { RBX, RBP, R12, R13, R14, R15 };

/* enum jit_exit enter(struct core_block *b, const void *code), by the System V ABI */
static void write_enter(struct code *c, struct jit_arena *a)
{
	unsigned int n;

	emit_align(c, 16);
	a->enter = c->p;
	for (n = 0; n < sizeof(saved); n++)
		push(c, saved[n]);
	alu_imm(c, ALU_SUB, true, rm_reg(RSP), 8);
	lea(c, true, R_BLOCK, rm_mem(RDI, BLOCK_BIAS));
	mov_load(c, R_CREDIT, BLOCK_AT(jit.credit));
	jump_mem(c, rm_reg(RSI));
}

static void write_leave(struct code *c, struct jit_arena *a)
{
	unsigned int n;

	emit_align(c, 16);
	a->leave = c->p;
	mov_store(c, BLOCK_AT(pc), RAX);
	mov_store(c, BLOCK_AT(jit.credit), R_CREDIT);
	mov_reg(c, RAX, RDX);
	alu_imm(c, ALU_ADD, true, rm_reg(RSP), 8);
	for (n = sizeof(saved); n-- > 0;)
		pop(c, saved[n]);
	emit_byte(c, 0xc3);
}

/* Go on in another region, if there is one and time is left. */
static void write_dispatch(struct code *c, struct gen_jit *j)
{
	uint8_t *other, *late;

	emit_align(c, 16);
	j->arena.dispatch = c->p;
	test_reg(c, true, R_CREDIT);
	late = jump(c, CC_LE);
	op_rm(c, 0x8b, false, RCX, rm_reg(RAX));
	alu_imm(c, ALU_AND, false, rm_reg(RCX), (JUMP_SLOTS - 1) << 2);
	mov_imm(c, RDX, (uintptr_t)j->jump);
	lea(c, true, RDX, rm_index(RDX, RCX, 0));
	mov_load(c, RDX, rm_index(RDX, RCX, 0));	/* 8 bytes per 4 of code */
	alu_rm(c, ALU_CMP, true, RAX, rm_mem(RDX, offsetof(struct jit_entry, pc)));
	other = jump(c, CC_NE);
	jump_mem(c, rm_mem(RDX, offsetof(struct jit_entry, code)));
	jump_here(c, other);
	jump_here(c, late);
	mov_imm(c, RDX, JIT_GO);
	jump_to(c, CC_ALWAYS, j->arena.leave);
}

bool arena_init(struct gen_jit *j)
{
	struct jit_arena *a = &j->arena;
	struct code c;

	if (!arena_map(a))
		return false;
	c = (struct code){ .start = a->write, .p = a->write, .end = a->write + ARENA_BYTES };
	write_constants(&c, a);
	write_enter(&c, a);
	write_leave(&c, a);
	write_dispatch(&c, j);
	a->used = (size_t)(c.p - c.start);
	return true;
}
