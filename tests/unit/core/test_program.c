// SPDX-License-Identifier: MIT
/* A C program compiled by clang for the AI core gives what it gives on the host. */
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

void program(uint64_t *out);

static bool load(struct rig *r, const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return false;
	n = fread(r->mmu.region[0].host, 1, REGION_BYTES, f);
	fclose(f);
	return n > 0;
}

int main(int argc, char **argv)
{
	static struct rig r;
	static uint64_t want[264];
	const uint64_t *got;

	if (argc != 2) {
		tap_skip("C program against the host", "no clang for riscv64 when the tests were built");
		return tap_done();
	}
	rig_init(&r);
	tap_ok(load(&r, argv[1]), "load %s", argv[1]);
	rig_block(&r, CODE_VA);
	program(want);
	tap_ok(rig_run(&r) == CORE_DONE, "runs to its end: %s", r.fault.message);
	got = (const uint64_t *)(const void *)rig_data(&r);
	for (unsigned int n = 0; n < 8; n++)
		tap_ok(got[n] == want[n], "result %u: %016llx", n, (unsigned long long)got[n]);
	tap_ok(!memcmp(got + 8, want + 8, 256 * 8), "sorted numbers");
	rig_fini(&r);
	return tap_done();
}
