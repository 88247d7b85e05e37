// SPDX-License-Identifier: MIT
/*
 * init of the ANPU virtual machine.
 *
 * Shows the host's file system below an overlay, loads the modules it is told to load, runs one
 * program, reports how it ended, and powers the machine off. It is linked statically and started
 * from an initramfs that holds nothing else but the modules that mount the root.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "init.h"

#define NEWROOT		"/newroot"
#define MSIZE		"msize=262144"
#define KLOG_CONSOLE_LEVEL	8

static void __attribute__((noreturn)) power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/**
 * fail() - tell the user why the program cannot run, and stop the machine
 * @status: exit status for anpu-run
 * @fmt: one sentence, as for printf
 */
void fail(int status, const char *fmt, ...)
{
	char buf[2048];
	uint32_t status32 = status;
	va_list ap;
	int len;

	memcpy(buf, &status32, sizeof(status32));
	va_start(ap, fmt);
	len = vsnprintf(buf + sizeof(status32), sizeof(buf) - sizeof(status32), fmt, ap);
	va_end(ap);
	if (len > (int)(sizeof(buf) - sizeof(status32) - 1))
		len = sizeof(buf) - sizeof(status32) - 1;
	if (ctl_fd() >= 0) {
		ctl_send(VM_FAIL, buf, sizeof(status32) + len);
		ctl_wait_closed();
	} else {
		fprintf(stderr, "init: %s\n", buf + sizeof(status32));
	}
	power_off();
}

static void mkdir_path(const char *path)
{
	char buf[4096];

	snprintf(buf, sizeof(buf), "%s", path);
	for (char *p = buf + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(buf, 0755);
		*p = '/';
	}
	mkdir(buf, 0755);
}

static void mount_at(const char *source, const char *target, const char *type,
		     unsigned long flags, const char *options)
{
	mkdir_path(target);
	if (mount(source, target, type, flags, options))
		fail(125, "the VM cannot mount %s (%s) at %s: %s", source, type ? type : "bind",
		     target, strerror(errno));
}

static void load_module(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail(125, "the VM cannot open the module %s: %s", path, strerror(errno));
	if (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST)
		fail(125, "the VM cannot load the module %s with parameters '%s': %s",
		     path, params, strerror(errno));
	close(fd);
}

/* The modules that the root file system needs, in the order that scripts/build-guest wrote. */
static void load_boot_modules(void)
{
	FILE *list = fopen("/modules/list", "re");
	char line[512];

	if (!list)
		fail(125, "the initramfs has no list of modules: run make distclean, then make");
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		load_module(line, "");
	}
	fclose(list);
}

static void mount_kernel_file_systems(void)
{
	mount_at("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount_at("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount_at("devtmpfs", "/dev", "devtmpfs", MS_NOSUID, "mode=0755");
}

/* The host's root, read-only; above it, in memory, whatever the program writes. */
static void mount_root(void)
{
	mount_at("root", "/lower", "9p", MS_RDONLY,
		 "trans=virtio,version=9p2000.L,cache=loose," MSIZE);
	mount_at("overlay", "/upper", "tmpfs", 0, "mode=0755");
	mkdir("/upper/data", 0755);
	mkdir("/upper/work", 0755);
	mount_at("overlay", NEWROOT, "overlay", 0,
		 "lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work");
	mount_at("/proc", NEWROOT "/proc", NULL, MS_MOVE, NULL);
	mount_at("/sys", NEWROOT "/sys", NULL, MS_MOVE, NULL);
	mount_at("/dev", NEWROOT "/dev", NULL, MS_MOVE, NULL);
	mount_at("run", NEWROOT "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
	mount_at("devpts", NEWROOT "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		 "mode=0620,gid=5,ptmxmode=0666");
	mount_at("shm", NEWROOT "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
	mount_at("debugfs", NEWROOT "/sys/kernel/debug", "debugfs", 0, NULL);
	mount_at("tracefs", NEWROOT "/sys/kernel/tracing", "tracefs", 0, NULL);
}

static void mount_shares(const struct vm_config *cfg)
{
	char tag[32], target[4096];

	for (size_t i = 0; i < cfg->nr_shares; i++) {
		const char *path = strchr(cfg->shares[i], ' ');

		if (!path)
			fail(125, "bad record for a writable directory: '%s'", cfg->shares[i]);
		snprintf(tag, sizeof(tag), "%.*s", (int)(path - cfg->shares[i]), cfg->shares[i]);
		snprintf(target, sizeof(target), NEWROOT "%s", path + 1);
		/* Others change these files while the VM runs: cache only what is mapped. */
		mount_at(tag, target, "9p", 0, "trans=virtio,version=9p2000.L,cache=mmap," MSIZE);
	}
}

/* Shows the modules of the VM's kernel where modprobe looks for them. */
static void mount_module_dir(const char *record)
{
	const char *path = record ? strchr(record, ' ') : NULL;
	char target[4096];

	if (!path)
		return;
	snprintf(target, sizeof(target), "/lib/modules/%.*s", (int)(path - record), record);
	mount_at(path + 1, target, NULL, MS_BIND, NULL);
}

static void switch_root(void)
{
	if (chdir(NEWROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		fail(125, "the VM cannot switch to the host's root: %s", strerror(errno));
}

/* As udev's default rules do for accel nodes: mode 0660, group render where there is one. */
static void set_accel_permissions(void)
{
	FILE *groups = fopen("/etc/group", "re");
	struct group *group = NULL;
	char path[64];

	while (groups && (group = fgetgrent(groups)) && strcmp(group->gr_name, "render"))
		;
	for (int i = 0; i < ARRAY_MAX; i++) {
		snprintf(path, sizeof(path), "/dev/accel/accel%d", i);
		if (chmod(path, 0660))
			break;
		if (group && chown(path, 0, group->gr_gid))
			fail(125, "the VM cannot give %s to group render: %s", path,
			     strerror(errno));
	}
	if (groups)
		fclose(groups);
}

static void set_up_devices(void)
{
	static const char * const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" }, { "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" }, { "/proc/self/fd/2", "/dev/stderr" },
	};
	static const char hostname[] = "anpu-vm";
	struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlink(links[i][0], links[i][1]) && errno != EEXIST)
			fail(125, "the VM cannot make %s: %s", links[i][1], strerror(errno));
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback))
		fail(125, "the VM cannot bring up its loopback interface: %s", strerror(errno));
	close(fd);
	if (sethostname(hostname, sizeof(hostname) - 1))
		fail(125, "the VM cannot set its host name: %s", strerror(errno));
	set_accel_permissions();
}

/* The kernel's taint bits that tell of a fault: bad page (KFENCE, too), oops, warning, lockup. */
#define TAINT_FAULTS	(1ul << 5 | 1ul << 7 | 1ul << 9 | 1ul << 14)

static unsigned long kernel_faults(void)
{
	FILE *f = fopen("/proc/sys/kernel/tainted", "re");
	unsigned long taint;

	if (!f || fscanf(f, "%lu", &taint) != 1)
		fail(125, "the VM cannot read /proc/sys/kernel/tainted: %s", strerror(errno));
	fclose(f);
	return taint & TAINT_FAULTS;
}

/* Answers whether KVM works here at all: any machine that gets this far does. */
static void answer_probe(void)
{
	char cmdline[4096] = "";
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, cmdline, sizeof(cmdline) - 1) < 0 || !strstr(cmdline, "anpu.probe"))
		goto out;
	puts("anpu-probe-ok");
	fflush(stdout);
	power_off();
out:
	if (fd >= 0)
		close(fd);
}

int main(void)
{
	struct vm_exit result = { 0 };
	unsigned long boot_faults;
	enum vm_frame_type type;
	struct vm_config cfg;
	size_t len;
	char *data;

	mount_kernel_file_systems();
	answer_probe();
	load_boot_modules();
	ctl_open();
	ctl_send(VM_READY, NULL, 0);
	data = ctl_receive(&type, &len);
	if (!data || type != VM_CONFIG)
		fail(125, "the VM was not told what to run");
	config_parse(&cfg, data, len);
	renew(&cfg);
	boot_faults = kernel_faults();
	mount_root();
	mount_shares(&cfg);
	switch_root();
	mount_module_dir(cfg.module_dir);
	if (cfg.log_level)
		klogctl(KLOG_CONSOLE_LEVEL, NULL, cfg.log_level);
	checks_begin();
	for (size_t i = 0; i < cfg.nr_modules; i++)
		load_module(cfg.modules[i].path, cfg.modules[i].params);
	set_up_devices();
	run_program(&cfg, &result);
	checks_end(&cfg);
	sync();
	result.run_ns = clock_ns() - result.run_ns;
	result.tainted = kernel_faults() & ~boot_faults;
	ctl_send(VM_EXIT, &result, sizeof(result));
	ctl_wait_closed();
	power_off();
}
