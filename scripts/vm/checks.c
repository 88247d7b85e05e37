// SPDX-License-Identifier: MIT
/*
 * On a kernel made for debugging (scripts/build-debug-kernel): when the program has ended, nothing
 * may be left of it in the driver, and nothing of the driver in the kernel. What is found goes to
 * the kernel's log, where anpu-run finds it. Debian's kernel has none of these checks, and nothing
 * happens there.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

#define KMEMLEAK	"/sys/kernel/debug/kmemleak"
#define KCSAN		"/sys/kernel/debug/kcsan"
#define LOCKDEP_STATS	"/proc/lockdep_stats"
/* kmemleak does not look at objects that are younger than five seconds. */
#define LEAK_AGE	6

/* Returns 0 or an errno. */
static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

/* A message of ours in the kernel's log, as an error. */
static void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...)
{
	char text[512] = "<3>anpu-vm: ";
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	if (write_text("/dev/kmsg", text))
		fail(125, "the VM cannot write to its kernel's log: %s", text);
}

/* Where the driver's code was, to find in it what kmemleak prints as addresses once it is gone. */
static char code_at[32] = "unknown";

static void unload(const char *path)
{
	char file[4096], section[4200], *name = file;
	FILE *f;

	snprintf(file, sizeof(file), "%s", path);
	name = basename(file);
	name[strcspn(name, ".")] = '\0';
	snprintf(section, sizeof(section), "/sys/module/%s/sections/.text", name);
	f = fopen(section, "re");
	if (f) {
		if (!fgets(code_at, sizeof(code_at), f))
			strcpy(code_at, "unknown");
		fclose(f);
	}
	if (syscall(SYS_delete_module, name, O_NONBLOCK) && errno != ENOENT)
		complain("the module %s cannot be unloaded after all processes ended: %s", name,
			 strerror(errno));
}

/* kmemleak tells what it suspects when a second scan finds it unchanged. */
static void look_for_leaks(void)
{
	char line[512], text[520];
	FILE *leaks;
	int n = 0;

	for (int i = 0; i < 2; i++)
		if (write_text(KMEMLEAK, "scan"))
			complain("kmemleak cannot scan: it is disabled, perhaps out of memory");
	leaks = fopen(KMEMLEAK, "re");
	while (leaks && fgets(line, sizeof(line), leaks)) {
		snprintf(text, sizeof(text), "<3>%s", line);
		write_text("/dev/kmsg", text);
		n++;
	}
	if (leaks)
		fclose(leaks);
	if (n)
		complain("leaks; the driver's code was at %s", code_at);
}

static void ask_lockdep(void)
{
	FILE *stats = fopen(LOCKDEP_STATS, "re");
	char line[256];
	int on;

	while (stats && fgets(line, sizeof(line), stats))
		if (sscanf(line, " debug_locks: %d", &on) == 1 && !on)
			complain("lockdep has switched itself off");
	if (stats)
		fclose(stats);
}

/**
 * checks_begin() - before the driver is loaded
 *
 * KCSAN starts here, as it would take most of the boot's time. It leaves out a race of the kernel's own: lru_add()
 * changes the flags of a folio, which others, who pin it for a driver perhaps, read as they are.
 */
void checks_begin(void)
{
	int err;

	if (access(KCSAN, F_OK))
		return;
	err = write_text(KCSAN, "!lru_add");
	if (!err)
		err = write_text(KCSAN, "on");
	if (err)
		fail(125, "the VM cannot switch on KCSAN: %s", strerror(err));
}

/**
 * checks_end() - after the program has ended and everything that it started was killed
 * @cfg: has the modules that were loaded
 */
void checks_end(const struct vm_config *cfg)
{
	ask_lockdep();
	if (access(KMEMLEAK, F_OK))
		return;
	while (waitpid(-1, NULL, 0) > 0)
		;
	if (cfg->nr_modules)
		unload(cfg->modules[cfg->nr_modules - 1].path);
	sleep(LEAK_AGE);
	look_for_leaks();
	ask_lockdep();
}
