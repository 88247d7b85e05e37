// SPDX-License-Identifier: MIT
/*
 * The disassembler: RV64IMAFD, Zacas, Zfh, Zicsr and Zifencei from the table below, the ANPU's own
 * operations and CSRs from the tables of anpu_isa.h and anpu_isa_threads.h. A library for
 * disassembly would know the former only, and Debian 12's Capstone does not know Zfh.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>
#include <anpu/anpu_isa_threads.h>

#include "core/fields.h"
#include "op/view/disasm.h"

/*
 * Operands of an instruction, one letter each:
 * d s t      integer registers rd, rs1, rs2
 * D S T R    floating-point registers rd, rs1, rs2, rs3
 * i          12-bit immediate
 * o O        address: immediate of a load, of a store, and rs1
 * b j        target of a branch, of a jump
 * u          upper immediate
 * x w        shift by up to 63, up to 31
 * c z        CSR, 5-bit immediate in rs1's place
 * m e        rounding mode, if it is not dynamic; or not the only one that makes sense (exact)
 * p          fence's predecessor and successor
 * A          address in rs1
 * =          only if rs1 and rs2 are the same, which then is one operand
 * q          no operand: the name has a suffix for the order of an atomic instruction
 */
struct row {
	const char *name;
	uint32_t mask;
	uint32_t match;
	const char *operands;
};

#define OPC(o)	     ((uint32_t)(o))
#define F3(n)	     ((uint32_t)(n) << 12)
#define F7(n)	     ((uint32_t)(n) << 25)
#define RS2(n)	     ((uint32_t)(n) << 20)
#define M_I	     0x0000707fu
#define M_R	     0xfe00707fu
#define M_FP	     0xfe00007fu /* any rounding mode */
#define M_FP1	     0xfff0007fu /* the same, with one source */
#define M_MV	     0xfff0707fu
#define M_FMA	     0x0600007fu
#define M_SH6	     0xfc00707fu
#define BRANCH(n, f) { n, M_I, OPC(0x63) | F3(f), "stb" }
#define LOAD(n, f)   { n, M_I, OPC(0x03) | F3(f), "do" }
#define STORE(n, f)  { n, M_I, OPC(0x23) | F3(f), "tO" }
#define IMM(n, f)    { n, M_I, OPC(0x13) | F3(f), "dsi" }
#define REG(n, o, f, g)	     { n, M_R, OPC(o) | F3(f) | F7(g), "dst" }
#define CSR(n, f, ops)	     { n, M_I, OPC(0x73) | F3(f), ops }
#define FP(n, g, fmt)	     { n, M_FP, OPC(0x53) | F7((g) << 2 | (fmt)), "DSTm" }
#define FP1(n, g, fmt, from, ops) \
	{ n, M_FP1, OPC(0x53) | F7((g) << 2 | (fmt)) | RS2(from), ops }
#define FPR(n, g, f, fmt, ops) { n, M_R, OPC(0x53) | F3(f) | F7((g) << 2 | (fmt)), ops }
#define FPMV(n, g, f, fmt, ops) { n, M_MV, OPC(0x53) | F3(f) | F7((g) << 2 | (fmt)), ops }
#define LOCKED(n, f, five, extra, ops) \
	{ n, 0xf800707f | (extra), OPC(0x2f) | F3(f) | F7((five) << 2), ops }
#define AMO(n, five) LOCKED(n ".w", 2, five, 0, "qdtA"), LOCKED(n ".d", 3, five, 0, "qdtA")
#define FMA(n, o, fmt)	     { n, M_FMA, OPC(o) | F7(fmt), "DSTRm" }

/* instructions that exist in every format: the suffix and number of the format */
#define FORMAT(s, fmt) \
	FPR("fmv." s, 4, 0, fmt, "=DS"), FPR("fneg." s, 4, 1, fmt, "=DS"), \
	FPR("fabs." s, 4, 2, fmt, "=DS"), \
	FP("fadd." s, 0, fmt), FP("fsub." s, 1, fmt), FP("fmul." s, 2, fmt), \
	FP("fdiv." s, 3, fmt), FP1("fsqrt." s, 0x0b, fmt, 0, "DSm"), \
	FPR("fsgnj." s, 4, 0, fmt, "DST"), FPR("fsgnjn." s, 4, 1, fmt, "DST"), \
	FPR("fsgnjx." s, 4, 2, fmt, "DST"), FPR("fmin." s, 5, 0, fmt, "DST"), \
	FPR("fmax." s, 5, 1, fmt, "DST"), FPR("fle." s, 0x14, 0, fmt, "dST"), \
	FPR("flt." s, 0x14, 1, fmt, "dST"), FPR("feq." s, 0x14, 2, fmt, "dST"), \
	FPMV("fclass." s, 0x1c, 1, fmt, "dS"), \
	FP1("fcvt.w." s, 0x18, fmt, 0, "dSm"), FP1("fcvt.wu." s, 0x18, fmt, 1, "dSm"), \
	FP1("fcvt.l." s, 0x18, fmt, 2, "dSm"), FP1("fcvt.lu." s, 0x18, fmt, 3, "dSm"), \
	FMA("fmadd." s, 0x43, fmt), FMA("fmsub." s, 0x47, fmt), FMA("fnmsub." s, 0x4b, fmt), \
	FMA("fnmadd." s, 0x4f, fmt)

/* Short forms stand before the instructions that they are forms of: the first match counts. */
static const struct row rows[] = {
	{ "nop", ~0u, 0x13, "" },
	{ "li", 0x000ff07f, 0x13, "di" },
	{ "mv", M_MV, 0x13, "ds" },
	{ "sext.w", M_MV, 0x1b, "ds" },
	{ "not", M_MV, 0xfff04013, "ds" },
	{ "seqz", M_MV, 0x00103013, "ds" },
	{ "ret", ~0u, 0x8067, "" },
	{ "jr", 0xfff07fff, 0x67, "s" },
	{ "jalr", 0xfff07fff, 0xe7, "s" },
	{ "j", 0xfff, 0x6f, "j" },
	{ "jal", 0xfff, 0xef, "j" },
	{ "beqz", 0x01f0707f, 0x63, "sb" },
	{ "bnez", 0x01f0707f, 0x1063, "sb" },
	{ "bltz", 0x01f0707f, 0x4063, "sb" },
	{ "bgez", 0x01f0707f, 0x5063, "sb" },
	{ "csrr", 0x000ff07f, 0x2073, "dc" },
	{ "csrw", 0x7fff, 0x1073, "cs" },
	{ "csrwi", 0x7fff, 0x5073, "cz" },
	{ "neg", 0xfe0ff07f, 0x40000033, "dt" },
	{ "snez", 0xfe0ff07f, 0x3033, "dt" },
	{ "lui", 0x7f, 0x37, "du" },
	{ "auipc", 0x7f, 0x17, "du" },
	{ "jal", 0x7f, 0x6f, "dj" },
	{ "jalr", M_I, 0x67, "do" },
	BRANCH("beq", 0), BRANCH("bne", 1), BRANCH("blt", 4), BRANCH("bge", 5), BRANCH("bltu", 6),
	BRANCH("bgeu", 7),
	LOAD("lb", 0), LOAD("lh", 1), LOAD("lw", 2), LOAD("ld", 3), LOAD("lbu", 4), LOAD("lhu", 5),
	LOAD("lwu", 6),
	STORE("sb", 0), STORE("sh", 1), STORE("sw", 2), STORE("sd", 3),
	IMM("addi", 0), IMM("slti", 2), IMM("sltiu", 3), IMM("xori", 4), IMM("ori", 6),
	IMM("andi", 7),
	{ "slli", M_SH6, 0x1013, "dsx" },
	{ "srli", M_SH6, 0x5013, "dsx" },
	{ "srai", M_SH6, 0x40005013, "dsx" },
	{ "addiw", M_I, 0x1b, "dsi" },
	{ "slliw", M_R, 0x101b, "dsw" },
	{ "srliw", M_R, 0x501b, "dsw" },
	{ "sraiw", M_R, 0x4000501b, "dsw" },
	REG("add", 0x33, 0, 0), REG("sub", 0x33, 0, 32), REG("sll", 0x33, 1, 0),
	REG("slt", 0x33, 2, 0), REG("sltu", 0x33, 3, 0), REG("xor", 0x33, 4, 0),
	REG("srl", 0x33, 5, 0), REG("sra", 0x33, 5, 32), REG("or", 0x33, 6, 0),
	REG("and", 0x33, 7, 0), REG("mul", 0x33, 0, 1), REG("mulh", 0x33, 1, 1),
	REG("mulhsu", 0x33, 2, 1), REG("mulhu", 0x33, 3, 1), REG("div", 0x33, 4, 1),
	REG("divu", 0x33, 5, 1), REG("rem", 0x33, 6, 1), REG("remu", 0x33, 7, 1),
	REG("addw", 0x3b, 0, 0), REG("subw", 0x3b, 0, 32), REG("sllw", 0x3b, 1, 0),
	REG("srlw", 0x3b, 5, 0), REG("sraw", 0x3b, 5, 32), REG("mulw", 0x3b, 0, 1),
	REG("divw", 0x3b, 4, 1), REG("divuw", 0x3b, 5, 1), REG("remw", 0x3b, 6, 1),
	REG("remuw", 0x3b, 7, 1),
	LOCKED("lr.w", 2, 2, RS2(31), "qdA"), LOCKED("lr.d", 3, 2, RS2(31), "qdA"),
	AMO("sc", 3), AMO("amoadd", 0), AMO("amoswap", 1), AMO("amoxor", 4), AMO("amocas", 5),
	AMO("amoor", 8), AMO("amoand", 12), AMO("amomin", 16), AMO("amomax", 20),
	AMO("amominu", 24), AMO("amomaxu", 28),
	{ "fence", M_I, 0x0f, "p" },
	{ "fence.i", M_I, 0x100f, "" },
	{ "ebreak", ~0u, 0x00100073, "" },
	CSR("csrrw", 1, "dcs"), CSR("csrrs", 2, "dcs"), CSR("csrrc", 3, "dcs"),
	CSR("csrrwi", 5, "dcz"), CSR("csrrsi", 6, "dcz"), CSR("csrrci", 7, "dcz"),
	{ "flh", M_I, 0x1007, "Do" }, { "flw", M_I, 0x2007, "Do" }, { "fld", M_I, 0x3007, "Do" },
	{ "fsh", M_I, 0x1027, "TO" }, { "fsw", M_I, 0x2027, "TO" }, { "fsd", M_I, 0x3027, "TO" },
	FORMAT("s", 0), FORMAT("d", 1), FORMAT("h", 2),
	FPMV("fmv.x.w", 0x1c, 0, 0, "dS"), FPMV("fmv.x.d", 0x1c, 0, 1, "dS"),
	FPMV("fmv.x.h", 0x1c, 0, 2, "dS"), FPMV("fmv.w.x", 0x1e, 0, 0, "Ds"),
	FPMV("fmv.d.x", 0x1e, 0, 1, "Ds"), FPMV("fmv.h.x", 0x1e, 0, 2, "Ds"),
	FP1("fcvt.s.d", 8, 0, 1, "DSm"), FP1("fcvt.s.h", 8, 0, 2, "DSe"),
	FP1("fcvt.d.s", 8, 1, 0, "DSe"), FP1("fcvt.d.h", 8, 1, 2, "DSe"),
	FP1("fcvt.h.s", 8, 2, 0, "DSm"), FP1("fcvt.h.d", 8, 2, 1, "DSm"),
	FP1("fcvt.s.w", 0x1a, 0, 0, "Dsm"), FP1("fcvt.s.wu", 0x1a, 0, 1, "Dsm"),
	FP1("fcvt.s.l", 0x1a, 0, 2, "Dsm"), FP1("fcvt.s.lu", 0x1a, 0, 3, "Dsm"),
	FP1("fcvt.d.w", 0x1a, 1, 0, "Dse"), FP1("fcvt.d.wu", 0x1a, 1, 1, "Dse"),
	FP1("fcvt.d.l", 0x1a, 1, 2, "Dsm"), FP1("fcvt.d.lu", 0x1a, 1, 3, "Dsm"),
	FP1("fcvt.h.w", 0x1a, 2, 0, "Dsm"), FP1("fcvt.h.wu", 0x1a, 2, 1, "Dsm"),
	FP1("fcvt.h.l", 0x1a, 2, 2, "Dsm"), FP1("fcvt.h.lu", 0x1a, 2, 3, "Dsm"),
};

/* The ANPU's own operations: name and roles of rs1, rs2, rs3, rd */
struct own {
	const char *name;
	const char *role[4];
};

#define TILE(n, num, pipe, rs1, rs2, rs3, rd, ...) [num] = { #n, { rs1, rs2, rs3, rd } },
static const struct own tile_ops[ANPU_TILE_OP_COUNT] = { ANPU_TILE_OPS(TILE) };
#undef TILE
#define SYS(n, num, rs1, rs2, ...) [num] = { #n, { rs1, rs2, "0", "0" } },
static const struct own sys_ops[] = { ANPU_SYS_OPS(SYS) };
#undef SYS
/* Atomic operations and those of threads have three operands and share two fields of the opcode with the system's */
#define NAME(n, num, ...) [num] = #n,
static const char *const amo_names[] = { ANPU_AMO_OPS(NAME) };
static const char *const thread_names[] = { ANPU_THREAD_OPS(NAME) };
#undef NAME

static const struct {
	const char *name;
	unsigned int number;
} csrs[] = {
#define NAMED(n, num, ...) { #n, num },
	ANPU_CSRS(NAMED)
#undef NAMED
};

static const char xregs[32][5] = { "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2",
				   "s0",   "s1", "a0", "a1", "a2",  "a3",  "a4", "a5",
				   "a6",   "a7", "s2", "s3", "s4",  "s5",  "s6", "s7",
				   "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
static const char fregs[32][5] = { "ft0", "ft1", "ft2",	 "ft3",	 "ft4", "ft5", "ft6",  "ft7",
				   "fs0", "fs1", "fa0",	 "fa1",	 "fa2", "fa3", "fa4",  "fa5",
				   "fa6", "fa7", "fs2",	 "fs3",	 "fs4", "fs5", "fs6",  "fs7",
				   "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11" };

const char *op_xreg_name(unsigned int n)
{
	return xregs[n & 31];
}

const char *op_freg_name(unsigned int n)
{
	return fregs[n & 31];
}

static void append(struct op_disasm *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct op_disasm *d, const char *format, ...)
{
	size_t used = strlen(d->text);
	va_list args;

	va_start(args, format);
	vsnprintf(d->text + used, sizeof(d->text) - used, format, args);
	va_end(args);
}

static void append_csr(struct op_disasm *d, unsigned int number)
{
	d->op = number;
	for (size_t i = 0; i < sizeof(csrs) / sizeof(csrs[0]); i++) {
		if (csrs[i].number == number) {
			append(d, "%s", csrs[i].name);
			return;
		}
	}
	append(d, "0x%03x", number);
}

/* Writes a rounding mode other than @usual, with a comma before it */
static void append_round(struct op_disasm *d, unsigned int rm, unsigned int usual)
{
	static const char *const names[8] = { "rne", "rtz", "rdn", "rup", "rmm", "?", "?", "dyn" };

	if (rm != usual)
		append(d, ", %s", names[rm]);
}

static void append_fence(struct op_disasm *d, uint32_t w)
{
	for (unsigned int half = 0; half < 2; half++) {
		unsigned int set = bits(w, half ? 20 : 24, 4);

		append(d, "%s%s%s%s%s%s", half ? ", " : "", set & 8 ? "i" : "", set & 4 ? "o" : "",
		       set & 2 ? "r" : "", set & 1 ? "w" : "", set ? "" : "0");
	}
}

static void append_operand(struct op_disasm *d, char what, uint32_t w, uint64_t pc)
{
	unsigned int rd = bits(w, 7, 5), rs1 = bits(w, 15, 5), rs2 = bits(w, 20, 5);

	switch (what) {
	case 'd': append(d, "%s", xregs[rd]); break;
	case 's': append(d, "%s", xregs[rs1]); break;
	case 't': append(d, "%s", xregs[rs2]); break;
	case 'D': append(d, "%s", fregs[rd]); break;
	case 'S': append(d, "%s", fregs[rs1]); break;
	case 'T': append(d, "%s", fregs[rs2]); break;
	case 'R': append(d, "%s", fregs[bits(w, 27, 5)]); break;
	case 'i': append(d, "%d", (int32_t)w >> 20); break;
	case 'x': append(d, "%u", bits(w, 20, 6)); break;
	case 'w': append(d, "%u", rs2); break;
	case 'u': append(d, "0x%x", w >> 12); break;
	case 'c': append_csr(d, w >> 20); break;
	case 'z': append(d, "%u", rs1); break;
	case 'p': append_fence(d, w); break;
	case 'A': append(d, "(%s)", xregs[rs1]); break;
	case 'o':
	case 'O':
		d->imm = what == 'o' ? (int32_t)w >> 20 : imm_s(w);
		append(d, "%d(%s)", d->imm, xregs[rs1]);
		break;
	default: /* b j */
		d->target = pc + (uint64_t)(int64_t)(what == 'b' ? imm_b(w) : imm_j(w));
		append(d, "0x%llx", (unsigned long long)d->target);
	}
}

/* Fills in the kind of instruction and the registers that follow from the opcode. */
static void classify(struct op_disasm *d, uint32_t w)
{
	static const uint8_t sizes[8] = { 1, 2, 4, 8, 1, 2, 4, 0 };
	unsigned int opcode = bits(w, 0, 7);

	d->size = sizes[bits(w, 12, 3)];
	d->kind = OP_INSN_PLAIN;
	switch (opcode) {
	case 0x03:
	case 0x07: d->kind = OP_INSN_LOAD; break;
	case 0x23:
	case 0x27:
		d->kind = OP_INSN_STORE;
		d->store_fp = opcode == 0x27;
		break;
	case 0x63: d->kind = OP_INSN_BRANCH; break;
	case 0x6f:
		d->kind = OP_INSN_BRANCH;
		/* fallthrough */
	case 0x67: /* jal and jalr: their short forms do not name ra */
		d->dst = bits(w, 7, 5) ? OP_DST_X : OP_DST_NONE;
		break;
	case 0x73: d->kind = bits(w, 12, 3) ? OP_INSN_CSR : OP_INSN_PLAIN; break;
	default: break;
	}
}

static bool bad_round(const struct row *r, uint32_t w)
{
	unsigned int rm = bits(w, 12, 3);

	return strpbrk(r->operands, "me") && (rm == 5 || rm == 6);
}

static bool disassemble_row(const struct row *r, uint32_t w, uint64_t pc, struct op_disasm *d)
{
	static const char *const orders[4] = { "", ".rl", ".aq", ".aqrl" };
	const char *operand = r->operands;

	if ((w & r->mask) != r->match || bad_round(r, w))
		return false;
	if (*operand == '=' && bits(w, 15, 5) != bits(w, 20, 5))
		return false;
	operand += *operand == '=';
	classify(d, w);
	append(d, "%s", r->name);
	if (*operand == 'q') {
		append(d, "%s", orders[bits(w, 25, 2)]);
		operand++;
	}
	for (bool first = true; *operand; operand++, first = false) {
		if (*operand == 'm' || *operand == 'e') {
			append_round(d, bits(w, 12, 3), *operand == 'm' ? 7 : 0);
			continue;
		}
		append(d, "%s", first ? " " : ", ");
		if (*operand == 'd' && bits(w, 7, 5))
			d->dst = OP_DST_X;
		else if (*operand == 'D')
			d->dst = OP_DST_F;
		append_operand(d, *operand, w, pc);
	}
	return true;
}

static void append_lower(struct op_disasm *d, const char *name)
{
	for (const char *c = name; *c; c++)
		append(d, "%c", *c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : *c);
}

/* Operations of custom-1 that have a result: rd, rs1, rs2 */
static bool disassemble_result(uint32_t w, struct op_disasm *d)
{
	unsigned int number = bits(w, 25, 7), f3 = bits(w, 12, 3);
	const char *const *names = f3 == 1 ? amo_names : thread_names;
	size_t count = f3 == 1 ? sizeof(amo_names) / sizeof(amo_names[0]) : sizeof(thread_names) / sizeof(thread_names[0]);

	if (bits(w, 0, 7) != ANPU_OPC_SYS || (f3 != 1 && f3 != 2) || number >= count || !names[number])
		return false;
	d->kind = OP_INSN_PLAIN;
	d->dst = d->rd ? OP_DST_X : OP_DST_NONE;
	append(d, f3 == 1 ? "amo." : "thread.");
	append_lower(d, names[number]);
	append(d, " %s, %s, %s", xregs[d->rd], xregs[d->rs1], xregs[d->rs2]);
	return true;
}

static bool disassemble_own(uint32_t w, struct op_disasm *d)
{
	const uint8_t reg[4] = { bits(w, 15, 5), bits(w, 20, 5), bits(w, 27, 5), bits(w, 7, 5) };
	bool tile = bits(w, 0, 7) == ANPU_OPC_TILE;
	const struct own *o = NULL;
	unsigned int last = 0;

	if (tile) {
		d->op = bits(w, 12, 3) | bits(w, 25, 2) << 3;
		o = &tile_ops[d->op];
	} else if (bits(w, 0, 7) == ANPU_OPC_SYS && !bits(w, 12, 3) && !bits(w, 7, 5)) {
		d->op = bits(w, 25, 7);
		o = d->op < sizeof(sys_ops) / sizeof(sys_ops[0]) ? &sys_ops[d->op] : NULL;
	}
	if (!o || !o->name)
		return false;
	d->kind = tile ? OP_INSN_TILE : OP_INSN_SYS;
	d->rs3 = reg[2];
	append_lower(d, o->name);
	/* registers behind the last operand that means something are not shown if they are zero */
	for (unsigned int i = 0; i < (tile ? 4u : 2u); i++)
		if (o->role[i][0] != '0' || reg[i])
			last = i + 1;
	for (unsigned int i = 0; i < last; i++)
		append(d, "%s%s", i ? ", " : " ", xregs[reg[i]]);
	return true;
}

void op_disassemble(uint32_t w, uint64_t pc, struct op_disasm *d)
{
	memset(d, 0, sizeof(*d));
	d->rd = bits(w, 7, 5);
	d->rs1 = bits(w, 15, 5);
	d->rs2 = bits(w, 20, 5);
	if (disassemble_own(w, d) || disassemble_result(w, d))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (disassemble_row(&rows[i], w, pc, d))
			return;
	memset(d->text, 0, sizeof(d->text));
	append(d, ".word 0x%08x", w);
	d->kind = OP_INSN_ILLEGAL;
}
