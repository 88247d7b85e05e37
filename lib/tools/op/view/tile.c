// SPDX-License-Identifier: MIT
/* Decoding the operands of tile operations, by the tables of anpu_isa.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "op/view/tile.h"
#include "op/tensor/type.h"

/* Names ---------------------------------------------------------------------------------------- */

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ROW(n, num, ...) [num] = #n,

static const char *const pipes[ANPU_PIPE_COUNT] = { ANPU_PIPES(ROW) };
static const char *const rounds[8] = { ANPU_ROUNDS(ROW) };
static const char *const types[16] = { ANPU_TYPES(ROW) };
static const char *const bins[] = { ANPU_BIN_OPS(ROW) };
static const char *const uns[] = { ANPU_UN_OPS(ROW) };
static const char *const tris[] = { ANPU_TRI_OPS(ROW) };
static const char *const cmps[] = { ANPU_CMP_OPS(ROW) };
static const char *const sels[] = { ANPU_SEL_OPS(ROW) };
static const char *const reds[] = { ANPU_RED_OPS(ROW) };
static const char *const scopes[] = { [0] = "WHOLE", [1] = "REPEAT", [2] = "BLOCK", [3] = "PAIR" };
static const char *const atoms[] = { ANPU_ATOM_OPS(ROW) };
static const char *const gathers[] = { ANPU_GATHER_OPS(ROW) };
static const char *const gmasks[] = { ANPU_GMASK_OPS(ROW) };
static const char *const mrgs[] = { ANPU_MRG_OPS(ROW) };
static const char *const brcs[] = { ANPU_BRC_OPS(ROW) };
static const char *const sys_names[] = { ANPU_SYS_OPS(ROW) };
#undef ROW

#define ROW(n, num, bits, ...) [num] = bits,
static const uint8_t type_bits[16] = { ANPU_TYPES(ROW) };
#undef ROW

/* sub-operations of the operations that have some */
static const struct {
	const char *const *name;
	size_t count;
} subs[ANPU_TILE_OP_COUNT] = {
	[ANPU_TILE_VBIN] = { bins, ARRAY_SIZE(bins) },
	[ANPU_TILE_VBINS] = { bins, ARRAY_SIZE(bins) },
	[ANPU_TILE_VUN] = { uns, ARRAY_SIZE(uns) },
	[ANPU_TILE_VTRI] = { tris, ARRAY_SIZE(tris) },
	[ANPU_TILE_VCMP] = { cmps, ARRAY_SIZE(cmps) },
	[ANPU_TILE_VSEL] = { sels, ARRAY_SIZE(sels) },
	[ANPU_TILE_VGATHER] = { gathers, ARRAY_SIZE(gathers) },
	[ANPU_TILE_VGMASK] = { gmasks, ARRAY_SIZE(gmasks) },
	[ANPU_TILE_VMRG] = { mrgs, ARRAY_SIZE(mrgs) },
	[ANPU_TILE_VBRC] = { brcs, ARRAY_SIZE(brcs) },
	[ANPU_TILE_DMA_ATOM] = { atoms, ARRAY_SIZE(atoms) },
};

struct own {
	const char *name;
	uint8_t pipe;
	const char *role[4];
};

#define ROW(n, num, pipe, rs1, rs2, rs3, rd, ...) \
	[num] = { #n, ANPU_PIPE_##pipe, { rs1, rs2, rs3, rd } },
static const struct own ops[ANPU_TILE_OP_COUNT] = { ANPU_TILE_OPS(ROW) };
#undef ROW

static const struct {
	const char *name;
	uint64_t base;
	uint64_t size;
} windows[] = {
#define ROW(n, base, size, ...) { #n, base, size },
	ANPU_WINDOWS(ROW)
#undef ROW
};

const char *op_pipe_name(unsigned int pipe)
{
	return pipe < ANPU_PIPE_COUNT && pipes[pipe] ? pipes[pipe] : "?";
}

const char *op_sys_name(unsigned int op)
{
	return op < ARRAY_SIZE(sys_names) ? sys_names[op] : NULL;
}

/* The window's number, or -1 */
static int window_of(uint64_t va)
{
	for (size_t i = 0; i < ARRAY_SIZE(windows); i++)
		if (va - windows[i].base < windows[i].size)
			return (int)i;
	return -1;
}

static bool in(uint64_t va, uint64_t base)
{
	int w = window_of(va);

	return w >= 0 && windows[w].base == base;
}

/* "F32"; "type 13" for what does not exist */
static const char *type_name(unsigned int type)
{
	static const char *const none[16] = { [3] = "type3", [13] = "type13", [14] = "type14",
					      [15] = "type15" };

	return types[type & 15] ? types[type & 15] : none[type & 15];
}

/* Text ----------------------------------------------------------------------------------------- */

struct text {
	char *at;
	size_t left;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at, t->left, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->left)
		n = t->left ? (int)t->left - 1 : 0;
	t->at += n;
	t->left -= (size_t)n;
}

void op_address(uint64_t va, const struct op_viewer *view, char *text, size_t size)
{
	int w = window_of(va);

	if (w >= 0)
		snprintf(text, size, "%s+0x%llx", windows[w].name,
			 (unsigned long long)(va - windows[w].base));
	else if (va >= ANPU_GM_BASE && view && view->name)
		view->name(view->ctx, va, text, size);
	else
		snprintf(text, size, "0x%llx", (unsigned long long)va);
}

static void add_address(struct text *t, const char *role, uint64_t va, const struct op_viewer *view)
{
	char name[64];

	op_address(va, view, name, sizeof(name));
	add(t, "%s%s=%s", t->at[-1] == ' ' ? "" : " ", role, name);
}

static double real_of(uint64_t value, unsigned int type)
{
	uint32_t bits = (uint32_t)value;
	float f;

	if (type == ANPU_TYPE_F16)
		return op_half_value((uint16_t)value);
	if (type == ANPU_TYPE_BF16)
		bits <<= 16;
	memcpy(&f, &bits, 4);
	return (double)f;
}

/* A scalar operand as its type shows it */
static void add_scalar(struct text *t, uint64_t value, unsigned int type)
{
	unsigned int bits = type_bits[type & 15];

	if (type <= ANPU_TYPE_BF16)
		add(t, " scalar=%.9g", real_of(value, type));
	else if (type == ANPU_TYPE_S8 || type == ANPU_TYPE_S16 || type == ANPU_TYPE_S32 ||
		 type == ANPU_TYPE_S64 || type == ANPU_TYPE_S4)
		add(t, " scalar=%lld", (long long)((int64_t)(value << (64 - bits)) >> (64 - bits)));
	else
		add(t, " scalar=%llu",
		    (unsigned long long)(bits ? value << (64 - bits) >> (64 - bits) : value));
}

static void add_sub(struct text *t, unsigned int op, uint64_t ctl)
{
	unsigned int sub = ANPU_CTL_GET_SUB(ctl);

	if (op == ANPU_TILE_VRED && (sub & 15) < ARRAY_SIZE(reds))
		add(t, " %s %s", reds[sub & 15], scopes[sub >> 4]);
	else if (op == ANPU_TILE_VRED)
		add(t, " sub%u", sub);
	else if (subs[op].name && sub < subs[op].count && subs[op].name[sub])
		add(t, " %s", subs[op].name[sub]);
	else if (sub)
		add(t, " sub%u", sub);
}

/* Does the operation have two types? */
static bool converts(unsigned int op)
{
	return op == ANPU_TILE_VCVT || op == ANPU_TILE_FIXPIPE;
}

static void add_ctl(struct text *t, unsigned int op, uint64_t ctl, bool count)
{
	static const char *const flags[6] = { "SCALAR", "REVERSE", "INDEX", "MASK", "TRANSPOSE",
					      "QUANT" };
	unsigned int round = ANPU_CTL_GET_ROUND(ctl);

	add_sub(t, op, ctl);
	if (converts(op))
		add(t, " %s<-%s", type_name(ANPU_CTL_GET_TYPE(ctl)),
		    type_name(ANPU_CTL_GET_TYPE2(ctl)));
	else
		add(t, " %s", type_name(ANPU_CTL_GET_TYPE(ctl)));
	if (round)
		add(t, " %s", rounds[round] ? rounds[round] : "round7");
	for (unsigned int i = 0; i < 6; i++)
		if (ctl >> (49 + i) & 1)
			add(t, " %s", flags[i]);
	if (count)
		add(t, " x%u", ANPU_CTL_GET_COUNT(ctl));
	if (ctl >> 56)
		add(t, " reserved=0x%llx", (unsigned long long)(ctl >> 56));
}

/* Descriptors and packed words ----------------------------------------------------------------- */

static bool read_desc(const struct op_viewer *view, uint64_t va, void *desc)
{
	return view && view->peek && view->peek(view->ctx, va, 32, desc);
}

static void add_rep(struct text *t, const struct anpu_rep_desc *d)
{
	add(t, " {%s", d->op < ANPU_TILE_OP_COUNT && ops[d->op].name ? ops[d->op].name : "?");
	add_ctl(t, d->op % ANPU_TILE_OP_COUNT, d->ctl, true);
	add(t, " repeat=%u block=%u,%u,%u stride=%u,%u,%u}", d->repeat, d->dst_block,
	    d->src0_block, d->src1_block, d->dst_repeat, d->src0_repeat, d->src1_repeat);
}

static void add_nd2nz(struct text *t, const struct anpu_nd2nz_desc *d)
{
	add(t, " {%u matrices of %ux%u, src row %u, src matrix %u, dst c0 %u, n %u, nz %u}",
	    d->nd_num, d->n, d->d, d->src_d, d->src_nd_stride, d->dst_c0_stride, d->dst_n_stride,
	    d->dst_nz_stride);
}

static void add_mrg(struct text *t, const struct anpu_mrg_desc *d)
{
	add(t, " {");
	for (unsigned int i = 0; i < 4; i++) {
		char name[40];

		op_address(d->list[i].addr, NULL, name, sizeof(name));
		if (d->list[i].count)
			add(t, "%s%s x%u", i ? ", " : "", name, d->list[i].count);
	}
	add(t, "}");
}

static void add_load3d(struct text *t, const struct anpu_load3d_desc *d)
{
	add(t,
	    " {image %ux%ux%u, kernel %ux%u, stride %ux%u, dilation %ux%u, pad %u,%u,%u,%u, "
	    "k %u+%u, m %u+%u}",
	    d->height, d->width, d->channels, d->kernel_h, d->kernel_w, d->stride_h, d->stride_w,
	    d->dilation_h, d->dilation_w, d->pad[0], d->pad[1], d->pad[2], d->pad[3], d->k_start,
	    d->k_step, d->m_start, d->m_step);
}

static void add_fix(struct text *t, const struct anpu_fix_desc *d)
{
	static const char *const quants[] = { "", ", quant", ", quant per column" };

	add(t, " {%s %ux%u, src %u, dst %u", d->layout ? "NZ" : "ND", d->m, d->n, d->src_stride,
	    d->dst_stride);
	if (d->nd_num > 1)
		add(t, ", %u matrices, src %u, dst %u", d->nd_num, d->src_nd_stride,
		    d->dst_nd_stride);
	add(t, "%s%s}", d->quant < 3 ? quants[d->quant] : ", quant?", d->relu ? ", relu" : "");
}

static void add_desc(struct text *t, unsigned int op, uint64_t va, const struct op_viewer *view)
{
	union {
		struct anpu_rep_desc rep;
		struct anpu_nd2nz_desc nd2nz;
		struct anpu_mrg_desc mrg;
		struct anpu_load3d_desc load3d;
		struct anpu_fix_desc fix;
	} d;

	if (!read_desc(view, va, &d)) {
		add_address(t, "desc", va, view);
		add(t, " (unreadable)");
		return;
	}
	switch (op) {
	case ANPU_TILE_VREP: add_rep(t, &d.rep); break;
	case ANPU_TILE_DMA_ND2NZ: add_nd2nz(t, &d.nd2nz); break;
	case ANPU_TILE_VMRG: add_mrg(t, &d.mrg); break;
	case ANPU_TILE_LOAD3D: add_load3d(t, &d.load3d); break;
	default: add_fix(t, &d.fix); break;
	}
}

/* Addresses of blocks that lie at one distance are shown by the first and that */
static void add_list(struct text *t, const char *role, uint64_t va, const struct op_viewer *view)
{
	uint64_t list[16];
	char name[40];
	unsigned int i;

	if (!view || !view->peek || !view->peek(view->ctx, va, sizeof(list), list)) {
		add_address(t, role, va, view);
		add(t, " (unreadable)");
		return;
	}
	op_address(list[0], NULL, name, sizeof(name));
	for (i = 2; i < 16 && list[i] - list[i - 1] == list[1] - list[0]; i++)
		;
	add(t, " %s={%s", role, name);
	if (i == 16) {
		add(t, " + %lld i}", (long long)(list[1] - list[0]));
		return;
	}
	for (i = 1; i < 16; i++) {
		op_address(list[i], NULL, name, sizeof(name));
		add(t, ", %s", name);
	}
	add(t, "}");
}

static void add_mmad(struct text *t, uint64_t w)
{
	unsigned int flags = (unsigned int)(w >> 56);

	add(t, " %ux%ux%u %s%s%s%s%s", (unsigned int)(w & 0xffff), (unsigned int)(w >> 16 & 0xffff),
	    (unsigned int)(w >> 32 & 0xffff), type_name((unsigned int)(w >> 48) & 15),
	    flags & ANPU_MMAD_INIT ? " INIT" : "", flags & ANPU_MMAD_BIAS ? " BIAS" : "",
	    flags & ANPU_MMAD_COLS ? " COLS" : "", flags & ANPU_MMAD_ROW ? " ROW" : "");
}

/* Formats a word that packs several numbers; false if the role has no such word */
static bool add_packed(struct text *t, const char *role, uint64_t w)
{
	unsigned int half[4] = { w & 0xffff, w >> 16 & 0xffff, w >> 32 & 0xffff,
				 (unsigned int)(w >> 48) };
	uint32_t low = (uint32_t)w, high = (uint32_t)(w >> 32);

	if (!strcmp(role, "bursts"))
		add(t, " %u bursts of %u blocks, gaps %u,%u", half[0], half[1], half[2], half[3]);
	else if (!strcmp(role, "padbursts") && half[3] >> 8 >= ANPU_PAD_FIRST(0))
		add(t, " %u bursts of %u bytes, rest of blocks as the first %u", half[2], low, 1u << (half[3] >> 8 & 3));
	else if (!strcmp(role, "padbursts"))
		add(t, " %u bursts of %u bytes, pad %u,%u", half[2], low, half[3] & 255,
		    half[3] >> 8);
	else if (!strcmp(role, "gaps"))
		add(t, " gaps %u,%u", low, high);
	else if (!strcmp(role, "repeats"))
		add(t, " repeat=%u stride=%u,%u%s%s", half[0], half[1], half[2], w & ANPU_REPEATS_DST_HIGH ? " DST_HIGH" : "",
		    w & ANPU_REPEATS_SRC_HIGH ? " SRC_HIGH" : "");
	else if (!strcmp(role, "shape"))
		add(t, " shape %ux%u", low, high);
	else if (!strcmp(role, "load2d"))
		add(t, " fractals %u+%u, strides %u,%u", half[0], half[1], half[2], half[3]);
	else if (!strcmp(role, "mmad"))
		add_mmad(t, w);
	else if (!strcmp(role, "bytes"))
		add(t, " %llu bytes", (unsigned long long)w);
	else if (!strcmp(role, "pattern"))
		add(t, " pattern=0x%llx", (unsigned long long)w);
	else
		return false;
	return true;
}

static bool is_address(const char *role)
{
	return !strncmp(role, "dst", 3) || !strncmp(role, "src", 3) || !strcmp(role, "index") ||
	       !strcmp(role, "mask");
}

/* rs3 is the shape or must be zero, rd has the type */
static uint64_t control(unsigned int op, const uint64_t operand[4])
{
	return ops[op].role[3][0] == 'c' ? operand[3] : 0;
}

void op_tile_text(unsigned int op, const uint64_t operand[4], const struct op_viewer *view,
		  char *text, size_t size)
{
	struct text t = { text, size };
	const struct own *o = op < ANPU_TILE_OP_COUNT ? &ops[op] : NULL;
	uint64_t ctl;

	*text = 0;
	if (!o || !o->name) {
		add(&t, "tile operation %u does not exist", op);
		return;
	}
	ctl = control(op, operand);
	add(&t, "%s", o->name);
	for (unsigned int i = 0; i < 4; i++) {
		const char *role = o->role[i];
		bool scalar = !strcmp(role, "scalar") ||
			      (!strcmp(role, "src1") && ctl & ANPU_CTL_SCALAR);

		if (scalar)
			add_scalar(&t, operand[i], ANPU_CTL_GET_TYPE(ctl));
		else if (!strcmp(role, "ctl"))
			add_ctl(&t, op, operand[i], strcmp(o->role[2], "desc") != 0);
		else if (!strcmp(role, "desc"))
			add_desc(&t, op, operand[i], view);
		else if (!strcmp(role, "dsts") || !strcmp(role, "srcs"))
			add_list(&t, role, operand[i], view);
		else if (!is_address(role) && role[0] != '0')
			add_packed(&t, role, operand[i]);
		else if (role[0] != '0' && (operand[i] || i < 2))
			add_address(&t, role, operand[i], view);
		else if (operand[i])
			add(&t, " (operand %u is not zero: 0x%llx)", i + 1,
			    (unsigned long long)operand[i]);
	}
}

/* Numbers -------------------------------------------------------------------------------------- */

static uint64_t elements(uint64_t count, unsigned int type)
{
	return (count * type_bits[type & 15] + 7) / 8;
}

static uint64_t desc_bytes(unsigned int op, const uint64_t operand[4],
			   const struct op_viewer *view, uint64_t ctl)
{
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);
	union {
		struct anpu_nd2nz_desc nd2nz;
		struct anpu_mrg_desc mrg;
		struct anpu_load3d_desc load3d;
		struct anpu_fix_desc fix;
	} d;
	uint64_t records = 0;

	if (!read_desc(view, operand[2], &d))
		return 0;
	switch (op) {
	case ANPU_TILE_DMA_ND2NZ:
		return elements((uint64_t)d.nd2nz.nd_num * d.nd2nz.n * d.nd2nz.d, type);
	case ANPU_TILE_VMRG:
		for (unsigned int i = 0; i < 4; i++)
			records += d.mrg.list[i].count;
		return records * 8;
	case ANPU_TILE_LOAD3D:
		return elements((uint64_t)d.load3d.k_step * d.load3d.m_step, type);
	default:
		return elements((uint64_t)d.fix.m * d.fix.n * (d.fix.nd_num ? d.fix.nd_num : 1),
				type);
	}
}

/* Bytes of the results of count elements */
static uint64_t vector_bytes(unsigned int op, uint64_t ctl, uint64_t shape)
{
	uint64_t count = ANPU_CTL_GET_COUNT(ctl);
	unsigned int type = ANPU_CTL_GET_TYPE(ctl), sub = ANPU_CTL_GET_SUB(ctl);
	uint64_t bits = type_bits[type];

	switch (op) {
	case ANPU_TILE_VCMP:
		return (count + 7) / 8;
	case ANPU_TILE_VTRANS:
		return elements((uint64_t)(uint32_t)shape * (shape >> 32), type);
	case ANPU_TILE_VTRANSB:
		return (shape & 0xff) * 16 * (bits == 8 ? 16 : 32);
	case ANPU_TILE_VBRC:
		if (sub == ANPU_BRC_BLOCK)
			return count * 32;
		return elements((uint64_t)(uint32_t)shape * (shape >> 32), type);
	case ANPU_TILE_VGATHER:
		return sub == ANPU_GATHER_BLOCK ? count * 32 : elements(count, type);
	case ANPU_TILE_VSORT:
		return count * 8;
	case ANPU_TILE_VRED:
		if (sub >> 4 == 1)
			count = (count * bits / 8 + 255) / 256;
		else if (sub >> 4 == 2)
			count = (count * bits / 8 + 31) / 32;
		else
			count = sub >> 4 ? count / 2 : 1;
		return elements(count, type) << !!(ctl & ANPU_CTL_INDEX);
	default:
		return elements(count, type);
	}
}

static unsigned int direction(unsigned int op, uint64_t dst, uint64_t src)
{
	if (op == ANPU_TILE_DMA_FILL) {
		if (in(dst, ANPU_UB_BASE))
			return ANPU_PIPE_V;
		return in(dst, ANPU_L1_BASE) ? ANPU_PIPE_MTE2 : ANPU_PIPE_MTE1;
	}
	if (src >= ANPU_GM_BASE)
		return ANPU_PIPE_MTE2;
	if (in(src, ANPU_UB_BASE))
		return in(dst, ANPU_UB_BASE) ? ANPU_PIPE_V : ANPU_PIPE_MTE3;
	return dst >= ANPU_GM_BASE ? ANPU_PIPE_MTE3 : ANPU_PIPE_MTE1;
}

static uint64_t bytes_of(unsigned int op, const uint64_t operand[4], const struct op_viewer *view)
{
	uint64_t w = operand[2], ctl = control(op, operand);

	switch (op) {
	case ANPU_TILE_DMA_LIN:
		return w;
	case ANPU_TILE_DMA_BURST:
		return (w & 0xffff) * (w >> 16 & 0xffff) * 32;
	case ANPU_TILE_DMA_PAD:
		return (w >> 32 & 0xffff) * (uint32_t)w;
	case ANPU_TILE_DMA_FILL:
		return operand[1];
	case ANPU_TILE_LOAD2D:
		return (w >> 16 & 0xffff) * 512;
	case ANPU_TILE_MMAD:
		return (operand[3] & 0xffff) * (operand[3] >> 16 & 0xffff) * 4;
	case ANPU_TILE_DMA_ND2NZ:
	case ANPU_TILE_VMRG:
	case ANPU_TILE_LOAD3D:
	case ANPU_TILE_FIXPIPE:
		return desc_bytes(op, operand, view, ctl);
	default:
		return vector_bytes(op, ctl, w);
	}
}

/* VREP is shown as the operation that it repeats. */
static void decode_rep(const uint64_t operand[4], const struct op_viewer *view, struct text *what,
		       struct op_tile *t)
{
	struct anpu_rep_desc d;
	uint64_t each;

	if (!read_desc(view, operand[3], &d) || d.op >= ANPU_TILE_OP_COUNT || !ops[d.op].name)
		return;
	add(what, " %s", ops[d.op].name);
	add_sub(what, d.op, d.ctl);
	add(what, " %s", type_name(ANPU_CTL_GET_TYPE(d.ctl)));
	if (converts(d.op))
		add(what, "<-%s", type_name(ANPU_CTL_GET_TYPE2(d.ctl)));
	each = d.ctl & ANPU_CTL_MASK ? ANPU_REPEAT_BYTES : vector_bytes(d.op, d.ctl, 0);
	t->bytes = each * d.repeat;
}

void op_tile_decode(unsigned int op, const uint64_t operand[4], const struct op_viewer *view,
		    struct op_tile *t)
{
	struct text what = { t->what, sizeof(t->what) };
	uint64_t ctl, m = operand[3];

	memset(t, 0, sizeof(*t));
	if (op >= ANPU_TILE_OP_COUNT || !ops[op].name) {
		add(&what, "operation %u", op);
		return;
	}
	ctl = control(op, operand);
	t->pipe = ops[op].pipe == ANPU_PIPE_DIR ? direction(op, operand[0], operand[1]) :
						  ops[op].pipe;
	add(&what, "%s", ops[op].name);
	if (op == ANPU_TILE_VREP) {
		decode_rep(operand, view, &what, t);
		return;
	}
	if (ops[op].role[3][0] == 'c') {
		add_sub(&what, op, ctl);
		add(&what, " %s", type_name(ANPU_CTL_GET_TYPE(ctl)));
		if (converts(op))
			add(&what, "<-%s", type_name(ANPU_CTL_GET_TYPE2(ctl)));
	} else if (op == ANPU_TILE_MMAD) {
		add(&what, " %s", type_name((unsigned int)(m >> 48) & 15));
		t->flops = 2 * (m & 0xffff) * (m >> 16 & 0xffff) * (m >> 32 & 0xffff);
	}
	t->bytes = bytes_of(op, operand, view);
}

/* Custom-1 operations -------------------------------------------------------------------------- */

void op_sys_text(unsigned int op, const uint64_t operand[2], const struct op_viewer *view,
		 char *text, size_t size)
{
	static const char *const modes[] = { "ALL", "PEERS", "GROUP", "ANY", "PAIR" };
	struct text t = { text, size };
	uint64_t a = operand[0];

	*text = 0;
	add(&t, "%s", op_sys_name(op) ? op_sys_name(op) : "?");
	switch (op) {
	case ANPU_SYS_SETFLAG:
	case ANPU_SYS_WAITFLAG:
		add(&t, " %s to %s, event %u", op_pipe_name(a & 255), op_pipe_name(a >> 8 & 255),
		    (unsigned int)(a >> 16));
		break;
	case ANPU_SYS_PIPEBAR:
		add(&t, " %s", op_pipe_name((unsigned int)a));
		break;
	case ANPU_SYS_XSET:
	case ANPU_SYS_XWAIT:
		add(&t, " cross flag %u, %s", (unsigned int)(a & 255),
		    a >> 8 < sizeof(modes) / sizeof(modes[0]) ? modes[a >> 8] : "?");
		break;
	case ANPU_SYS_SYNCALL:
		add(&t, " %s", a ? "ALL" : "KIND");
		break;
	case ANPU_SYS_EXIT:
		break;
	case ANPU_SYS_POST:
	case ANPU_SYS_AWAIT:
		add_address(&t, "word", a, view);
		add(&t, " %s %u", op == ANPU_SYS_POST ? "becomes" : operand[1] >> 32 ? "at least" : "is",
		    (uint32_t)operand[1]);
		break;
	case ANPU_SYS_BUFFER:
	case ANPU_SYS_DCCI:
		add_address(&t, "memory", a, view);
		add(&t, " %llu bytes", (unsigned long long)operand[1]);
		break;
	default:
		add_address(&t, "text", a, view);
		add(&t, " %llu bytes", (unsigned long long)operand[1]);
	}
}
