/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QTest testcase for the ANPU, a neural processing unit on PCI Express
 *
 * A driver in a few lines: it looks at the registers, starts a queue, lets the
 * device move memory, takes an interrupt and resets the device. What packets
 * do in detail is tested with the model alone; this is about the device.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "libqos/pci.h"
#include "libqos/pci-pc.h"
#include "hw/pci/pci_regs.h"
#include "anpu/anpu_hw.h"

#define SLOT            4
#define HBM_SIZE        (16 * 1024 * 1024)
#define QUEUES          8
#define PATIENCE_US     (60 * G_USEC_PER_SEC)

/* where the driver puts its structures in the HBM */
#define ASID_TABLE      0x10000
#define QUEUE_TABLE     0x11000
#define RING            0x20000
#define RING_LOG2       4
#define STATUS          0x30000
#define CONTROL         0x40000
#define DATA            0x100000

/* guest memory that nobody uses, and what an interrupt writes there */
#define MSI_ADDRESS     0x200000
#define MSI_DATA        0x4e505541

typedef struct Npu {
    QTestState *qts;
    QPCIBus *bus;
    QPCIDevice *pci;
    QPCIBar regs, hbm;
    uint64_t wptr;
} Npu;

static void npu_start(Npu *s)
{
    memset(s, 0, sizeof(*s));
    s->qts = qtest_initf("-machine q35 -nodefaults -device "
                         "anpu,addr=%d,hbm=%d,queues=%d,cores=2,threads=2",
                         SLOT, HBM_SIZE, QUEUES);
    s->bus = qpci_new_pc(s->qts, NULL);
    s->pci = qpci_device_find(s->bus, QPCI_DEVFN(SLOT, 0));
    g_assert_nonnull(s->pci);
    qpci_device_enable(s->pci);
    s->regs = qpci_iomap(s->pci, 0, NULL);
    s->hbm = qpci_iomap(s->pci, 2, NULL);
}

static void npu_end(Npu *s)
{
    g_free(s->pci);
    qpci_free_pc(s->bus);
    qtest_quit(s->qts);
}

static uint64_t reg(Npu *s, uint64_t offset)
{
    return qpci_io_readq(s->pci, s->regs, offset);
}

static void set_reg(Npu *s, uint64_t offset, uint64_t value)
{
    qpci_io_writeq(s->pci, s->regs, offset, value);
}

static uint64_t hbm64(Npu *s, uint64_t addr)
{
    return qpci_io_readq(s->pci, s->hbm, addr);
}

static void hbm_write(Npu *s, uint64_t addr, const void *buf, size_t size)
{
    qpci_memwrite(s->pci, s->hbm, addr, buf, size);
}

/* Until a 64-bit word of the HBM, masked, has the value */
static bool hbm_becomes(Npu *s, uint64_t addr, uint64_t mask, uint64_t value)
{
    gint64 end = g_get_monotonic_time() + PATIENCE_US;

    while ((hbm64(s, addr) & mask) != value) {
        if (g_get_monotonic_time() > end) {
            return false;
        }
        g_usleep(100);
    }
    return true;
}

static bool reg_becomes(Npu *s, uint64_t offset, uint64_t value)
{
    gint64 end = g_get_monotonic_time() + PATIENCE_US;

    while (reg(s, offset) != value) {
        if (g_get_monotonic_time() > end) {
            return false;
        }
        g_usleep(100);
    }
    return true;
}

static bool queue_becomes(Npu *s, enum anpu_queue_state state)
{
    return hbm_becomes(s, STATUS + offsetof(struct anpu_queue_status, state),
                       UINT32_MAX, state);
}

static void queue_setup(Npu *s, uint32_t ring_log2)
{
    struct anpu_queue_context context = {
        .ring = cpu_to_le64(RING),
        .status = cpu_to_le64(STATUS),
        .control = cpu_to_le64(CONTROL),
        .ring_log2 = cpu_to_le32(ring_log2),
    };

    hbm_write(s, QUEUE_TABLE, &context, sizeof(context));
    set_reg(s, ANPU_REG_ASID_TABLE, ASID_TABLE);
    set_reg(s, ANPU_REG_QUEUE_TABLE, QUEUE_TABLE);
    set_reg(s, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);
    set_reg(s, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_START, 0));
    s->wptr = 0;
}

/* Rings the doorbell; the device may have seen the packet before */
static void submit(Npu *s, const union anpu_packet *packet)
{
    uint64_t slot = s->wptr++ % (1 << RING_LOG2), wptr;
    uint64_t doorbell = reg(s, ANPU_REG_DOORBELLS) & UINT32_MAX;

    hbm_write(s, RING + slot * sizeof(*packet), packet, sizeof(*packet));
    wptr = cpu_to_le64(s->wptr);
    hbm_write(s, CONTROL + offsetof(struct anpu_queue_control, wptr), &wptr,
              sizeof(wptr));
    set_reg(s, doorbell + ANPU_DOORBELL_WPTR, s->wptr);
}

static uint64_t status(Npu *s, size_t field)
{
    return hbm64(s, STATUS + field);
}

static bool all_complete(Npu *s)
{
    size_t field = offsetof(struct anpu_queue_status, completed);

    return hbm_becomes(s, STATUS + field, UINT64_MAX, s->wptr);
}

static void test_identity(void)
{
    Npu s;

    npu_start(&s);
    g_assert_cmphex(qpci_config_readw(s.pci, PCI_VENDOR_ID), ==, 0x1234);
    g_assert_cmphex(qpci_config_readw(s.pci, PCI_DEVICE_ID), ==, 0x11e9);
    g_assert_cmphex(qpci_config_readw(s.pci, PCI_CLASS_DEVICE), ==, 0x1200);
    g_assert_cmphex(reg(&s, ANPU_REG_ID), ==, 0x55504e41);
    g_assert_cmpuint(reg(&s, ANPU_REG_VERSION) >> 16 & 0xffff, ==, 1);
    g_assert_cmpuint(reg(&s, ANPU_REG_HBM_SIZE), ==, HBM_SIZE);
    g_assert_cmpuint(reg(&s, ANPU_REG_QUEUES), ==, QUEUES);
    g_assert_cmpuint(reg(&s, ANPU_REG_CORES) & 0xffff, ==, 2);
    npu_end(&s);
}

/* Half of a register, a register that is read-only, and none at all */
static void test_refused_accesses(void)
{
    Npu s;

    npu_start(&s);
    g_assert_cmphex(qpci_io_readl(s.pci, s.regs, ANPU_REG_ID), ==, 0);
    set_reg(&s, ANPU_REG_ID, 1);
    g_assert_cmphex(reg(&s, 0xff8), ==, 0);
    g_assert_cmpuint(reg(&s, ANPU_REG_BAD_ACCESS), ==, 3);
    g_assert_cmphex(reg(&s, ANPU_REG_ID), ==, 0x55504e41);
    npu_end(&s);
}

static void test_packets(void)
{
    union anpu_packet fill = { .fill = {
        .hdr.opcode = ANPU_OP_FILL, .dst = cpu_to_le64(DATA),
        .size = cpu_to_le64(4096), .pattern = cpu_to_le64(0x5a),
        .pattern_size = cpu_to_le32(1) } };
    union anpu_packet copy = { .copy = {
        .hdr.opcode = ANPU_OP_COPY, .src = cpu_to_le64(DATA),
        .dst = cpu_to_le64(DATA + 8192), .size = cpu_to_le64(4088) } };
    Npu s;

    npu_start(&s);
    g_assert_cmphex(hbm64(&s, DATA + 8192), ==, 0);
    queue_setup(&s, RING_LOG2);
    g_assert_true(queue_becomes(&s, ANPU_QUEUE_RUNNING));
    submit(&s, &fill);
    submit(&s, &copy);
    g_assert_true(all_complete(&s));
    g_assert_cmpuint(status(&s, offsetof(struct anpu_queue_status, errors)), ==,
                     0);
    g_assert_cmphex(hbm64(&s, DATA + 8192), ==, 0x5a5a5a5a5a5a5a5a);
    g_assert_cmphex(hbm64(&s, DATA + 8192 + 4080), ==, 0x5a5a5a5a5a5a5a5a);
    g_assert_cmphex(hbm64(&s, DATA + 8192 + 4088), ==, 0);
    g_assert_cmpuint(reg(&s, ANPU_REG_PACKETS), ==, 2);
    npu_end(&s);
}

/* A packet that cannot be executed is one failure, and the queue goes on */
static void test_failure(void)
{
    union anpu_packet copy = { .copy = {
        .hdr.opcode = ANPU_OP_COPY, .src = cpu_to_le64(HBM_SIZE),
        .dst = cpu_to_le64(DATA), .size = cpu_to_le64(8) } };
    union anpu_packet nop = { .hdr.opcode = ANPU_OP_NOP };
    Npu s;

    npu_start(&s);
    queue_setup(&s, RING_LOG2);
    g_assert_true(queue_becomes(&s, ANPU_QUEUE_RUNNING));
    submit(&s, &copy);
    submit(&s, &nop);
    g_assert_true(all_complete(&s));
    g_assert_cmpuint(status(&s, offsetof(struct anpu_queue_status, errors)), ==,
                     1);
    g_assert_cmpuint(status(&s, offsetof(struct anpu_queue_status, first_seq)),
                     ==, 1);
    npu_end(&s);
}

static void test_refused_queue(void)
{
    Npu s;

    npu_start(&s);
    queue_setup(&s, ANPU_RING_LOG2_MAX + 1);
    g_assert_true(queue_becomes(&s, ANPU_QUEUE_REFUSED));
    npu_end(&s);
}

static void test_interrupt(void)
{
    gint64 end = g_get_monotonic_time() + PATIENCE_US;
    QPCIBar table;
    Npu s;

    npu_start(&s);
    qpci_msix_enable(s.pci);
    table = s.pci->msix_table_bar;
    qpci_io_writel(s.pci, table, s.pci->msix_table_off, MSI_ADDRESS);
    qpci_io_writel(s.pci, table, s.pci->msix_table_off + 4, 0);
    qpci_io_writel(s.pci, table, s.pci->msix_table_off + 8, MSI_DATA);
    qpci_io_writel(s.pci, table, s.pci->msix_table_off + 12, 0);
    qtest_writel(s.qts, MSI_ADDRESS, 0);
    set_reg(&s, ANPU_REG_IRQ_TEST, 0);
    while (qtest_readl(s.qts, MSI_ADDRESS) != MSI_DATA) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        g_usleep(100);
    }
    qpci_msix_disable(s.pci);
    npu_end(&s);
}

/* A reset stops queues and forgets tables; the HBM keeps what it had */
static void test_reset(void)
{
    uint64_t pattern = cpu_to_le64(0x0123456789abcdef), resets;
    Npu s;

    npu_start(&s);
    queue_setup(&s, RING_LOG2);
    g_assert_true(queue_becomes(&s, ANPU_QUEUE_RUNNING));
    hbm_write(&s, DATA, &pattern, sizeof(pattern));
    resets = reg(&s, ANPU_REG_RESETS);
    set_reg(&s, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
    g_assert_true(reg_becomes(&s, ANPU_REG_CONTROL, 0));
    g_assert_cmpuint(reg(&s, ANPU_REG_RESETS), ==, resets + 1);
    g_assert_cmphex(reg(&s, ANPU_REG_QUEUE_TABLE), ==, 0);
    g_assert_cmphex(hbm64(&s, DATA), ==, 0x0123456789abcdef);
    queue_setup(&s, RING_LOG2);
    g_assert_true(queue_becomes(&s, ANPU_QUEUE_RUNNING));
    npu_end(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/anpu/identity", test_identity);
    qtest_add_func("/anpu/refused-accesses", test_refused_accesses);
    qtest_add_func("/anpu/packets", test_packets);
    qtest_add_func("/anpu/failure", test_failure);
    qtest_add_func("/anpu/refused-queue", test_refused_queue);
    qtest_add_func("/anpu/interrupt", test_interrupt);
    qtest_add_func("/anpu/reset", test_reset);
    return g_test_run();
}
