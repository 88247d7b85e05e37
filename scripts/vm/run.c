// SPDX-License-Identifier: MIT
/* Runs the program: user, terminal, standard streams, signals, exit status. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

#define BUF_SIZE	65536

/* One direction of one standard stream: bytes go from @from through @buf to @to. */
struct pump {
	int from;
	int to;
	bool reading;		/* @from may have more */
	uint64_t total;		/* bytes taken from @from */
	size_t head, len;
	char buf[BUF_SIZE];
};

struct program {
	pid_t pid;
	int master;		/* of the terminal, or -1 */
	int sigfd;
	bool exited;
	int status;
	bool stdin_end_known;
	uint64_t stdin_end;
	struct pump in, out, err;
};

static struct program prog = { .master = -1 };

struct identity {
	uid_t uid;
	gid_t gid;
	gid_t groups[256];
	int nr_groups;
};

static bool find_user(const char *name, struct passwd *found)
{
	FILE *f = fopen("/etc/passwd", "re");
	char *end;
	unsigned long uid = strtoul(name, &end, 10);
	bool numeric = *name && !*end;
	struct passwd *pw = NULL;

	while (f && (pw = fgetpwent(f)))
		if (numeric ? pw->pw_uid == uid : !strcmp(pw->pw_name, name))
			break;
	if (pw)
		*found = *pw;
	if (f)
		fclose(f);
	return pw;
}

static void add_groups(struct identity *id, const char *name)
{
	FILE *f = fopen("/etc/group", "re");
	struct group *gr;

	while (f && (gr = fgetgrent(f)))
		for (char **m = gr->gr_mem; *m; m++)
			if (!strcmp(*m, name) && id->nr_groups < 256)
				id->groups[id->nr_groups++] = gr->gr_gid;
	if (f)
		fclose(f);
}

/* @user: a name, a uid, or uid:gid, looked up in the host's files because a static init has no NSS. */
static void resolve_user(const char *user, struct identity *id)
{
	char *end;
	struct passwd pw;

	*id = (struct identity){ 0 };
	if (!user)
		return;
	if (strchr(user, ':')) {
		id->uid = strtoul(user, &end, 10);
		if (*end == ':')
			id->gid = strtoul(end + 1, &end, 10);
		if (*end)
			fail(125, "--user %s: give a name, a uid, or uid:gid", user);
	} else if (find_user(user, &pw)) {
		id->uid = pw.pw_uid;
		id->gid = pw.pw_gid;
		id->groups[id->nr_groups++] = pw.pw_gid;
		add_groups(id, pw.pw_name);
	} else {
		id->uid = strtoul(user, &end, 10);
		id->gid = id->uid;
		if (*end || !*user)
			fail(125, "--user %s: no such user in /etc/passwd", user);
	}
}

static void make_pipe(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC))
		fail(125, "the VM cannot make a pipe: %s", strerror(errno));
}

static int open_port(const char *path, int flags)
{
	int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		fail(125, "the VM cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* The child's three ends, and ours in prog.in.to, prog.out.from and prog.err.from. */
static void make_streams(const struct vm_config *cfg, int child[3])
{
	int fds[2];

	if (cfg->tty) {
		struct winsize size = { 0 };
		int slave;

		sscanf(cfg->tty, "%hu %hu", &size.ws_row, &size.ws_col);
		if (openpty(&prog.master, &slave, NULL, NULL, &size))
			fail(125, "the VM cannot make a terminal: %s", strerror(errno));
		fcntl(prog.master, F_SETFD, FD_CLOEXEC);
		child[0] = child[1] = child[2] = slave;
		prog.in.to = prog.out.from = prog.master;
		prog.err.from = -1;
	} else {
		make_pipe(fds);
		child[0] = fds[0];
		prog.in.to = fds[1];
		make_pipe(fds);
		child[1] = fds[1];
		prog.out.from = fds[0];
	}
	if (!cfg->tty || !cfg->tty_stderr) {
		make_pipe(fds);
		child[2] = fds[1];
		prog.err.from = fds[0];
	}
	prog.in.from = open_port(VM_PORT_IN, O_RDONLY);
	prog.out.to = open_port(VM_PORT_OUT, O_WRONLY);
	prog.err.to = open_port(VM_PORT_ERR, O_WRONLY);
	fcntl(prog.in.to, F_SETFL, O_NONBLOCK);
	fcntl(prog.out.from, F_SETFL, O_NONBLOCK);
	if (prog.err.from >= 0)
		fcntl(prog.err.from, F_SETFL, O_NONBLOCK);
	prog.in.reading = prog.out.reading = true;
	prog.err.reading = prog.err.from >= 0;
}

/* In the child: becomes the program, or sends errno and the step that failed through @report. */
static void __attribute__((noreturn)) become_program(const struct vm_config *cfg,
						     const struct identity *id,
						     const int child[3], int report)
{
	struct { int error; char step; } why = { 0 };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setsid();
	if (cfg->tty)
		ioctl(child[0], TIOCSCTTY, 0);
	for (int i = 0; i < 3; i++)
		dup2(child[i], i);
	why.step = 'u';
	if (setgroups(id->nr_groups, id->groups) || setgid(id->gid) || setuid(id->uid))
		goto failed;
	why.step = 'c';
	if (chdir(cfg->cwd))
		goto failed;
	why.step = 'x';
	environ = cfg->envp;
	execvp(cfg->argv[0], cfg->argv);
failed:
	why.error = errno;
	if (write(report, &why, sizeof(why)) != sizeof(why))
		_exit(126);
	_exit(127);
}

static void start_program(const struct vm_config *cfg)
{
	struct { int error; char step; } why;
	struct identity id;
	int child[3], report[2];

	resolve_user(cfg->user, &id);
	make_streams(cfg, child);
	if (cfg->tty && id.uid && fchown(child[0], id.uid, -1))
		fail(125, "the VM cannot give the terminal to user %u: %s", id.uid, strerror(errno));
	make_pipe(report);
	prog.pid = fork();
	if (prog.pid < 0)
		fail(125, "the VM cannot fork: %s", strerror(errno));
	if (!prog.pid)
		become_program(cfg, &id, child, report[1]);
	close(report[1]);
	for (int i = 0; i < 3; i++)
		close(child[i]);
	if (read(report[0], &why, sizeof(why)) == sizeof(why)) {
		if (why.step == 'u')
			fail(125, "the VM cannot become user %u: %s", id.uid, strerror(why.error));
		if (why.step == 'c')
			fail(125, "the VM cannot enter the directory %s: %s", cfg->cwd,
			     strerror(why.error));
		fail(why.error == ENOENT ? 127 : 126, "cannot run %s in the VM: %s", cfg->argv[0],
		     strerror(why.error));
	}
	close(report[0]);
	ctl_send(VM_STARTED, NULL, 0);
}

/* Moves what can be moved now. Returns whether anything moved. */
static bool pump_once(struct pump *p)
{
	bool moved = false;
	ssize_t n;

	if (p->reading && !p->len) {
		n = read(p->from, p->buf, sizeof(p->buf));
		if (n > 0) {
			p->head = 0;
			p->len = n;
			p->total += n;
			moved = true;
		} else if (p != &prog.in && (n == 0 || (errno != EAGAIN && errno != EINTR))) {
			p->reading = false;	/* a terminal without users reads as EIO */
		}
	}
	if (p->len && p->to < 0) {
		p->len = 0;			/* the reader is gone */
	} else if (p->len) {
		n = write(p->to, p->buf + p->head, p->len);
		if (n > 0) {
			p->head += n;
			p->len -= n;
			moved = true;
		} else if (n < 0 && errno == EPIPE) {
			close(p->to);
			p->to = -1;
			ctl_send(VM_STDIN_CLOSED, NULL, 0);
		}
	}
	return moved;
}

static void end_stdin(void)
{
	if (!prog.stdin_end_known || prog.in.total != prog.stdin_end || prog.in.len)
		return;
	prog.in.reading = false;
	if (prog.master >= 0) {
		write_all(prog.master, "\004", 1);	/* what a terminal says for end of file */
	} else if (prog.in.to >= 0) {
		close(prog.in.to);
		prog.in.to = -1;
	}
	prog.stdin_end_known = false;
}

static void close_output(uint32_t fd)
{
	struct pump *p = fd == 1 ? &prog.out : &prog.err;

	/* Closing our end gives the program SIGPIPE, as the host's reader would have. */
	if (p->from >= 0 && p->from != prog.master)
		close(p->from);
	p->from = -1;
	p->reading = false;
	p->total -= p->len;		/* what stays here will never have been sent */
	p->len = 0;
}

static void send_signal(int sig)
{
	/* A terminal's signals go to the whole job, others to the process that was named. */
	bool whole_job = sig == SIGINT || sig == SIGQUIT || sig == SIGTSTP || sig == SIGHUP;

	kill(whole_job ? -prog.pid : prog.pid, sig);
}

static void handle_ctl(void)
{
	enum vm_frame_type type;
	size_t len;
	char *data = ctl_receive(&type, &len);

	if (!data)
		fail(125, "the launcher is gone");
	if (type == VM_SIGNAL && len == sizeof(uint32_t)) {
		send_signal(*(uint32_t *)data);
	} else if (type == VM_WINSIZE && len == 2 * sizeof(uint16_t) && prog.master >= 0) {
		struct winsize size = { .ws_row = ((uint16_t *)data)[0],
					.ws_col = ((uint16_t *)data)[1] };

		ioctl(prog.master, TIOCSWINSZ, &size);
	} else if (type == VM_STDIN_EOF && len == sizeof(uint64_t)) {
		prog.stdin_end = *(uint64_t *)data;
		prog.stdin_end_known = true;
	} else if (type == VM_CLOSE && len == sizeof(uint32_t)) {
		close_output(*(uint32_t *)data);
	}
	free(data);
}

static void reap(void)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	if (read(prog.sigfd, &info, sizeof(info)) < 0 && errno != EAGAIN)
		fail(125, "the VM cannot read its signals: %s", strerror(errno));
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != prog.pid)
			continue;
		prog.exited = true;
		prog.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

static void add_pump(struct pollfd *from, struct pollfd *to, const struct pump *p)
{
	from->fd = p->reading && !p->len ? p->from : -1;
	from->events = POLLIN;
	to->fd = p->len ? p->to : -1;
	to->events = POLLOUT;
}

static void wait_for_work(void)
{
	struct pollfd fds[8] = {
		{ .fd = ctl_fd(), .events = POLLIN }, { .fd = prog.sigfd, .events = POLLIN },
	};

	add_pump(&fds[2], &fds[3], &prog.in);
	add_pump(&fds[4], &fds[5], &prog.out);
	add_pump(&fds[6], &fds[7], &prog.err);
	if (poll(fds, 8, -1) < 0)
		return;
	if (fds[0].revents)
		handle_ctl();
	if (fds[1].revents)
		reap();
	/* A port whose host end has not opened yet polls as hung up: do not spin on it. */
	if (fds[2].revents == POLLHUP)
		usleep(1000);
}

/**
 * run_program() - run the program and carry its streams until it ends
 * @cfg: what to run
 * @result: how it ended
 *
 * What the program wrote before it ended is delivered completely; what its orphans might still
 * write is not waited for.
 */
void run_program(const struct vm_config *cfg, struct vm_exit *result)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signal(SIGPIPE, SIG_IGN);
	prog.sigfd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (prog.sigfd < 0)
		fail(125, "the VM cannot make a signalfd: %s", strerror(errno));
	start_program(cfg);
	result->run_ns = clock_ns();	/* until it ends */
	while (!prog.exited) {
		wait_for_work();
		pump_once(&prog.in);
		pump_once(&prog.out);
		pump_once(&prog.err);
		end_stdin();
	}
	kill(-1, SIGKILL);
	while (pump_once(&prog.out) || prog.out.len || pump_once(&prog.err) || prog.err.len) {
		struct pollfd fds[2] = { { .fd = prog.out.len ? prog.out.to : -1, .events = POLLOUT },
					 { .fd = prog.err.len ? prog.err.to : -1, .events = POLLOUT } };

		if (prog.out.len || prog.err.len)
			poll(fds, 2, 100);
	}
	result->status = prog.status;
	result->out_bytes = prog.out.total;
	result->err_bytes = prog.err.total;
}
