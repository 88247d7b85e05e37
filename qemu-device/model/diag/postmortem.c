// SPDX-License-Identifier: MIT
/*
 * A core file of a kernel that has failed (cfg.core): an ELF file as Linux makes them for riscv64, which gdb-multiarch opens.
 *
 * Blocks are threads, the one that has failed is the first. Segments are the memory of the address space and the scratchpads
 * of that block. The device writes one for the first failure since power-on: the later ones are often its consequence.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anpu/anpu_isa.h>

#include "internal.h"
#include "diag/postmortem.h"
#include "memory/guard.h"

#define PAGE		4096ULL
#define BLOCKS_MAX	4096
#define SEGMENTS_MAX	60000
#define BYTES_MAX	(4ULL << 30)
#define EM_RISCV_	243

/* The note NT_PRSTATUS of Linux on riscv64, as far as gdb reads it */
struct prstatus {
	uint32_t signo, code, err;
	uint16_t cursig, pad0;
	uint64_t sigpend, sighold;
	uint32_t pid, ppid, pgrp, sid;
	uint64_t times[8];
	uint64_t reg[32];	/* pc, then x1 to x31 */
	uint64_t fpvalid;
};

struct fpregs {
	uint64_t f[32];
	uint64_t fcsr;
};

_Static_assert(sizeof(struct prstatus) == 376, "gdb looks at the size");

struct segment {
	uint64_t va, size;
	uint32_t flags;
};

struct dump {
	struct worker *w;
	struct job *job;
	struct unit *u;
	FILE *file;
	struct core_state *state;
	unsigned int states;
	struct segment *seg;
	unsigned int segments;
	uint64_t bytes;
};

/* Blocks and memory ---------------------------------------------------------------------------- */

/* Blocks that are set aside; those that other workers execute at this moment are not told */
static void take_others(struct dump *d, const struct unit_list *list)
{
	for (const struct unit *u = list->head; u && d->states < BLOCKS_MAX; u = u->next)
		if (u->b && u->b != d->u->b)
			core_block_state(u->b, &d->state[d->states++]);
}

static void take_blocks(struct dump *d)
{
	core_block_state(d->u->b, &d->state[d->states++]);
	d->state[0].pc = d->w->fault.pc ? d->w->fault.pc : d->state[0].pc;
	pthread_mutex_lock(&d->w->m->lock);
	take_others(d, &d->job->ready);
	take_others(d, &d->job->blocked);
	pthread_mutex_unlock(&d->w->m->lock);
}

static void add_segment(struct dump *d, uint64_t va, uint64_t size, uint32_t flags)
{
	struct segment *last = d->segments ? &d->seg[d->segments - 1] : NULL;

	if (d->bytes + size > BYTES_MAX)
		return;
	d->bytes += size;
	if (last && last->va + last->size == va && last->flags == flags)
		last->size += size;
	else if (d->segments < SEGMENTS_MAX)
		d->seg[d->segments++] = (struct segment){ va, size, flags };
}

static void take_leaf(void *arg, uint64_t va, uint64_t pte, uint64_t size)
{
	add_segment(arg, va, size, PF_R | (pte & ANPU_PTE_WRITE ? PF_W : 0) | (pte & ANPU_PTE_EXEC ? PF_X : 0));
}

static void take_memory(struct dump *d)
{
	static const struct segment local[] = {
		{ ANPU_UB_BASE, ANPU_UB_SIZE, PF_R | PF_W }, { ANPU_L1_BASE, ANPU_L1_SIZE, PF_R | PF_W },
		{ ANPU_L0A_BASE, ANPU_L0A_SIZE, PF_R | PF_W }, { ANPU_L0B_BASE, ANPU_L0B_SIZE, PF_R | PF_W },
		{ ANPU_L0C_BASE, ANPU_L0C_SIZE, PF_R | PF_W }, { ANPU_STACK_BASE, ANPU_STACK_SIZE, PF_R | PF_W },
	};

	for (unsigned int i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		add_segment(d, local[i].va, local[i].size, local[i].flags);
	mmu_each_leaf(d->w->m, d->job->q->ctx.asid, take_leaf, d);
}

/* Writing -------------------------------------------------------------------------------------- */

static void write_note(FILE *f, uint32_t type, const void *desc, uint32_t size)
{
	Elf64_Nhdr n = { .n_namesz = 5, .n_descsz = size, .n_type = type };
	static const char name[8] = "CORE";

	fwrite(&n, sizeof(n), 1, f);
	fwrite(name, sizeof(name), 1, f);
	fwrite(desc, size, 1, f);
}

static uint32_t signal_of(uint32_t cause)
{
	switch (cause) {
	case ANPU_FAULT_ILLEGAL:
		return 4;
	case ANPU_FAULT_TRAP:
	case ANPU_FAULT_BREAKPOINT:
		return 5;
	case ANPU_FAULT_ASSERT:
		return 6;
	case ANPU_FAULT_TIMEOUT:
	case ANPU_FAULT_DEADLOCK:
		return 24;
	default:
		return 11;
	}
}

static void write_thread(struct dump *d, const struct core_state *s)
{
	struct prstatus p = {
		.cursig = (uint16_t)signal_of(d->w->fault.cause),
		.pid = s->block * d->job->subs + s->sub_block + 1,
		.fpvalid = 1,
	};
	struct fpregs f = { .fcsr = 0 };

	p.reg[0] = s->pc;
	memcpy(&p.reg[1], &s->x[1], 31 * sizeof(p.reg[0]));
	memcpy(f.f, s->f, sizeof(f.f));
	write_note(d->file, NT_PRSTATUS, &p, sizeof(p));
	write_note(d->file, NT_FPREGSET, &f, sizeof(f));
}

struct page_read {
	struct dump *d;
	uint64_t va;
	uint8_t bytes[PAGE];
	bool ok;
};

static void read_page(void *arg)
{
	struct page_read *r = arg;
	struct worker *w = r->d->w;

	mmu_enter(&w->mmu, r->d->job->q->ctx.asid);
	r->ok = core_block_peek(r->d->u->b, &w->mmu, r->va, PAGE, r->bytes);
	mmu_exit(&w->mmu);
}

/* Pages of zeros are holes of the file */
static void write_segment(struct dump *d, const struct segment *s, uint64_t at)
{
	static const uint8_t zeros[PAGE];
	struct page_read r = { .d = d };
	uint64_t gone;

	for (uint64_t i = 0; i < s->size; i += PAGE) {
		r.va = s->va + i;
		r.ok = false;
		if (!guard_call(d->w->m, read_page, &r, &gone)) {
			if (atomic_load(&d->w->mmu.epoch) != MMU_IDLE)
				mmu_exit(&d->w->mmu);
			continue;
		}
		if (!r.ok || !memcmp(r.bytes, zeros, PAGE) || fseek(d->file, (long)(at + i), SEEK_SET))
			continue;
		fwrite(r.bytes, PAGE, 1, d->file);
	}
}

static void write_headers(struct dump *d, uint64_t notes, uint64_t data)
{
	Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_RISCV_, .e_version = EV_CURRENT, .e_phoff = sizeof(h),
		.e_flags = 4,	/* doubles are passed in registers */
		.e_ehsize = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (uint16_t)(d->segments + 1),
	};
	Elf64_Phdr p = { .p_type = PT_NOTE, .p_offset = sizeof(h) + (d->segments + 1) * sizeof(p), .p_filesz = notes };

	fwrite(&h, sizeof(h), 1, d->file);
	fwrite(&p, sizeof(p), 1, d->file);
	for (unsigned int i = 0; i < d->segments; i++) {
		const struct segment *s = &d->seg[i];

		p = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = s->flags, .p_offset = data, .p_vaddr = s->va,
				  .p_filesz = s->size, .p_memsz = s->size, .p_align = PAGE };
		fwrite(&p, sizeof(p), 1, d->file);
		data += s->size;
	}
}

/* Return: whether all of it could be written */
static bool write_file(struct dump *d)
{
	uint64_t notes = d->states * (2 * (sizeof(Elf64_Nhdr) + 8) + sizeof(struct prstatus) + sizeof(struct fpregs));
	uint64_t data = sizeof(Elf64_Ehdr) + (d->segments + 1) * sizeof(Elf64_Phdr) + notes;

	data = (data + PAGE - 1) & ~(PAGE - 1);
	write_headers(d, notes, data);
	for (unsigned int i = 0; i < d->states; i++)
		write_thread(d, &d->state[i]);
	for (unsigned int i = 0; i < d->segments; i++) {
		write_segment(d, &d->seg[i], data);
		data += d->seg[i].size;
	}
	/* the last pages may be a hole; what is there stays as it is */
	return !fflush(d->file) && !ftruncate(fileno(d->file), (off_t)data);
}

static void tell(struct anpu_model *m, const char *path, bool good, const struct core_state *s)
{
	char text[700];

	if (!m->ops.note)
		return;
	if (good)
		snprintf(text, sizeof(text), "core: %s has the blocks of the kernel that failed; block %u is at pc 0x%llx", path,
			 s->block, (unsigned long long)s->pc);
	else
		snprintf(text, sizeof(text), "core: %s cannot be written", path);
	m->ops.note(m->ctx, text);
}

/** postmortem_of_deadlock() - all blocks of a kernel wait for each other, and it is about to end */
void postmortem_of_deadlock(struct worker *w, struct job *job)
{
	struct core_fault fault = w->fault;
	struct unit *u = job->blocked.head;

	while (u && u->number != job->fault_unit)
		u = u->next;
	if (!u || !u->b)
		return;
	w->fault = job->fault;
	postmortem(w, job, u);
	w->fault = fault;
}

/** postmortem() - a unit of a kernel has failed, as @w->fault says; its block is still there */
void postmortem(struct worker *w, struct job *job, struct unit *u)
{
	struct anpu_model *m = w->m;
	struct dump d = { .w = w, .job = job, .u = u };
	struct core_fault fault = w->fault;
	bool good = false;

	if (fault.cause == ANPU_FAULT_KILLED || fault.cause == ANPU_FAULT_ENDED || atomic_exchange(&m->core_written, 1))
		return;
	d.state = calloc(BLOCKS_MAX + 1, sizeof(*d.state));
	d.seg = calloc(SEGMENTS_MAX, sizeof(*d.seg));
	if (d.state && d.seg) {
		take_blocks(&d);
		take_memory(&d);
		d.file = fopen(m->core_file, "wbe");
	}
	if (d.file) {
		good = write_file(&d) && !ferror(d.file);
		good &= !fclose(d.file);
	}
	tell(m, m->core_file, good, d.state ? d.state : &(struct core_state){ 0 });
	free(d.state);
	free(d.seg);
	w->fault = fault;
}
