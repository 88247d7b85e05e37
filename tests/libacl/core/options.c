// SPDX-License-Identifier: MIT
/* Versions, options, hooks, the log, numbers of devices, overflow: what a program asks or sets once. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../acltest.h"

static void versions(void)
{
	char text[ACL_PKG_VERSION_MAX_SIZE], want[32], runtime[] = "runtime", driver[] = "driver";
	char cann[] = "cann", none[] = "toolkit";
	aclCANNPackageVersion version;
	int32_t major, minor, patch, number;

	ACL(aclrtGetVersion(&major, &minor, &patch));
	snprintf(want, sizeof(want), "%d.%d.%d", major, minor, patch);
	ACL(aclsysGetVersionStr(runtime, text));
	CHECK(!strcmp(text, want));
	ACL(aclsysGetVersionNum(runtime, &number));
	CHECK_EQ(number, major * 10000000 + minor * 100000 + patch * 1000);
	ACL(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, &version));
	CHECK(!strcmp(version.version, want));
	CHECK_EQ(atoi(version.majorVersion), major);
	CHECK_EQ(atoi(version.minorVersion), minor);
	CHECK_EQ(atoi(version.patchVersion), patch);
	ACL(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version));
	CHECK(!strcmp(version.version, want));
	ACL(aclsysGetVersionStr(cann, text));
	CHECK(!strcmp(text, want));
	ACL(aclsysGetVersionStr(driver, text));
	CHECK_EQ(sscanf(text, "%d.%d.%d", &major, &minor, &patch), 3);
	FAILS(aclsysGetVersionStr(none, text), ACL_ERROR_INVALID_PARAM, "toolkit", "runtime");
	FAILS(aclsysGetVersionNum(none, &number), ACL_ERROR_INVALID_PARAM, "toolkit");
	FAILS(aclsysGetVersionStr(NULL, text), ACL_ERROR_INVALID_PARAM, "pkgName");
	FAILS(aclsysGetVersionStr(runtime, NULL), ACL_ERROR_INVALID_PARAM, "versionStr");
	FAILS(aclsysGetVersionNum(runtime, NULL), ACL_ERROR_INVALID_PARAM, "versionNum");
	FAILS(aclsysGetCANNVersion(ACL_PKG_NAME_OPP, &version), ACL_ERROR_INVALID_PARAM, "opp");
	FAILS(aclsysGetCANNVersion((aclCANNPackageName)77, &version), ACL_ERROR_INVALID_PARAM, "77");
	FAILS(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, NULL), ACL_ERROR_INVALID_PARAM, "version");
}

/* Runs @fn with standard error in a pipe and returns what it wrote */
/* ANPU_CANN_VERSION is a version of the form 8.5.0 or 8.2.RC1, or refused as it stands */
static void wrong_versions_are_refused(void)
{
	static const char *const wrong[] = { "", "8", "8.", "x.5", "-8.5.0", "8.-5.0", "8.5.-1", ".5.0",
					     "8.5.0 ", "8 5 0", "8.5\n", "8.5.0;" };
	static const char *const right[] = { "8.5", "8.5.0", "8.2.RC1", "8.2.RC1.alpha003", "8.0.0", "0.1", "9.0.RC1" };
	char text[ACL_PKG_VERSION_MAX_SIZE], runtime[] = "runtime", longest[200];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("ANPU_CANN_VERSION", wrong[i], 1);
		if (aclsysGetVersionStr(runtime, text) != ACL_ERROR_INVALID_PARAM)
			FAIL("'%s' is taken for a version", wrong[i]);
		check_facts(aclGetRecentErrMsg(), "ANPU_CANN_VERSION", "8.5.0", NULL);
	}
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		setenv("ANPU_CANN_VERSION", right[i], 1);
		ACL(aclsysGetVersionStr(runtime, text));
		CHECK(!strcmp(text, right[i]));
	}
	memset(longest, '1', sizeof(longest));
	memcpy(longest, "8.5.", 4);
	longest[sizeof(longest) - 1] = 0;
	setenv("ANPU_CANN_VERSION", longest, 1);
	FAILS(aclsysGetVersionStr(runtime, text), ACL_ERROR_INVALID_PARAM, "characters");
}

static char *stderr_of(void (*fn)(void))
{
	static char text[8192];
	int fds[2], keep = dup(STDERR_FILENO);
	ssize_t n;

	CHECK(!pipe(fds) && keep >= 0);
	dup2(fds[1], STDERR_FILENO);
	fn();
	dup2(keep, STDERR_FILENO);
	close(fds[1]);
	n = read(fds[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static void four_lines(void)
{
	ACL_APP_LOG(ACL_DEBUG, "one %d", 1);
	ACL_APP_LOG(ACL_INFO, "two");
	ACL_APP_LOG(ACL_WARNING, "three %s", "3");
	ACL_APP_LOG(ACL_ERROR, "four");
	ACL_APP_LOG((aclLogLevel)9, "five");
	aclAppLog(ACL_ERROR, NULL, NULL, 0, NULL);
	aclAppLog(ACL_ERROR, NULL, NULL, 0, "six");
}

/* Runs @fn in a child that has a text in the buffer of stdout and does not flush it. Returns what the child writes to @fd */
static char *written_by_child(int fd, const char *print, void (*fn)(void))
{
	static char text[8192];
	int fds[2], status;
	size_t used = 0;
	ssize_t n;
	pid_t pid;

	CHECK(!pipe(fds));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setenv("ASCEND_SLOG_PRINT_TO_STDOUT", print, 1);
		dup2(open("/dev/null", O_WRONLY), fd == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO);
		dup2(fds[1], fd);
		setvbuf(stdout, NULL, _IOFBF, 4096);
		printf("before, ");
		fn();
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = 0;
	close(fds[0]);
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	return text;
}

/* On stdout lines come behind what the program has printed before; on stderr they leave its buffer alone. */
static void log_goes_where_it_is_sent(void)
{
	char *text;

	unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
	unsetenv("ASCEND_PROCESS_LOG_PATH");
	text = written_by_child(STDOUT_FILENO, "1", four_lines);
	CHECK(strstr(text, "before, [ERROR]") == text && strstr(text, "four_lines: four\n"));
	CHECK(!*written_by_child(STDERR_FILENO, "1", four_lines));
	text = written_by_child(STDERR_FILENO, "0", four_lines);
	CHECK(strstr(text, "[ERROR]") == text && strstr(text, "four_lines: four\n"));
	CHECK(!*written_by_child(STDOUT_FILENO, "0", four_lines));
	text = written_by_child(STDERR_FILENO, "yes", four_lines);
	CHECK(strstr(text, "is 'yes' and must be 0 or 1: it is ignored\n") && strstr(text, "four_lines: four\n"));
}

/* The only file of a folder, read into a buffer; its name is a process's and a time to the millisecond */
static char *only_file(const char *folder, char *path, size_t size)
{
	static char text[8192];
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int files = 0;
	FILE *f;

	CHECK(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		files++;
		snprintf(path, size, "%s/%s", folder, entry->d_name);
	}
	closedir(dir);
	CHECK_EQ(files, 1);
	f = fopen(path, "r");
	CHECK(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	return text;
}

static void refused_and_one_line(void)
{
	printf("%d\n", getpid());
	CHECK_EQ(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM);
	four_lines();
	fflush(stdout);
}

static void empty_folder(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	CHECK(!system(command));
}

/* Folders are made as they are needed; the library's own failures are there, too, and nothing is on standard error. */
static void log_goes_into_a_file_for_each_process(void)
{
	char folder[] = "/tmp/anpu-log-XXXXXX", path[256], name[512], plog[256], *text, *said;
	int pid = 0, digits = 0, length = 0;
	struct stat st;

	SKIP_IN_CHECK("it tells the refused call there");
	CHECK(mkdtemp(folder));
	unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
	snprintf(path, sizeof(path), "%s/a/b", folder);
	snprintf(plog, sizeof(plog), "%s/a/b/debug/plog", folder);
	setenv("ASCEND_PROCESS_LOG_PATH", path, 1);
	said = written_by_child(STDERR_FILENO, "0", refused_and_one_line);
	CHECK(!*said);
	text = only_file(plog, name, sizeof(name));
	CHECK(strstr(text, "[ERROR]") == text && strstr(text, "E100000 aclrtCreateContext: "));
	CHECK(strstr(text, "four_lines: four\n") > strstr(text, "aclrtCreateContext"));
	CHECK(!strstr(text, "before, "));
	CHECK_EQ(sscanf(name + strlen(plog), "/plog-%d_%*[0-9]%n.log", &pid, &digits), 1);
	CHECK_EQ(sscanf(strchr(name + strlen(plog), '_'), "_%*17[0-9].log%n", &length), 0);
	CHECK_EQ(length, 22);
	snprintf(path, sizeof(path), "APP(%d,", pid);
	CHECK(strstr(text, path));
	CHECK(!stat(name, &st));
	CHECK_EQ(st.st_mode & 0777 & ~0640, 0);
	empty_folder(plog);
	/* standard output comes before a file, and without a log there is no file */
	text = written_by_child(STDOUT_FILENO, "1", refused_and_one_line);
	CHECK(strstr(text, "four_lines: four\n") && strstr(text, "E100000 aclrtCreateContext: "));
	setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
	CHECK(!*written_by_child(STDERR_FILENO, "0", refused_and_one_line));
	CHECK(access(plog, F_OK));
	unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
	/* a folder that cannot be made: the sentence names it and the reason, and the lines are not lost */
	snprintf(path, sizeof(path), "%s/a/file", folder);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	setenv("ASCEND_PROCESS_LOG_PATH", path, 1);
	said = written_by_child(STDERR_FILENO, "0", refused_and_one_line);
	CHECK(strstr(said, path) && strstr(said, "cannot be written: Not a directory; the log goes to standard error\n"));
	CHECK(strstr(said, "four_lines: four\n"));
	empty_folder(folder);
}

static void log_has_errors_by_default(void)
{
	char *text;

	unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
	text = stderr_of(four_lines);
	CHECK(strstr(text, "[ERROR]") && strstr(text, "four_lines: four\n"));
	CHECK(strstr(text, "[options.c:"));
	CHECK(strstr(text, "six\n"));
	CHECK(!strstr(text, "three") && !strstr(text, "five"));
}

static void refused_calls(void)
{
	void *p;

	FAILS(aclrtMalloc(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtFree((void *)0x1234), ACL_ERROR_RT_PARAM_INVALID);
}

/* With the log off and outside of the checking mode the library leaves standard error to the program */
static void refused_calls_print_nothing(void)
{
	char *text;

	SKIP_IN_CHECK("it tells each finding there");
	setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
	start();
	text = stderr_of(refused_calls);
	if (*text)
		FAIL("standard error has '%s'", text);
}

static void one_line(void)
{
	ACL_APP_LOG(ACL_ERROR, "now");
}

/* time() may be some milliseconds behind the clock that the library reads */
static time_t exact_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

/* [ERROR] APP(PID,PROGRAM):YYYY-MM-DD-HH:MM:SS.mmm and so on, in the time zone of the program */
static void log_lines_tell_when_and_who(void)
{
	int pid, ms;
	struct tm tm = { .tm_isdst = -1 };
	time_t before, then;
	char *text, name[32];

	unsetenv("ASCEND_GLOBAL_LOG_LEVEL");
	setenv("TZ", "UTC-5:30", 1);
	before = exact_time();
	text = stderr_of(one_line);
	CHECK_EQ(sscanf(text, "[ERROR] APP(%d,%31[^)]):%d-%d-%d-%d:%d:%d.%3d ", &pid, name, &tm.tm_year, &tm.tm_mon,
			&tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms), 9);
	CHECK_EQ(pid, getpid());
	CHECK(!strcmp(name, "options"));
	tm.tm_year -= 1900;
	tm.tm_mon--;
	then = mktime(&tm);
	CHECK(then >= before && then <= exact_time());
}

static void log_has_what_the_level_says(void)
{
	char *text;

	setenv("ASCEND_GLOBAL_LOG_LEVEL", "1", 1);
	text = stderr_of(four_lines);
	CHECK(!strstr(text, "one"));
	CHECK(strstr(text, "[INFO]") && strstr(text, "two\n"));
	CHECK(strstr(text, "[WARNING]") && strstr(text, "three 3\n"));
}

static void log_can_be_off(void)
{
	setenv("ASCEND_GLOBAL_LOG_LEVEL", "4", 1);
	CHECK(!*stderr_of(four_lines));
}

static void long_line(void)
{
	ACL_APP_LOG(ACL_ERROR, "%02000d", 7);
}

static void log_cuts_long_lines_and_says_so(void)
{
	char *text = stderr_of(long_line);

	CHECK(strstr(text, "[cut"));
	CHECK(strlen(text) > 1023 && strlen(text) < 1200);
}

static void options_of_the_process(void)
{
	int64_t value = -1;

	FAILS(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_PARAM_INVALID,
	      "never set");
	ACL(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	ACL(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	CHECK_EQ(value, 1);
	ACL(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
	ACL(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	CHECK_EQ(value, 0);
	FAILS(aclrtGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2), ACL_ERROR_INVALID_PARAM, "2");
	FAILS(aclrtSetSysParamOpt((aclSysParamOpt)4, 1), ACL_ERROR_INVALID_PARAM, "4");
	FAILS(aclrtGetSysParamOpt((aclSysParamOpt)-1, &value), ACL_ERROR_INVALID_PARAM, "-1");
	FAILS(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM, "value");
}

static void options_of_a_context(void)
{
	aclrtContext other;
	int64_t value = -1;

	FAILS(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL);
	start();
	FAILS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_PARAM_INVALID,
	      "aclrtCtxSetSysParamOpt");
	ACL(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	ACL(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	CHECK_EQ(value, 1);
	FAILS(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_PARAM_INVALID);
	ACL(aclrtCreateContext(&other, 0));
	FAILS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtCtxSetSysParamOpt((aclSysParamOpt)99, 1), ACL_ERROR_INVALID_PARAM, "99");
	FAILS(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, -1), ACL_ERROR_INVALID_PARAM, "-1");
	FAILS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM, "value");
}

static void cann_attributes(void)
{
	const aclCannAttr *list = NULL;
	size_t n = 0;
	int32_t on;

	ACL(aclGetCannAttributeList(&list, &n));
	CHECK(n >= 1);
	for (size_t i = 0; i < n; i++) {
		on = -1;
		ACL(aclGetCannAttribute(list[i], &on));
		CHECK_EQ(on, 1);
	}
	ACL(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &on));
	CHECK_EQ(on, 0);
	FAILS(aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &on), ACL_ERROR_INVALID_PARAM, "-1");
	FAILS(aclGetCannAttribute(ACL_CANN_ATTR_BF16, NULL), ACL_ERROR_INVALID_PARAM, "value");
	FAILS(aclGetCannAttributeList(NULL, &n), ACL_ERROR_INVALID_PARAM, "cannAttrList");
	FAILS(aclGetCannAttributeList(&list, NULL), ACL_ERROR_INVALID_PARAM, "num");
}

static char trail[64];

static aclError on_init(const char *config, size_t size, void *user)
{
	CHECK(!config && !size);
	strcat(trail, user);
	return ACL_SUCCESS;
}

static aclError on_init_with_config(const char *config, size_t size, void *user)
{
	CHECK_EQ(size, strlen(user));
	CHECK(!memcmp(config, user, size));
	strcat(trail, "c");
	return ACL_SUCCESS;
}

static aclError on_finalize(void *user)
{
	strcat(trail, user);
	return ACL_SUCCESS;
}

static aclError last_on_finalize(void *user)
{
	size_t free_bytes, total;

	/* the device can still be used */
	ACL(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
	return on_finalize(user);
}

static aclError refuse(const char *config, size_t size, void *user)
{
	(void)config;
	(void)size;
	(void)user;
	return ACL_ERROR_STORAGE_OVER_LIMIT;
}

static void hooks_run_in_order(void)
{
	ACL(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init, "a"));
	ACL(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, "x"));
	ACL(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, "b"));
	ACL(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_finalize, "y"));
	ACL(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, last_on_finalize, "z"));
	ACL(aclInit(NULL));
	CHECK(!strcmp(trail, "ab"));
	FAILS(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
	CHECK(!strcmp(trail, "ab"));
	ACL(aclrtSetDevice(0));
	ACL(aclFinalizeReference(NULL));
	CHECK(!strcmp(trail, "ab"));
	ACL(aclFinalize());
	CHECK(!strcmp(trail, "abzy"));
	ACL(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, on_init));
	ACL(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, last_on_finalize));
	ACL(aclInit(NULL));
	ACL(aclFinalize());
	CHECK(!strcmp(trail, "abzyby"));
}

static void hooks_get_the_configuration(void)
{
	char name[] = "/tmp/anpu-hooks-XXXXXX", text[] = "{ \"dump\": {} }";
	int fd = mkstemp(name);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	ACL(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init_with_config, text));
	ACL(aclInit(name));
	unlink(name);
	CHECK(!strcmp(trail, "c"));
}

static void a_hook_that_fails_undoes_init(void)
{
	ACL(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, refuse, NULL));
	ACL(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_finalize, "f"));
	FAILS(aclInit(NULL), ACL_ERROR_STORAGE_OVER_LIMIT, "callback of type 65535");
	CHECK(!strcmp(trail, "f"));
	FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
	ACL(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, refuse));
	ACL(aclInit(NULL));
}

static aclError refuse_the_end(void *user)
{
	strcat(trail, "!");
	return *(aclError *)user;
}

/* All run; the first that fails, of those that run, decides, and the library has ended nevertheless. */
static void hooks_that_fail_at_the_end(void)
{
	static aclError few = ACL_ERROR_STORAGE_OVER_LIMIT, other = ACL_ERROR_FAILURE;

	ACL(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_finalize, "a"));
	ACL(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, refuse_the_end, &other));
	ACL(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, refuse_the_end, &few));
	ACL(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, on_finalize, "b"));
	ACL(aclInit(NULL));
	FAILS(aclFinalize(), ACL_ERROR_STORAGE_OVER_LIMIT, "finalize callback of type 65535", "300000");
	CHECK(!strcmp(trail, "b!!a"));
	FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
	CHECK(!strcmp(trail, "b!!a"));
}

static void hooks_are_checked(void)
{
	FAILS(aclInitCallbackRegister((aclRegisterCallbackType)8, on_init, NULL),
	      ACL_ERROR_INVALID_PARAM, "8");
	FAILS(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL), ACL_ERROR_INVALID_PARAM,
	      "cbFunc");
	FAILS(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL), ACL_ERROR_INVALID_PARAM,
	      "cbFunc");
	FAILS(aclFinalizeCallbackRegister((aclRegisterCallbackType)-1, on_finalize, NULL),
	      ACL_ERROR_INVALID_PARAM, "-1");
	FAILS(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init), ACL_ERROR_INVALID_PARAM,
	      "not registered");
	FAILS(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize),
	      ACL_ERROR_INVALID_PARAM, "not registered");
	FAILS(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclFinalizeCallbackUnRegister((aclRegisterCallbackType)9, on_finalize),
	      ACL_ERROR_INVALID_PARAM, "9");
}

static int32_t ask(aclError (*fn)(int32_t, int32_t *), int32_t id)
{
	int32_t out = -1;

	ACL(fn(id, &out));
	return out;
}

static void numbers_are_the_machines(void)
{
	int32_t out;

	unsetenv("ASCEND_RT_VISIBLE_DEVICES");
	CHECK_EQ(ask(aclrtGetLogicDevIdByUserDevId, 0), 0);
	CHECK_EQ(ask(aclrtGetUserDevIdByLogicDevId, 0), 0);
	CHECK_EQ(ask(aclrtGetPhyDevIdByLogicDevId, 0), 0);
	CHECK_EQ(ask(aclrtGetLogicDevIdByPhyDevId, 0), 0);
	CHECK_EQ(ask(aclrtGetPhyDevIdByUserDevId, 0), 0);
	CHECK_EQ(ask(aclrtGetUserDevIdByPhyDevId, 0), 0);
	FAILS(aclrtGetLogicDevIdByUserDevId(55, &out), ACL_ERROR_RT_INVALID_DEVICEID, "55");
	FAILS(aclrtGetUserDevIdByPhyDevId(-1, &out), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
	FAILS(aclrtGetPhyDevIdByUserDevId(0, NULL), ACL_ERROR_INVALID_PARAM, "phyDevId");
}

static void no_device_is_visible(void)
{
	uint32_t n = 99;
	int32_t out;

	setenv("ASCEND_RT_VISIBLE_DEVICES", "", 1);
	ACL(aclrtGetDeviceCount(&n));
	CHECK_EQ(n, 0);
	FAILS(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "ASCEND_RT_VISIBLE_DEVICES");
	FAILS(aclrtGetUserDevIdByLogicDevId(0, &out), ACL_ERROR_RT_INVALID_DEVICEID, "hidden");
	FAILS(aclrtGetLogicDevIdByUserDevId(0, &out), ACL_ERROR_RT_INVALID_DEVICEID,
	      "ASCEND_RT_VISIBLE_DEVICES");
}

static void the_list_ends_at_what_is_no_device(void)
{
	uint32_t n = 99;

	setenv("ASCEND_RT_VISIBLE_DEVICES", "0,99,0", 1);
	ACL(aclrtGetDeviceCount(&n));
	CHECK_EQ(n, 1);
	start();
	ACL(aclrtFree(dev_alloc(100)));
	FAILS(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID, "1");
}

static uint32_t seen;

static void count_twice(void)
{
	ACL(aclrtGetDeviceCount(&seen));
	ACL(aclrtGetDeviceCount(&seen));
}

/* Each test is a process of its own, in which the variable is read once */
static void expect_visible(const char *value, uint32_t count, const char *fact, const char *devices)
{
	const char *text, *first;

	setenv("ASCEND_RT_VISIBLE_DEVICES", value, 1);
	text = stderr_of(count_twice);
	CHECK_EQ(seen, count);
	if (!fact) {
		CHECK(!*text);
		return;
	}
	check_facts(text, "ASCEND_RT_VISIBLE_DEVICES", value, fact, devices, NULL);
	first = find_text(text, "ASCEND_RT");
	CHECK(!find_text(first + 1, "ASCEND_RT")); /* once */
}

static void spaces_in_the_list_are_fine(void)
{
	expect_visible(" 0 ", 1, NULL, NULL);
}

static void so_are_tabs(void)
{
	expect_visible("\t0\t", 1, NULL, NULL);
}

static void a_missing_device_in_the_list_is_told(void)
{
	expect_visible("2", 0, "'2' in it is no device of this machine", "sees: none");
	FAILS(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "ASCEND_RT_VISIBLE_DEVICES");
}

static void no_number_in_the_list_is_told(void)
{
	expect_visible("0,x", 1, "'x' in it is no number", "sees: 0");
}

static void a_negative_number_in_the_list_is_told(void)
{
	expect_visible("-1", 0, "'-1' in it is no number", "sees: none");
}

static void a_device_twice_in_the_list_is_told(void)
{
	expect_visible("0,0", 1, "twice", "sees: 0");
}

static void launch_nothing(void)
{
	LAUNCH(op("nothing"), 1, NULL, 0);
	LAUNCH(op("nothing"), 1, NULL, 0);
	ACL(aclrtSynchronizeStream(NULL));
}

static struct {
	const char *value;
	bool told;
} blocking;

static void launches_with_a_value(void)
{
	const char *text, *told;

	setenv("ASCEND_LAUNCH_BLOCKING", blocking.value, 1);
	start();
	text = stderr_of(launch_nothing);
	told = find_text(text, "ASCEND_LAUNCH_BLOCKING is 'yes' and must be 1");
	CHECK_EQ(!!told, blocking.told);
	CHECK(!told || !find_text(told + 1, "ASCEND_LAUNCH_BLOCKING is")); /* once */
}

/* Whatever the form of a launch, the failure of its kernel is the call's */
static void launches_that_block_fail_at_once(void)
{
	struct { void *p; } args = { (void *)8 };
	void *on_device;

	setenv("ASCEND_LAUNCH_BLOCKING", "1", 1);
	start();
	on_device = dev_alloc(64);
	ACL(aclrtMemcpy(on_device, 64, &args, sizeof(args), ACL_MEMCPY_HOST_TO_DEVICE));
	FAILS(aclrtLaunchKernel(op("write_at"), 1, on_device, sizeof(args), NULL), ACL_ERROR_RT_AICORE_EXCEPTION,
	      "write_at");
	FAILS(aclrtLaunchKernelWithHostArgs(op("write_at"), 1, NULL, NULL, &args, sizeof(args), NULL, 0),
	      ACL_ERROR_RT_AICORE_EXCEPTION, "write_at");
}

static void launches_that_block_are_asked_for_by_one(void)
{
	static const char *const values[] = { "1", "0", "", "yes" };

	for (size_t i = 0; i < 4; i++) {
		blocking.value = values[i];
		blocking.told = i == 3;
		expect_success(child(launches_with_a_value));
	}
}

TAP_MAIN(TEST(launches_that_block_are_asked_for_by_one), TEST(launches_that_block_fail_at_once), TEST(versions), TEST(wrong_versions_are_refused), TEST(refused_calls_print_nothing),
	 TEST(log_goes_where_it_is_sent), TEST(log_goes_into_a_file_for_each_process),
	 TEST(log_has_errors_by_default),
	 TEST(log_lines_tell_when_and_who), TEST(log_has_what_the_level_says),
	 TEST(log_can_be_off),
	 TEST(log_cuts_long_lines_and_says_so),
	 TEST(options_of_the_process),
	 TEST(options_of_a_context),
	 TEST(cann_attributes),
	 TEST(hooks_run_in_order),
	 TEST(hooks_get_the_configuration),
	 TEST(a_hook_that_fails_undoes_init),
	 TEST(hooks_are_checked), TEST(hooks_that_fail_at_the_end),
	 TEST(numbers_are_the_machines),
	 TEST(no_device_is_visible),
	 TEST(the_list_ends_at_what_is_no_device),
	 TEST(spaces_in_the_list_are_fine), TEST(so_are_tabs), TEST(a_missing_device_in_the_list_is_told),
	 TEST(no_number_in_the_list_is_told), TEST(a_negative_number_in_the_list_is_told),
	 TEST(a_device_twice_in_the_list_is_told))
