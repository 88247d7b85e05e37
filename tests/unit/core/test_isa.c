// SPDX-License-Identifier: MIT
/* The tables of anpu_isa.h are consistent, and the core implements every operation that they call built. */
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

static const struct {
	const char *name;
	unsigned int number;
	bool built;
} tiles[] = {
#define ROW(n, num, pipe, rs1, rs2, rs3, rd, built, ...) { #n, num, built },
	ANPU_TILE_OPS(ROW)
#undef ROW
}, sys[] = {
#define ROW(n, num, rs1, rs2, built, ...) { #n, num, built },
	ANPU_SYS_OPS(ROW)
#undef ROW
}, threads[] = {
#define ROW(n, num, rs1, rs2, built, ...) { #n, num, built },
	ANPU_THREAD_OPS(ROW)
#undef ROW
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_built(struct rig *r)
{
	for (unsigned int n = 0; n < COUNT(tiles); n++) {
		enum core_result result = rig_one(r, TILE_INSN(tiles[n].number, 0, 0, 0, 0), NULL, NULL);
		bool missing = result == CORE_FAULT && r->fault.cause == ANPU_FAULT_ILLEGAL;

		tap_ok(missing == !tiles[n].built && (!missing || strstr(r->fault.message, tiles[n].name)),
		       "%s is %s", tiles[n].name,
		       tiles[n].built ? "built" : "not built, and says so when executed");
	}
	for (unsigned int n = 0; n < COUNT(threads); n++) {
		enum core_result result = rig_one(r, R_TYPE(ANPU_OPC_SYS, 2, threads[n].number, 0, 0, 0), NULL,
						  NULL);

		tap_ok((result == CORE_FAULT && r->fault.cause == ANPU_FAULT_ILLEGAL) == !threads[n].built,
		       "%s is %s", threads[n].name, threads[n].built ? "built" : "not built");
	}
	for (unsigned int n = 0; n < COUNT(sys); n++) {
		enum core_result result = rig_one(r, SYS_INSN(sys[n].number, 0, 0), NULL, NULL);

		tap_ok((result == CORE_FAULT && r->fault.cause == ANPU_FAULT_ILLEGAL) == !sys[n].built,
		       "%s is %s", sys[n].name, sys[n].built ? "built" : "not built");
	}
}

/* numbers of a table are different and below a limit */
#define UNIQUE(table, limit) do { \
	static const unsigned int n_[] = { table(NUMBER) }; \
	bool ok_ = true; \
	for (unsigned int i_ = 0; i_ < COUNT(n_); i_++) { \
		ok_ = ok_ && n_[i_] < (limit); \
		for (unsigned int j_ = 0; j_ < i_; j_++) \
			ok_ = ok_ && n_[i_] != n_[j_]; \
	} \
	tap_ok(ok_, #table ": numbers are different and below %u", (unsigned int)(limit)); \
} while (0)
#define NUMBER(name, number, ...) number,

static void test_numbers(void)
{
	UNIQUE(ANPU_TILE_OPS, ANPU_TILE_OP_COUNT);
	UNIQUE(ANPU_SYS_OPS, 128);
	UNIQUE(ANPU_THREAD_OPS, ANPU_THREAD_OP_COUNT);
	UNIQUE(ANPU_AMO_OPS, ANPU_AMO_OP_COUNT);
	UNIQUE(ANPU_CSRS, 4096);
	UNIQUE(ANPU_TYPES, ANPU_TYPE_COUNT);
	UNIQUE(ANPU_ROUNDS, 8);
	UNIQUE(ANPU_PIPES, ANPU_PIPE_COUNT);
	UNIQUE(ANPU_BIN_OPS, 64);
	UNIQUE(ANPU_UN_OPS, 64);
	UNIQUE(ANPU_TRI_OPS, 64);
	UNIQUE(ANPU_CMP_OPS, 64);
	UNIQUE(ANPU_SEL_OPS, 64);
	UNIQUE(ANPU_RED_OPS, 16);
	UNIQUE(ANPU_RED_SCOPES, 64);
	UNIQUE(ANPU_ATOM_OPS, 64);
	UNIQUE(ANPU_GATHER_OPS, 64);
	UNIQUE(ANPU_GMASK_OPS, 64);
	UNIQUE(ANPU_BRC_OPS, 64);
	UNIQUE(ANPU_META_RECORDS, 0x10000);
}

static void test_layouts(void)
{
	uint64_t c = ANPU_CTL_CVT(0xffffffff, ANPU_TYPE_S4, ANPU_TYPE_U64, ANPU_ROUND_ODD);

	tap_ok(ANPU_CTL_GET_COUNT(c) == 0xffffffff && ANPU_CTL_GET_TYPE(c) == ANPU_TYPE_S4 &&
	       ANPU_CTL_GET_TYPE2(c) == ANPU_TYPE_U64 && ANPU_CTL_GET_ROUND(c) == ANPU_ROUND_ODD &&
	       !ANPU_CTL_GET_SUB(c) && !(c & ANPU_CTL_FLAGS) && !(c >> 56),
	       "the control word's fields do not overlap");
	c = ANPU_CTL(0, 0, 63);
	tap_ok(ANPU_CTL_GET_SUB(c) == 63 && !(c & ~(63ULL << ANPU_CTL_SUB_SHIFT)), "sub-operation");
	tap_ok((ANPU_CTL_SCALAR | ANPU_CTL_REVERSE | ANPU_CTL_INDEX | ANPU_CTL_MASK |
		ANPU_CTL_TRANSPOSE | ANPU_CTL_QUANT | ANPU_CTL_CMPMASK) == ANPU_CTL_FLAGS, "every flag has a bit");
}

/* Documentation/isa-tables.md is what the generator prints from the same header */
static void test_document(const char *generator, const char *document)
{
	char command[1024];

	snprintf(command, sizeof(command), "'%s' | cmp -s - '%s'", generator, document);
	tap_ok(system(command) == 0, "Documentation/isa-tables.md is up to date (make -C tests/unit/core doc)");
}

int main(int argc, char **argv)
{
	static struct rig r;

	rig_init(&r);
	test_built(&r);
	test_numbers();
	test_layouts();
	if (argc == 3)
		test_document(argv[1], argv[2]);
	else
		tap_skip("Documentation/isa-tables.md", "no generator given");
	rig_fini(&r);
	return tap_done();
}
