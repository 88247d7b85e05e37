// SPDX-License-Identifier: MIT
/* aclInit, aclFinalize, aclrtGetRunMode, aclrtGetSocName. */
#include "../acltest.h"

static void init_and_finalize(void)
{
	ACL(aclInit(NULL));
	ACL(aclFinalize());
}

static void init_again_is_100002_and_finalize_ends_all(void)
{
	ACL(aclInit(NULL));
	FAILS(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "aclInit");
	FAILS(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
	ACL(aclFinalize());
	FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize");
}

static void finalize_without_init_is_100037(void)
{
	FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclInit");
}

static void init_finalize_init_finalize(void)
{
	for (int i = 0; i < 3; i++) {
		void *p;

		start();
		p = dev_alloc(4096);
		put_pattern(p, 4096, 1);
		CHECK_DEVICE(p, 4096, 1);
		ACL(aclFinalize());
	}
}

static void finalize_resets_the_device(void)
{
	void *p;

	start();
	ACL(aclFinalize());
	ACL(aclInit(NULL));
	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL,
	      "aclrtSetDevice");
	ACL(aclFinalize());
}

static void finalize_waits_for_running_work(void)
{
	uint64_t *word;

	start();
	word = pinned_alloc(8);
	*word = 0;
	LAUNCH(op("spin_then_store"), 1, NULL, 200000, U64(word), 77);
	ACL(aclFinalize());
	/* Work of the default context was waited for, so nothing can fault later */
	start();
	ACL(aclrtSynchronizeDevice());
}

static void config_of_empty_object(void)
{
	ACL(aclInit(config_file("{}")));
	ACL(aclFinalize());
	ACL(aclInit(config_file(" \n{ \"dump\": { \"dump_list\": [] } }\n")));
	ACL(aclFinalize());
}

static void config_of_no_name_is_none(void)
{
	ACL(aclInit(""));
	ACL(aclrtSetDevice(0));
	ACL(aclFinalize());
}

static void config_missing_is_100003(void)
{
	FAILS(aclInit("/nonexistent/acl.json"), ACL_ERROR_INVALID_FILE, "/nonexistent/acl.json",
	      "No such file");
}

static void config_not_json_is_100006(void)
{
	static const char *const bad[] = { "", "hello", "{", "{\"a\": }", "{\"a\": 1,}", "{} x",
					   "{\"a\" 1}", "[1", "{\"a\": \"\\", "{\"a\": tru}" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		tap_note("%s", bad[i]);
		FAILS(aclInit(config_file(bad[i])), ACL_ERROR_PARSE_FILE, "/proc/self/fd/");
	}
}

static void config_may_nest_10_deep(void)
{
	ACL(aclInit(config_file("{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":{\"i\":{}"
			   "}}}}}}}}}")));
	ACL(aclFinalize());
	FAILS(aclInit(config_file("{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":{\"g\":{\"h\":{\"i\":{"
			     "\"j\":{}}}}}}}}}}}")),
	      ACL_ERROR_PARSE_FILE, "10");
}

static void failed_init_counts_nothing(void)
{
	FAILS(aclInit("/nonexistent"), ACL_ERROR_INVALID_FILE);
	FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
	ACL(aclInit(NULL));
}

static void config_default_device_works_without_set(void)
{
	int32_t id = -1;
	void *p = NULL;

	ACL(aclInit(config_file("{\"defaultDevice\": {\"default_device\": \"0\"}}")));
	ACL(aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	put_pattern(p, 4096, 3);
	CHECK_DEVICE(p, 4096, 3);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtGetDevice(&id));
	CHECK_EQ(id, 0);
	ACL(aclrtFree(p));
}

/* The same words elsewhere in the file are for somebody else */
static void config_of_others_sets_no_device(void)
{
	static const char *const texts[] = {
		"{\"other\": {\"default_device\": \"0\"}}",
		"{\"defaultDevice\": {\"other\": \"0\"}}",
		"{\"default_device\": \"0\"}",
		"{\"defaultDevice\": {\"deeper\": {\"default_device\": \"0\"}}}",
		"{\"other\": {\"err_msg_mode\": \"7\"}}",
	};
	int32_t id;
	void *p;

	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ACL(aclInit(config_file(texts[i])));
		FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
		FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
		ACL(aclFinalize());
	}
}

static void calls_without_init_are_served(void)
{
	void *p;

	ACL(aclrtSetDevice(0));
	p = dev_alloc(64);
	ACL(aclrtFree(p));
	ACL(aclrtResetDevice(0));
}

static void exit_without_finalize_is_harmless(void)
{
	size_t before;

	for (int i = 0; i < 4; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			start();
			dev_alloc(8 << 20);
			new_stream();
			exit(0);	/* not _exit(): destructors run too */
		}
		waitpid(pid, &status, 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	start();
	before = free_hbm();
	CHECK(before > 0);
}

static void run_mode_is_host(void)
{
	aclrtRunMode mode = ACL_DEVICE;

	ACL(aclrtGetRunMode(&mode));
	CHECK_EQ(mode, ACL_HOST);
	FAILS(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM, "runMode");
}

static void soc_name_is_a_stable_string(void)
{
	const char *before = aclrtGetSocName(), *after;

	CHECK(before && *before);
	start();
	after = aclrtGetSocName();
	CHECK(after && !strcmp(before, after));
	ACL(aclFinalize());
	/* Lives as long as the process */
	CHECK(!strcmp(before, aclrtGetSocName()));
}

TAP_MAIN(TEST(init_and_finalize),
	 TEST(init_again_is_100002_and_finalize_ends_all),
	 TEST(finalize_without_init_is_100037),
	 TEST(init_finalize_init_finalize),
	 TEST(finalize_resets_the_device),
	 TEST(finalize_waits_for_running_work),
	 TEST(config_of_empty_object),
	 TEST(config_of_no_name_is_none),
	 TEST(config_missing_is_100003),
	 TEST(config_not_json_is_100006),
	 TEST(config_may_nest_10_deep),
	 TEST(failed_init_counts_nothing),
	 TEST(config_default_device_works_without_set),
	 TEST(config_of_others_sets_no_device),
	 TEST(calls_without_init_are_served),
	 TEST(exit_without_finalize_is_harmless),
	 TEST(run_mode_is_host),
	 TEST(soc_name_is_a_stable_string))
