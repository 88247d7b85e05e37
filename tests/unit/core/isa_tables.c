// SPDX-License-Identifier: MIT
/* Prints Documentation/isa-tables.md from the tables of anpu_isa.h. */
#include <stdio.h>

#include <anpu/anpu_isa.h>

static void head(const char *title, const char *columns, const char *rule)
{
	printf("\n## %s\n\n%s\n%s\n", title, columns, rule);
}

#define WINDOW_ROW(n, base, bytes, text) \
	printf("| %s | 0x%08x | %u KiB | %s |\n", #n, base, (bytes) / 1024, text);
#define CSR_ROW(n, num, access, reset, text) \
	printf("| %s | 0x%03x | %s | %s | %s |\n", #n, num, #access, reset, text);
#define TYPE_ROW(n, num, bits, text)	printf("| %s | %d | %d | %s |\n", #n, num, bits, text);
#define ROW(n, num, text)		printf("| %s | %d | %s |\n", #n, num, text);
#define TILE_ROW(n, num, pipe, rs1, rs2, rs3, rd, built, text) \
	printf("| %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", #n, num, #pipe, rs1, rs2, rs3, rd, \
	       built ? "yes" : "no", text);
#define SYS_ROW(n, num, rs1, rs2, built, text) \
	printf("| %s | %d | %s | %s | %s | %s |\n", #n, num, rs1, rs2, built ? "yes" : "no", text);
#define AMO_ROW(n, num, bytes, text)	printf("| %s | %d | %d | %s |\n", #n, num, bytes, text);
#define META_ROW(n, num, value, text)	printf("| %s | 0x%x | %s | %s |\n", #n, num, value, text);
#define TRAP_ROW(n, text)		printf("| %s | %s |\n", #n, text);

#define PLAIN(title, table) \
	head(title, "| name | number | meaning |", "|---|---|---|"); \
	table(ROW)

static void print_state(void)
{
	head("Core-local memory", "| window | address | size | meaning |", "|---|---|---|---|");
	ANPU_WINDOWS(WINDOW_ROW)
	head("CSRs", "| name | number | access | reset | meaning |", "|---|---|---|---|---|");
	ANPU_CSRS(CSR_ROW)
	head("Data types", "| name | number | bits | meaning |", "|---|---|---|---|");
	ANPU_TYPES(TYPE_ROW)
	PLAIN("Rounding modes of tile operations", ANPU_ROUNDS);
	PLAIN("Pipes", ANPU_PIPES);
}

static void print_operations(void)
{
	head("Tile operations (custom-0)",
	     "| name | number | pipe | rs1 | rs2 | rs3 | rd | built | meaning |",
	     "|---|---|---|---|---|---|---|---|---|");
	ANPU_TILE_OPS(TILE_ROW)
	PLAIN("Sub-operations of VBIN and VBINS", ANPU_BIN_OPS);
	PLAIN("Sub-operations of VUN", ANPU_UN_OPS);
	PLAIN("Sub-operations of VTRI", ANPU_TRI_OPS);
	PLAIN("Sub-operations of VCMP", ANPU_CMP_OPS);
	PLAIN("Sub-operations of VSEL", ANPU_SEL_OPS);
	PLAIN("Sub-operations of VRED", ANPU_RED_OPS);
	PLAIN("Scopes of VRED", ANPU_RED_SCOPES);
	PLAIN("Sub-operations of VGATHER", ANPU_GATHER_OPS);
	PLAIN("Sub-operations of VGMASK", ANPU_GMASK_OPS);
	PLAIN("Sub-operations of VBRC", ANPU_BRC_OPS);
	PLAIN("Atomic operations of DMA_ATOM and CSR atomic", ANPU_ATOM_OPS);
	head("Synchronisation and services (custom-1)",
	     "| name | number | rs1 | rs2 | built | meaning |", "|---|---|---|---|---|---|");
	ANPU_SYS_OPS(SYS_ROW)
	head("Threads (custom-1, funct3 2)",
	     "| name | number | rs1 | rs2 | built | meaning |", "|---|---|---|---|---|---|");
	ANPU_THREAD_OPS(SYS_ROW)
	head("Atomic operations (custom-1, funct3 1)", "| name | number | bytes | meaning |",
	     "|---|---|---|---|");
	ANPU_AMO_OPS(AMO_ROW)
}

int main(void)
{
	printf("<!-- Generated from include/anpu/anpu_isa.h by make -C tests/unit/core doc; do not edit. -->\n");
	printf("# Tables of the instruction set\n\nVersion %d.%d. The prose is in [isa.md](isa.md).\n",
	       ANPU_ISA_VERSION >> 8, ANPU_ISA_VERSION & 0xff);
	print_state();
	print_operations();
	head("Records of .ascend.meta sections", "| name | type | value | meaning |", "|---|---|---|---|");
	ANPU_META_RECORDS(META_ROW)
	head("Traps", "| cause | when |", "|---|---|");
	ANPU_TRAPS(TRAP_ROW)
	return 0;
}
