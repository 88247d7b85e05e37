// SPDX-License-Identifier: MIT
#include "batch.h"

#define OUT_OFFSET	0x20000

static const uint32_t loop[] = {
	CSRW(ANPU_CSR_fflags, 0),
	I_TYPE(0x03, 3, 10, 20, 0), I_TYPE(0x03, 3, 11, 20, 8), I_TYPE(0x03, 3, 12, 20, 16),
	I_TYPE(0x07, 3, 10, 20, 0), I_TYPE(0x07, 3, 11, 20, 8), I_TYPE(0x07, 3, 12, 20, 16),
	0,	/* the instruction under test */
	CSRR(14, ANPU_CSR_fflags),
	S_TYPE(0x23, 3, 21, 13, 0), S_TYPE(0x27, 3, 21, 13, 8), S_TYPE(0x23, 3, 21, 14, 16),
	ADDI(20, 20, 24), ADDI(21, 21, 24), ADDI(22, 22, -1),
	B_TYPE(1, 22, 0, -60),
	RET,
};

bool batch_run(struct rig *r, uint32_t word, unsigned int frm, const struct batch_in *in,
	       struct batch_out *out, unsigned int n)
{
	uint32_t code[sizeof(loop) / 4];
	enum core_result result;

	memcpy(code, loop, sizeof(loop));
	code[7] = word;
	rig_code(r, 0, code, sizeof(code) / 4);
	rig_block(r, CODE_VA);
	memcpy(rig_data(r), in, n * sizeof(*in));
	r->b->x[20] = DATA_VA;
	r->b->x[21] = DATA_VA + OUT_OFFSET;
	r->b->x[22] = n;
	r->b->frm = frm;
	result = rig_run(r);
	if (result != CORE_DONE) {
		tap_note("0x%08x: result %d, %s", word, result, r->fault.message);
		return false;
	}
	memcpy(out, rig_data(r) + OUT_OFFSET, n * sizeof(*out));
	return true;
}
