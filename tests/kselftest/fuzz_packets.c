// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Random numbers, addresses, packets and operators for the fuzzer. */
#define ANPU_TEST_PART
#include "anpu_test.h"
#include "fuzz.h"

/* SplitMix64 */
uint64_t fuzz_mix(uint64_t a, uint64_t b)
{
	uint64_t z = (a ^ (b * 0xd1342543de82ef95ULL)) + 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint64_t fuzz_random(struct fuzz_actor *a)
{
	a->rng += 0x9e3779b97f4a7c15ULL;
	return fuzz_mix(a->rng, 1);
}

uint32_t fuzz_below(struct fuzz_actor *a, uint32_t n)
{
	return fuzz_random(a) % n;
}

/* Mostly where something may be mapped. */
uint64_t fuzz_va(struct fuzz_actor *a)
{
	uint64_t va = VA(fuzz_below(a, 6)) + fuzz_below(a, 1024) * PAGE;

	switch (fuzz_below(a, 24)) {
	case 0:
		return fuzz_hostile(a);
	case 1:
		return VA(10) + fuzz_below(a, 2) * PAGE;
	case 2:
		return va + fuzz_below(a, PAGE);
	}
	/* Few pages are hit often, so that operations meet. */
	return fuzz_below(a, 2) ? va : VA(fuzz_below(a, 6)) + fuzz_below(a, 8) * 2 * MIB;
}

uint64_t fuzz_hostile(struct fuzz_actor *a)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 7, 8, 63, 64, 4095, 4096, 4097, 65535, 65536, 0x7fffffff, 0x80000000,
		0xfffff000, 0xffffffff, 1ULL << 32, (1ULL << 32) - 4096, 1ULL << 47,
		(1ULL << 47) - 4096, (1ULL << 48) - 4096, 1ULL << 48, 1ULL << 52, 1ULL << 62,
		0x7ffffffffffff000, 0x7fffffffffffffff, 0x8000000000000000, 0xffff888000000000,
		0xfffffffffffff000, 0xffffffffffffffff,
	};
	struct fuzz_shared *s = a->life->shared;

	switch (fuzz_below(a, 4)) {
	case 0:
		return s->gossip[fuzz_below(a, FUZZ_GOSSIP)];
	case 1:
		return 1ULL << fuzz_below(a, 64);
	case 2:
		return fuzz_random(a) >> fuzz_below(a, 64);
	}
	return odd[fuzz_below(a, sizeof(odd) / sizeof(*odd))];
}

/*
 * A word or two become something else. But an address of the process's own does not become one near
 * it: the kernel, or the device, would rightly write to the process's stack, or to what all share.
 */
void fuzz_mutate(struct fuzz_actor *a, void *p, uint32_t bytes)
{
	for (uint32_t n = 1 + fuzz_below(a, 2); n; n--) {
		uint64_t value = fuzz_hostile(a), word = 0;
		uint32_t size = fuzz_below(a, 2) ? 4 : 8, at;
		uint8_t *to = p;

		if (bytes < 8)
			return;
		at = fuzz_below(a, bytes / size) * size;
		if (at / 8 < bytes / 8)
			memcpy(&word, to + at / 8 * 8, 8);
		if (word >= FUZZ_OWN_BEGIN && word < FUZZ_OWN_END) {
			word = fuzz_below(a, 2) ? word ^ 1 << fuzz_below(a, 3) : value;
			memcpy(to + at / 8 * 8, &word, 8);
		} else if (!fuzz_below(a, 4)) {
			to[at + fuzz_below(a, size)] ^= 1 << fuzz_below(a, 8);
		} else {
			memcpy(to + at, &value, size);
		}
	}
}

/* Operators: an honest one at 0, an endless one, one that walks through memory, and noise. */
void fuzz_code(struct fuzz_actor *a, uint32_t *code, uint32_t words)
{
	static const uint32_t honest[] = {
		RV_LD(R_A1, 0, R_A0), RV_ADDI(R_A1, R_A1, 2), RV_SD(R_A1, 8, R_A0), RV_RET,
		RV_LOOP, RV_ILLEGAL, RV_EBREAK, RV_RET,
		/* 0x20: stores to ever higher addresses, until it faults */
		RV_SD(R_A1, 0, R_A0), RV_ADDI(R_A0, R_A0, 2040), 0xff9ff06f /* j .-8 */, RV_RET,
	};

	for (uint32_t i = 0; i < words; i++)
		code[i] = fuzz_random(a) | (fuzz_below(a, 4) ? 3 : 0);
	memcpy(code, honest, sizeof(honest));
}

static void kernel_packet(struct fuzz_actor *a, union anpu_packet *pkt)
{
	static const uint32_t entries[] = { 0, 0, 0, 0x10, 0x14, 0x18, 0x20, 0x40 };

	*pkt = pkt_kernel(VA(10) + entries[fuzz_below(a, 8)], fuzz_va(a) & ~7ULL, 64,
			  100 + fuzz_below(a, 20000));
	pkt->kernel.grid_x = 1 + (fuzz_below(a, 4) ? 0 : fuzz_below(a, 64));
	pkt->kernel.core_type = fuzz_below(a, ANPU_CORE_COUNT);
	if (pkt->kernel.core_type == ANPU_CORE_MIX)
		pkt->kernel.mix_ratio = 1 + fuzz_below(a, 2);
	if (!fuzz_below(a, 8))
		pkt->kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	if (!fuzz_below(a, 8))
		pkt->kernel.sched_mode = ANPU_SCHED_BATCH;
	if (!fuzz_below(a, 8))
		pkt->hdr.flags = fuzz_below(a, ANPU_KERNEL_FLAGS + 1) & ANPU_KERNEL_FLAGS;
}

static void memory_packet(struct fuzz_actor *a, union anpu_packet *pkt)
{
	uint64_t size = 1ULL << fuzz_below(a, 22);

	switch (fuzz_below(a, 5)) {
	case 0:
		*pkt = pkt_fill(fuzz_va(a), size, fuzz_random(a));
		break;
	case 1:
		*pkt = pkt_copy(fuzz_va(a), fuzz_va(a), size);
		break;
	case 2:
		*pkt = (union anpu_packet){ .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D,
			.src = fuzz_va(a), .dst = fuzz_va(a), .src_pitch = 512, .dst_pitch = 4096,
			.width = fuzz_below(a, 513), .height = fuzz_below(a, 200) } };
		break;
	case 3:
		*pkt = (union anpu_packet){ .random = { .hdr.opcode = ANPU_OP_RANDOM,
			.dst = fuzz_va(a) & ~7ULL, .count = size / 8, .counter = fuzz_va(a),
			.seed = fuzz_random(a), .dist = ANPU_RANDOM_UNIFORM,
			.type = fuzz_below(a, ANPU_RANDOM_TYPE_COUNT) } };
		break;
	default:
		*pkt = (union anpu_packet){ .copy_desc = { .hdr.opcode = ANPU_OP_COPY_DESC,
			.desc = fuzz_va(a) & ~7ULL } };
		break;
	}
}

static void semaphore_packet(struct fuzz_actor *a, union anpu_packet *pkt)
{
	uint64_t addr = fuzz_va(a) & ~7ULL;

	if (fuzz_below(a, 2)) {
		*pkt = pkt_signal(addr, fuzz_below(a, 4), fuzz_below(a, 2));
		pkt->sem_signal.op = fuzz_below(a, ANPU_SEM_OP_COUNT);
		return;
	}
	*pkt = pkt_wait_us(addr, fuzz_below(a, 4), fuzz_below(a, 3000));
	pkt->sem_wait.cond = fuzz_below(a, ANPU_SEM_COND_COUNT);
	if (!fuzz_below(a, 8))
		pkt->sem_wait.timeout_us = ANPU_TIMEOUT_NEVER;
}

void fuzz_packet(struct fuzz_actor *a, union anpu_packet *pkt)
{
	switch (fuzz_below(a, 40) ? fuzz_below(a, 10) : 10) {
	case 0:
	case 1:
		kernel_packet(a, pkt);
		break;
	case 2:
	case 3:
	case 4:
		memory_packet(a, pkt);
		break;
	case 5:
	case 6:
		semaphore_packet(a, pkt);
		break;
	case 7:
		*pkt = pkt_notify(fuzz_random(a), a->step);
		break;
	case 8:
		*pkt = (union anpu_packet){ .timestamp = { .hdr.opcode = ANPU_OP_TIMESTAMP,
			.addr = fuzz_va(a) & ~7ULL } };
		break;
	case 9:
		*pkt = (union anpu_packet){ .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
			.addr = fuzz_va(a) & ~63ULL, .count = 1 + fuzz_below(a, 100) } };
		break;
	default:
		for (int i = 0; i < 8; i++)
			pkt->qword[i] = fuzz_random(a);
		pkt->hdr.opcode = fuzz_below(a, 16);
		break;
	}
	if (!fuzz_below(a, 40))
		fuzz_mutate(a, pkt, sizeof(*pkt));
}
