// SPDX-License-Identifier: MIT
/* Registers: identity, limits, access rules, counters, reset, configuration. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static void test_identity(void)
{
	struct dev *d = dev_default();
	uint64_t before, after;

	is(reg(d, ANPU_REG_ID), ANPU_ID_VALUE, "ID");
	is(reg(d, ANPU_REG_VERSION) & 0xffffffff, ANPU_VERSION_MAJOR << 16 | ANPU_VERSION_MINOR,
	   "VERSION");
	is(reg(d, ANPU_REG_CAPS), ANPU_CAP_HBM_COHERENT | ANPU_CAP_CALIBRATION |
	   ANPU_CAP_PRINT | ANPU_CAP_ABORT | ANPU_CAP_JUMP | ANPU_CAP_KICK | ANPU_CAP_REDUCE |
	   ANPU_CAP_MAX_CORES | ANPU_CAP_HALT | ANPU_CAP_RANDOM | ANPU_CAP_SHADOW_DOORBELLS |
	   ANPU_CAP_END_TASK |
	   ANPU_CAP_BUSY | ANPU_CAP_QUEUE_BUSY | ANPU_CAP_PRIORITY | ANPU_CAP_OVERFLOW | ANPU_CAP_RECOVERY |
	   ANPU_CAP_LAUNCH | ANPU_CAP_TRACE | ANPU_CAP_BLOCKS | ANPU_CAP_NAMES, "CAPS");
	is(reg(d, ANPU_REG_HBM_SIZE), 64 << 20, "HBM_SIZE");
	is(reg(d, ANPU_REG_QUEUES), 64, "QUEUES");
	is(reg(d, ANPU_REG_ASIDS), 16, "ASIDS");
	is(reg(d, ANPU_REG_CORES), 4 | 2 << 16, "CORES");
	is(reg(d, ANPU_REG_EVENT_QUEUES), 4, "EVENT_QUEUES");
	is(reg(d, ANPU_REG_DOORBELLS), 0x10000 | 0x1000ULL << 32, "DOORBELLS");
	is(reg(d, ANPU_REG_STATUS), ANPU_STATUS_READY, "STATUS");
	is(reg(d, ANPU_REG_TIMEOUT), ANPU_TIMEOUT_RESET, "TIMEOUT");
	before = reg(d, ANPU_REG_CLOCK);
	sleep_us(1000);
	after = reg(d, ANPU_REG_CLOCK);
	ok(after - before >= 1000000 && after < 60000000000ULL, "CLOCK counts from power-on");
	dev_free(d);
}

static void read_text(struct dev *d, uint64_t first, char text[ANPU_NAME_SIZE])
{
	for (unsigned int i = 0; i < ANPU_NAME_SIZE; i++)
		text[i] = reg(d, first + (i & ~7U)) >> 8 * (i % 8) & 0xff;
}

static void test_names(void)
{
	struct anpu_config cfg = config_small();
	char text[ANPU_NAME_SIZE], why[200];
	struct dev *d;

	anpu_config_name(cfg.soc, "Ascend910B1");
	anpu_config_name(cfg.cann, "8.2.RC1");
	d = dev_new(&cfg);
	read_text(d, ANPU_REG_SOC(0), text);
	ok(!strcmp(text, "Ascend910B1"), "SOC is the configured name");
	read_text(d, ANPU_REG_CANN(0), text);
	ok(!strcmp(text, "8.2.RC1"), "and CANN the version");
	is(reg(d, ANPU_REG_SOC(7)) | reg(d, ANPU_REG_CANN(7)), 0, "with zeros behind them");
	dev_free(d);
	cfg.hide_caps = ANPU_CAP_NAMES;
	d = dev_new(&cfg);
	is(reg(d, ANPU_REG_SOC(0)), 0, "a device without the capability has none");
	is(reg(d, ANPU_REG_BAD_ACCESS), 1, "nor the registers");
	dev_free(d);
	anpu_config_name(cfg.soc, "0123456789012345678901234567890123456789012345678901234567890123");
	ok(!anpu_config_check(&cfg, why, sizeof(why)) && strstr(why, "soc="), "64 characters are too many");
	anpu_config_name(cfg.soc, "012345678901234567890123456789012345678901234567890123456789012");
	anpu_config_name(cfg.cann, "0123456789012345678901234567890");
	ok(anpu_config_check(&cfg, why, sizeof(why)), "63, and 31 of a version, are not");
	anpu_config_name(cfg.soc, "a b");
	ok(!anpu_config_check(&cfg, why, sizeof(why)) && strstr(why, "soc=a b"), "a name has no spaces");
	anpu_config_name(cfg.soc, "");
	anpu_config_name(cfg.cann, "01234567890123456789012345678901");
	ok(!anpu_config_check(&cfg, why, sizeof(why)) && strstr(why, "cann="), "a version has 31 characters at most");
}

static void test_access(void)
{
	static const uint64_t read_only[] = {
		ANPU_REG_ID, ANPU_REG_VERSION, ANPU_REG_CAPS, ANPU_REG_HBM_SIZE, ANPU_REG_QUEUES,
		ANPU_REG_ASIDS, ANPU_REG_CORES, ANPU_REG_EVENT_QUEUES, ANPU_REG_DOORBELLS,
		ANPU_REG_CLOCK, ANPU_REG_STATUS, ANPU_REG_RESETS, ANPU_REG_TLB_ISSUED,
		ANPU_REG_TLB_DONE, ANPU_REG_BAD_ACCESS, ANPU_REG_PACKETS, ANPU_REG_EVENTS,
		ANPU_REG_BUSY_AT, ANPU_REG_BUSY_CUBE, ANPU_REG_BUSY_VECTOR,
		ANPU_REG_SOC(0), ANPU_REG_SOC(7), ANPU_REG_CANN(0), ANPU_REG_CANN(7)
	};
	static const uint64_t write_only[] = {
		ANPU_REG_QUEUE_CMD, ANPU_REG_TLB_INVALIDATE, ANPU_REG_IRQ_TEST,
		ANPU_REG_KICK, ANPU_DOORBELL_OFFSET
	};
	struct dev *d = dev_default();
	uint64_t bad = 0;

	for (unsigned int i = 0; i < sizeof(read_only) / 8; i++, bad++)
		set_reg(d, read_only[i], 1);
	is(reg(d, ANPU_REG_BAD_ACCESS), bad, "writes to read-only registers are counted");
	for (unsigned int i = 0; i < sizeof(write_only) / 8; i++, bad++)
		reg(d, write_only[i]);
	is(reg(d, ANPU_REG_BAD_ACCESS), bad, "and reads of write-only ones");

	for (unsigned int size = 1; size < 8; size++, bad++)
		if (anpu_model_read(d->m, ANPU_REG_ID, size))
			die("a read of %u bytes", size);
	for (unsigned int off = 1; off < 8; off++, bad++)
		if (anpu_model_read(d->m, ANPU_REG_ID + off, 8))
			die("a read at offset %u", off);
	is(reg(d, ANPU_REG_BAD_ACCESS), bad, "narrow and unaligned reads give zero and are counted");
	anpu_model_write(d->m, ANPU_REG_TIMEOUT, 5, 4);
	anpu_model_write(d->m, ANPU_REG_TIMEOUT + 4, 5, 8);
	anpu_model_write(d->m, ANPU_REG_EQ_BASE(0) + 4, 1 << 20, 8);
	bad += 3;
	is(reg(d, ANPU_REG_EQ_BASE(0)), 0, "an event queue's register is as wide as others");
	is(reg(d, ANPU_REG_TIMEOUT), ANPU_TIMEOUT_RESET, "narrow and unaligned writes do nothing");
	for (uint64_t o = 0x1d8; o < ANPU_REG_SOC(0); o += 8, bad++)
		reg(d, o);
	for (uint64_t o = ANPU_REG_CANN(8); o < 0x400; o += 8, bad++)
		reg(d, o);
	for (uint64_t o = ANPU_REG_EQ_BASE(4); o < 0x10000; o += 0x1008, bad++)
		set_reg(d, o & ~7ULL, 1);
	set_reg(d, ANPU_DOORBELL_OFFSET + 8, 1);
	set_reg(d, ANPU_DOORBELL_OFFSET + 64 * 0x1000ULL, 1);
	set_reg(d, ~7ULL, 1);
	bad += 3;
	is(reg(d, ANPU_REG_BAD_ACCESS), bad, "undefined offsets are counted");
	dev_free(d);
}

/* Values that a register refuses leave it as it was and count as refused accesses. */
static void test_values(void)
{
	struct dev *d = dev_default();
	static const struct {
		uint64_t reg, value;
	} refused[] = {
		{ ANPU_REG_CONTROL, 4 },
		{ ANPU_REG_ASID_TABLE, 8 },
		{ ANPU_REG_ASID_TABLE, 64 << 20 },
		{ ANPU_REG_QUEUE_TABLE, (64 << 20) - 4096 },
		{ ANPU_REG_QUEUE_TABLE, 1ULL << 63 },
		{ ANPU_REG_TLB_INVALIDATE, 16 },
		{ ANPU_REG_TLB_INVALIDATE, ANPU_TLB_ALL | 1 },
		{ ANPU_REG_IRQ_TEST, 4 },
		{ ANPU_REG_CALIBRATE, 0 },
		{ ANPU_REG_CALIBRATE, ANPU_CALIBRATE_MAX + 1 },
		{ ANPU_REG_EQ_BASE(1), 64 },
		{ ANPU_REG_EQ_BASE(1), 64 << 20 },
		{ ANPU_REG_EQ_SIZE(1), 3 },
		{ ANPU_REG_EQ_SIZE(1), 17 },
	};
	unsigned int i;
	uint64_t at;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		uint64_t old = reg(d, ANPU_REG_BAD_ACCESS);

		set_reg(d, refused[i].reg, refused[i].value);
		ok(reg(d, ANPU_REG_BAD_ACCESS) == old + 1, "register 0x%llx refuses 0x%llx",
		   (unsigned long long)refused[i].reg, (unsigned long long)refused[i].value);
	}
	is(reg(d, ANPU_REG_ASID_TABLE), d->asid_table, "tables keep their addresses");
	is(reg(d, ANPU_REG_TLB_ISSUED), 0, "refused invalidations take no number");
	set_reg(d, ANPU_REG_TLB_INVALIDATE, 15);
	is(reg(d, ANPU_REG_TLB_ISSUED), 1, "the last address space has one");
	set_reg(d, ANPU_REG_ASID_TABLE, (64 << 20) - 4096);
	is(reg(d, ANPU_REG_ASID_TABLE), (64 << 20) - 4096, "a table may end with the HBM");
	at = (64 << 20) - (sizeof(struct anpu_queue_context) * 64 + 4095) / 4096 * 4096;
	set_reg(d, ANPU_REG_QUEUE_TABLE, at);
	is(reg(d, ANPU_REG_QUEUE_TABLE), at, "that of the queues, too");
	set_reg(d, ANPU_REG_QUEUE_TABLE, at + 4096);
	is(reg(d, ANPU_REG_QUEUE_TABLE), at, "but not beyond it");
	set_reg(d, ANPU_REG_EQ_BASE(1), (64 << 20) - 4096);
	is(reg(d, ANPU_REG_EQ_BASE(1)), (64 << 20) - 4096, "an event queue in the last page");
	is(reg(d, ANPU_REG_EQ_BASE(0)) | reg(d, ANPU_REG_EQ_BASE(2)), 0, "  is not that of its neighbours");
	set_reg(d, ANPU_REG_EQ_BASE(1), 1 << 20);
	set_reg(d, ANPU_REG_EQ_SIZE(1), ANPU_EQ_LOG2_MAX);
	is(reg(d, ANPU_REG_EQ_SIZE(1)), ANPU_EQ_LOG2_MAX, "the greatest one");
	set_reg(d, ANPU_REG_EQ_SIZE(1), ANPU_EQ_LOG2_MIN);
	is(reg(d, ANPU_REG_EQ_SIZE(1)), ANPU_EQ_LOG2_MAX, "  keeps its size while it is enabled");
	set_reg(d, ANPU_REG_EQ_SIZE(1), 0);
	set_reg(d, ANPU_REG_EQ_SIZE(1), ANPU_EQ_LOG2_MIN);
	is(reg(d, ANPU_REG_EQ_SIZE(1)), ANPU_EQ_LOG2_MIN, "the smallest one");
	set_reg(d, ANPU_REG_EQ_SIZE(1), 0);
	is(atomic_load(&d->irqs[3]), 0, "no interrupt yet");
	set_reg(d, ANPU_REG_IRQ_TEST, 3);
	is(atomic_load(&d->irqs[3]), 1, "IRQ_TEST raises from inside the access");
	is(reg(d, ANPU_REG_INTERRUPTS), 1, "and counts");

	set_reg(d, ANPU_REG_EQ_BASE(2), (64 << 20) - 4096);
	set_reg(d, ANPU_REG_EQ_SIZE(2), 6);
	is(reg(d, ANPU_REG_EQ_SIZE(2)), 0, "an event queue must fit into the HBM");
	set_reg(d, ANPU_REG_EQ_SIZE(2), 5);
	is(reg(d, ANPU_REG_EQ_SIZE(2)), 5, "one that just fits does");
	set_reg(d, ANPU_REG_EQ_BASE(2), 0);
	is(reg(d, ANPU_REG_EQ_BASE(2)), (64 << 20) - 4096, "its base cannot change while enabled");
	set_reg(d, ANPU_REG_EQ_SIZE(2), 0);
	set_reg(d, ANPU_REG_EQ_BASE(2), 0);
	is(reg(d, ANPU_REG_EQ_BASE(2)), 0, "but when disabled");
	dev_free(d);
}

static void test_calibrate(void)
{
	struct dev *d = dev_default();

	is(reg(d, ANPU_REG_CALIBRATE), 0, "CALIBRATE reads 0 before");
	set_reg(d, ANPU_REG_CALIBRATE, 8 << 20);
	ok(eventually(reg(d, ANPU_REG_CALIBRATE) != 0), "and the time after");
	ok(reg(d, ANPU_REG_CALIBRATE) < 1000000000, "8 MiB in %llu ns",
	   (unsigned long long)reg(d, ANPU_REG_CALIBRATE));
	dev_free(d);
}

static void test_reset(void)
{
	struct dev *d = dev_default();
	struct teq *e = teq_new(d, 0, 4);
	struct tq *q = tq_new(d, 1, 6);
	union anpu_packet nop = p_nop();
	uint64_t at = hbm_alloc(d, 8, 8);
	struct anpu_event ev;

	tq_context(q)->event_queue = 1;
	tq_start(q);
	store64(hbm_ptr(d, at), 0x1234);
	tq_run(q, &nop);
	invalidate(d, 0);
	set_reg(d, ANPU_REG_TIMEOUT, 7);
	set_reg(d, 0x88, 7);
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE | ANPU_CONTROL_RESET);
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)), "a reset ends");
	is(reg(d, ANPU_REG_RESETS), 1, "and is counted");
	is(reg(d, ANPU_REG_CONTROL), 0, "CONTROL is reset");
	is(reg(d, ANPU_REG_TIMEOUT), ANPU_TIMEOUT_RESET, "TIMEOUT");
	is(reg(d, ANPU_REG_ASID_TABLE) | reg(d, ANPU_REG_QUEUE_TABLE), 0, "the tables");
	is(reg(d, ANPU_REG_EQ_SIZE(0)) | reg(d, ANPU_REG_EQ_BASE(0)), 0, "the event queues");
	is(reg(d, ANPU_REG_TLB_ISSUED) | reg(d, ANPU_REG_TLB_DONE), 0, "invalidation numbers");
	is(reg(d, ANPU_REG_PACKETS) | reg(d, ANPU_REG_BAD_ACCESS), 0, "the counters");
	is(load64(hbm_ptr(d, at)), 0x1234, "the HBM keeps its contents");
	is(tq_state(q), ANPU_QUEUE_STOPPED, "the queue is stopped");
	ok(!teq_pop(e, &ev), "without an event");
	set_reg(d, ANPU_REG_EQ_BASE(0), (uint8_t *)e->hdr - d->hbm);
	set_reg(d, ANPU_REG_EQ_SIZE(0), 4);
	tq_command(q, ANPU_QUEUE_STOP);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED && ev.queue == 1, "a STOP behind it is answered in event queue 0");
	is(ev.cookie, 0, "with cookie 0");
	teq_free(e);

	dev_setup(d);
	tq_free(q);
	q = tq_started(d, 1, 0, 0);
	tq_run(q, &nop);
	ok(true, "the device works again");
	anpu_model_reset(d->m);
	ok(eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY), "a reset by the host");
	is(reg(d, ANPU_REG_RESETS), 2, "counts too");
	tq_free(q);
	dev_free(d);
}

static void refused(const char *text, struct anpu_config c)
{
	char err[160] = "";
	bool good = !anpu_config_check(&c, err, sizeof(err)) && strstr(err, text);

	ok(good, "configuration refused: %s", err);
}

static void test_config(void)
{
	struct anpu_config c, base;
	char why[200];
	struct dev *d;

	anpu_config_default(&base);
#define TRY(text, ...) do { c = base; __VA_ARGS__; refused(text, c); } while (0)
	TRY("hbm=", c.hbm_size = 0);
	TRY("hbm=", c.hbm_size = (64 << 20) + 4096);
	TRY("hbm=", c.hbm_size = 1ULL << 50);
	TRY("cores=0", c.cores = 0);
	TRY("cores=65", c.cores = 65);
	TRY("queues=0", c.queues = 0);
	TRY("queues=4097", c.queues = 4097);
	TRY("threads=65", c.threads = 65; c.cores = 64);
	TRY("threads=9", c.threads = 9);
	TRY("deterministic", c.threads = 2; c.deterministic = true);
	TRY("spin-us=", c.spin_us = ANPU_SPIN_MAX + 1);
	TRY("asids=", c.asids = 1);
	TRY("asids=", c.asids = ANPU_MAX_ASIDS + 1);
	TRY("event-queues=", c.event_queues = 0);
	TRY("event-queues=", c.event_queues = 17);
#undef TRY
#define TAKE(...) do { c = base; __VA_ARGS__; \
		ok(anpu_config_check(&c, why, sizeof(why)), "configuration taken: " #__VA_ARGS__); } while (0)
	TAKE(c.hbm_size = 64 << 20);
	TAKE(c.cores = 1; c.threads = 0);
	TAKE(c.cores = 64; c.threads = 64);
	TAKE(c.queues = 1);
	TAKE(c.queues = 4096);
	TAKE(c.threads = c.cores);
	TAKE(c.threads = 1; c.deterministic = true);
	TAKE(c.spin_us = ANPU_SPIN_MAX);
	TAKE(c.asids = 2);
	TAKE(c.asids = ANPU_MAX_ASIDS);
	TAKE(c.event_queues = 1);
	TAKE(c.event_queues = 16);
#undef TAKE
	is(anpu_model_regs_size(1024), 8 << 20, "BAR0 of 1024 queues");
	is(anpu_model_regs_size(1), 0x20000, "BAR0 of one queue");
	c = config_small();
	c.deterministic = true;
	c.threads = 0;
	c.queues = ANPU_MAX_QUEUES;
	c.asids = ANPU_MAX_ASIDS;
	c.event_queues = 16;
	d = dev_new(&c);
	ok(reg(d, ANPU_REG_CAPS) & ANPU_CAP_DETERMINISTIC, "a deterministic device says so");
	set_reg(d, ANPU_REG_EQ_BASE(15), 1 << 20);
	is(reg(d, ANPU_REG_EQ_BASE(15)), 1 << 20, "the last event queue has registers");
	dev_free(d);
}

static bool host_map(void *ctx, uint64_t dma, uint64_t len, bool write, struct anpu_mapping *map)
{
	(void)ctx, (void)dma, (void)len, (void)write, (void)map;
	return false;
}

static void host_unmap(void *ctx, const struct anpu_mapping *map, bool write, uint64_t len)
{
	(void)ctx, (void)map, (void)write, (void)len;
}

static void host_raise(void *ctx, unsigned int vector)
{
	(void)ctx, (void)vector;
}

static uint64_t host_clock(void *ctx)
{
	(void)ctx;
	return now_ns();
}

/* Devices that cannot be made: each says why, and nothing is left of it */
static void test_create(void)
{
	static _Alignas(4096) uint8_t memory[8192];
	const struct anpu_host_ops whole = { .map = host_map, .unmap = host_unmap, .raise = host_raise, .clock = host_clock };
	struct anpu_config good = config_small(), c;
	struct anpu_host_ops ops = whole;
	char err[200] = "";

	good.hbm = memory;
#define TRY(text, ...) do { \
		c = good; \
		ops = whole; \
		__VA_ARGS__; \
		ok(!anpu_model_create(&c, &ops, NULL, err, sizeof(err)) && strstr(err, text), "no device: %s", err); \
	} while (0)
	TRY("HBM is missing", c.hbm = NULL);
	TRY("not page aligned", c.hbm = memory + 2048);
	TRY("are needed", ops.map = NULL);
	TRY("are needed", ops.raise = NULL);
	TRY("are needed", ops.clock = NULL);
	TRY("threads=3 contradicts record", c.record = "/tmp/anpu-record");
	TRY("record=/no/such/folder/file cannot be written", (c.record = "/no/such/folder/file", c.threads = 1));
	TRY("asids=1", c.asids = 1);
#undef TRY
}

/* Tables of which the last entries would lie behind the HBM are refused, those that just fit are not. */
static void test_tables_that_fit(void)
{
	struct anpu_config c = config_small();
	uint64_t bad, asids, queues;
	struct dev *d;

	c.asids = 1024;
	c.queues = 128;
	d = dev_new(&c);
	asids = d->hbm_size - 1024 * 8;
	queues = d->hbm_size - 128 * sizeof(struct anpu_queue_context);
	bad = reg(d, ANPU_REG_BAD_ACCESS);
	set_reg(d, ANPU_REG_ASID_TABLE, asids);
	set_reg(d, ANPU_REG_QUEUE_TABLE, queues);
	is(reg(d, ANPU_REG_BAD_ACCESS), bad, "tables at the end of the HBM");
	set_reg(d, ANPU_REG_ASID_TABLE, asids + 4096);
	set_reg(d, ANPU_REG_QUEUE_TABLE, queues + 4096);
	is(reg(d, ANPU_REG_BAD_ACCESS), bad + 2, "a page further they are refused");
	is(reg(d, ANPU_REG_ASID_TABLE), asids, "and stay where they were");
	is(reg(d, ANPU_REG_QUEUE_TABLE), queues, "both");
	dev_free(d);
}

int main(void)
{
	test_create();
	test_tables_that_fit();
	test_identity();
	test_names();
	test_access();
	test_values();
	test_calibrate();
	test_reset();
	test_config();
	return done_testing();
}
