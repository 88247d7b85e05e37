// SPDX-License-Identifier: MIT
/*
 * Traces and listings. A trace has a line per instruction: block, address, place, text, and its
 * effect: the register it wrote, the memory it read or wrote, the operands of a tile operation.
 */
#include <string.h>

#include <anpu/anpu_isa.h>

#include "op/view/tile.h"
#include "op/view/trace.h"
#include "op/tensor/type.h"

/* The instruction at an address of the file; false: no code is there */
static bool word_at(const struct anpu_image *image, uint64_t address, uint32_t *word)
{
	for (unsigned int i = 0; i < image->segment_count; i++) {
		const struct anpu_elf_segment *s = &image->segment[i];

		if (!(s->flags & ANPU_ELF_X) || address - s->vaddr >= s->filesz ||
		    s->filesz - (address - s->vaddr) < 4)
			continue;
		memcpy(word, image->data + s->offset + (address - s->vaddr), 4);
		return true;
	}
	return false;
}

static void print_place(FILE *out, const struct anpu_image *image, uint64_t address)
{
	const struct anpu_elf_symbol *f = anpu_elf_function_at(image, address);

	if (f)
		fprintf(out, "<%s+0x%llx>", f->name, (unsigned long long)(address - f->value));
}

static void print_line(FILE *out, const struct op_line *line)
{
	const char *text = line->text;

	if (text)
		text += strspn(text, " \t");
	fprintf(out, "%s:%u%s%s\n", line->file, line->line, text ? "  " : "", text ? text : "");
}

/* Listing -------------------------------------------------------------------------------------- */

static void list_function(FILE *out, const struct anpu_image *image, struct op_lines *lines,
			  const struct anpu_elf_symbol *f)
{
	struct op_line line, last = { 0 };
	struct op_disasm insn;
	uint32_t word;

	fprintf(out, "\n%s: 0x%llx, %llu bytes\n", f->name, (unsigned long long)f->value,
		(unsigned long long)f->size);
	for (uint64_t at = f->value; at - f->value < f->size && word_at(image, at, &word);
	     at += 4) {
		if (!op_lines_at(lines, at, &line) &&
		    (line.file != last.file || line.line != last.line)) {
			print_line(out, &line);
			last = line;
		}
		op_disassemble(word, at, &insn);
		fprintf(out, "  %6llx:  %08x  %s", (unsigned long long)at, word, insn.text);
		if (insn.kind == OP_INSN_BRANCH) {
			fputc(' ', out);
			print_place(out, image, insn.target);
		}
		fputc('\n', out);
	}
}

/* A function, or its entry thunk */
static bool wanted(const char *symbol, const char *name)
{
	size_t prefix = strlen(ANPU_ENTRY_PREFIX);

	if (!name || !strcmp(symbol, name))
		return true;
	if (!strncmp(symbol, ANPU_ENTRY_PREFIX, prefix))
		symbol += prefix;
	if (strncmp(symbol, name, strlen(name)))
		return false;
	symbol += strlen(name);
	return !*symbol || !strcmp(symbol, ANPU_MIX_AIC_SUFFIX) ||
	       !strcmp(symbol, ANPU_MIX_AIV_SUFFIX);
}

unsigned int op_list_code(FILE *out, const struct anpu_image *image, struct op_lines *lines,
			  const char *name)
{
	const struct anpu_elf_symbol *next;
	uint64_t from = 0;
	unsigned int n = 0;

	do {
		next = NULL;
		for (size_t i = 0; i < image->symbol_count; i++) {
			const struct anpu_elf_symbol *s = &image->symbol[i];

			if (s->func && s->size && s->value >= from && wanted(s->name, name) &&
			    (!next || s->value < next->value))
				next = s;
		}
		if (next) {
			list_function(out, image, lines, next);
			from = next->value + 1;
			n++;
		}
	} while (next);
	return n;
}

/* Trace: before an instruction ----------------------------------------------------------------- */

struct look {
	struct core_block *b;
	struct mmu *mmu;
	const struct op_memory *memory;
};

static bool peek(void *ctx, uint64_t va, uint64_t size, void *to)
{
	struct look *l = ctx;

	return core_block_peek(l->b, l->mmu, va, size, to);
}

static void name_address(void *ctx, uint64_t va, char *text, size_t size)
{
	const struct look *l = ctx;
	const struct op_region *r = op_region_at(l->memory, va);

	if (!r)
		snprintf(text, size, "0x%llx", (unsigned long long)va);
	else if (va >= r->start)
		snprintf(text, size, "%s+0x%llx", r->label ? r->label : r->name,
			 (unsigned long long)(va - r->start));
	else
		snprintf(text, size, "%s-0x%llx", r->label ? r->label : r->name,
			 (unsigned long long)(r->start - va));
}

static bool in_function(const struct op_trace *t, uint64_t address)
{
	const struct anpu_elf_symbol *f = anpu_elf_function_at(t->image, address);

	return f && wanted(f->name, t->function);
}

static bool before(void *ctx, struct core_block *b, struct mmu *mmu)
{
	struct op_trace *t = ctx;
	struct look look = { b, mmu, t->memory };
	const struct op_viewer view = { &look, peek, name_address };
	uint64_t address, operand[4];
	uint32_t word;

	if (t->shown >= t->limit) {
		if (t->shown == t->limit) {
			fprintf(t->out,
				"... after %llu instructions the trace ends here, see limit=N\n",
				(unsigned long long)t->limit);
			t->shown++;
		}
		return false;
	}
	core_block_state(b, &t->state);
	if (t->block != OP_ALL_BLOCKS && t->state.block != t->block)
		return false;
	address = t->state.pc - t->base + t->image->low;
	t->show = word_at(t->image, address, &word) && (!t->function || in_function(t, address));
	if (!t->show)
		return true;
	op_disassemble(word, address, &t->insn);
	operand[0] = t->state.x[t->insn.rs1];
	operand[1] = t->state.x[t->insn.rs2];
	operand[2] = t->state.x[t->insn.rs3];
	operand[3] = t->state.x[t->insn.rd];
	/* decode it before it runs, as the operation may overwrite its descriptor */
	if (t->insn.kind == OP_INSN_TILE)
		op_tile_text(t->insn.op, operand, &view, t->operands, sizeof(t->operands));
	else if (t->insn.kind == OP_INSN_SYS)
		op_sys_text(t->insn.op, operand, &view, t->operands, sizeof(t->operands));
	else
		t->show = !t->tiles;
	return true;
}

/* Trace: after it ------------------------------------------------------------------------------ */

/* A floating-point register by the width that it was written with */
static void print_freg(FILE *out, unsigned int n, uint64_t value)
{
	double d;
	float f;

	memcpy(&d, &value, 8);
	memcpy(&f, &value, 4);
	fprintf(out, " %s=", op_freg_name(n));
	if (value >> 16 == 0xffffffffffff)
		fprintf(out, "%.5g (0x%04x)", op_half_value((uint16_t)value),
			(unsigned int)(value & 0xffff));
	else if (value >> 32 == 0xffffffff)
		fprintf(out, "%.9g (0x%08x)", (double)f, (unsigned int)value);
	else
		fprintf(out, "%.17g (0x%llx)", d, (unsigned long long)value);
}

static void print_memory(const struct op_trace *t, struct look *look)
{
	const struct op_viewer view = { look, peek, name_address };
	const struct op_disasm *d = &t->insn;
	uint64_t va = t->state.x[d->rs1] + (uint64_t)(int64_t)d->imm, value = 0;
	char name[64];

	op_address(va, &view, name, sizeof(name));
	/* reading this CSR has no side effects: show its value */
	if (peek(look, va, d->size, &value))
		fprintf(t->out, " [%s]%s0x%llx", name, d->kind == OP_INSN_STORE ? ":=" : "=",
			(unsigned long long)value);
	else
		fprintf(t->out, " [%s]", name);
}

static void print_effects(const struct op_trace *t, struct look *look, const struct core_state *now,
			  enum core_result result)
{
	const struct op_disasm *d = &t->insn;

	if (d->kind == OP_INSN_TILE || d->kind == OP_INSN_SYS)
		fprintf(t->out, " %s", t->operands);
	if (d->kind == OP_INSN_LOAD || d->kind == OP_INSN_STORE)
		print_memory(t, look);
	if (result == CORE_FAULT) {
		fputs(" FAULT", t->out);
		return;
	}
	if (d->kind == OP_INSN_CSR && d->dst == OP_DST_NONE)
		fprintf(t->out, " from %s=0x%llx", op_xreg_name(d->rs1),
			(unsigned long long)t->state.x[d->rs1]);
	if (d->dst == OP_DST_X)
		fprintf(t->out, " %s=0x%llx", op_xreg_name(d->rd),
			(unsigned long long)now->x[d->rd]);
	else if (d->dst == OP_DST_F)
		print_freg(t->out, d->rd, now->f[d->rd]);
	if (result == CORE_BLOCKED)
		fputs(" (waits)", t->out);
}

static bool says_more(const struct op_disasm *d, enum core_result result)
{
	return d->dst != OP_DST_NONE || result == CORE_FAULT || result == CORE_BLOCKED ||
	       (d->kind != OP_INSN_PLAIN && d->kind != OP_INSN_BRANCH);
}

static void print_source(struct op_trace *t, uint64_t address)
{
	struct op_line line;

	if (op_lines_at(t->lines, address, &line))
		return;
	if (line.file == t->last_file && line.line == t->last_line &&
	    t->state.block == t->last_block && t->state.sub_block == t->last_sub)
		return;
	t->last_file = line.file;
	t->last_line = line.line;
	t->last_block = t->state.block;
	t->last_sub = t->state.sub_block;
	print_line(t->out, &line);
}

static void after(void *ctx, struct core_block *b, struct mmu *mmu, enum core_result result,
		  const struct core_fault *fault)
{
	struct op_trace *t = ctx;
	struct look look = { b, mmu, t->memory };
	uint64_t address = t->state.pc - t->base + t->image->low;
	const struct anpu_elf_symbol *f;
	struct core_state now;
	char place[80] = "?";

	(void)fault;
	if (!t->show)
		return;
	core_block_state(b, &now);
	print_source(t, address);
	f = anpu_elf_function_at(t->image, address);
	if (f)
		snprintf(place, sizeof(place), "%s+0x%llx", f->name,
			 (unsigned long long)(address - f->value));
	if (t->mix)
		fprintf(t->out, "  %u.%u", t->state.block, t->state.sub_block);
	else
		fprintf(t->out, "  %u", t->state.block);
	fprintf(t->out, " %llx %-24s  ", (unsigned long long)address, place);
	if (says_more(&t->insn, result)) {
		fprintf(t->out, "%-28s ", t->insn.text);
		print_effects(t, &look, &now, result);
	} else {
		fputs(t->insn.text, t->out);
	}
	fputc('\n', t->out);
	t->shown++;
}

const struct op_watcher *op_trace_watcher(struct op_trace *t, bool mix)
{
	t->mix = mix;
	t->watcher = (struct op_watcher){ .ctx = t, .before = before, .after = after };
	return &t->watcher;
}
