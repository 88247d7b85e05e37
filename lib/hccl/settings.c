// SPDX-License-Identifier: MIT
/*
 * Settings of a communicator: the environment's, and those of HcclCommConfig, which count more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hccl_inside.h"

#define MIB	       (1ULL << 20)
/* Less than HCCL_COMM_DEFAULT_BUFFSIZE: chunks of 2 MiB are all that is used, and devices here are small */
#define BUFFER_DEFAULT (16 * MIB)
#define BUFFER_MAX     (64ULL << 10) /* MiB */
#define SECONDS	       1836

void hccl_settings_default(struct hccl_settings *s)
{
	memset(s, 0, sizeof(*s));
	s->buffer = BUFFER_DEFAULT;
	s->seconds = SECONDS;
}

HcclResult hccl_env_number(const char *name, long least, long most, long *out)
{
	const char *text = getenv(name);
	char *end;
	long n;

	if (!text || !*text)
		return HCCL_SUCCESS;
	errno = 0;
	n = strtol(text, &end, 10);
	if (*end || errno || n < least || n > most)
		return hccl_fail(HCCL_E_PARA, "%s is '%.40s' in the environment and must be a number from %ld to %ld", name,
				 text, least, most);
	*out = n;
	return HCCL_SUCCESS;
}

/* 0 to 2, as in HcclCommConfig */
static HcclResult read_deterministic(int *out)
{
	static const char *const words[] = { "false", "true", "strict" };
	const char *text = getenv("HCCL_DETERMINISTIC");

	for (int i = 0; text && i < (int)ARRAY_SIZE(words); i++) {
		if (!strcasecmp(text, words[i])) {
			*out = i;
			return HCCL_SUCCESS;
		}
	}
	if (!text || !*text)
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_PARA, "HCCL_DETERMINISTIC is '%.40s' in the environment and must be false, true or strict", text);
}

static HcclResult read_algo(struct hccl_settings *s, const char *text)
{
	HcclResult ret = hccl_algo_read(text, s->algo);

	if (!ret)
		snprintf(s->algo_text, sizeof(s->algo_text), "%s", text);
	return ret;
}

static HcclResult read_environment(struct hccl_settings *s)
{
	const char *algo = getenv("HCCL_ALGO"), *check = getenv("ANPU_CHECK");
	long mib = (long)(s->buffer / MIB), seconds = (long)s->seconds, unused;
	HcclResult ret = hccl_env_number("HCCL_BUFFSIZE", 1, BUFFER_MAX, &mib);
	int level;

	if (!ret)
		ret = hccl_env_number("HCCL_EXEC_TIMEOUT", 0, 2147483647, &seconds);
	/* who needs it reads it again, where nobody could be told that it is wrong */
	if (!ret)
		ret = hccl_env_number("HCCL_CONNECT_TIMEOUT", 1, HCCL_CONNECT_MAX, &unused);
	if (!ret)
		ret = read_deterministic(&level);
	if (!ret && algo)
		ret = read_algo(s, algo);
	s->buffer = (uint64_t)mib * MIB;
	s->seconds = seconds;
	s->check = check && !strcmp(check, "1");
	return ret;
}

/* As much of it as the program's version has; the rest is not set */
static HcclResult copy_config(HcclCommConfig *out, const HcclCommConfig *config)
{
	struct {
		size_t size;
		uint32_t magic, version;
	} head;

	memcpy(&head, config->reserved, sizeof(head));
	if (head.magic != HCCL_COMM_CONFIG_MAGIC_WORD)
		return hccl_fail(HCCL_E_PARA, "config was not initialised: call HcclCommConfigInit() before its fields are "
				 "set");
	if (head.size < HCCL_COMM_CONFIG_INFO_BYTES + 2 * sizeof(uint32_t) || head.size > 1 << 16)
		return hccl_fail(HCCL_E_PARA, "config says that it has %zu bytes, which no version has", head.size);
	HcclCommConfigInit(out);
	memcpy(out, config, head.size < sizeof(*out) ? head.size : sizeof(*out));
	return HCCL_SUCCESS;
}

static HcclResult read_name(struct hccl_settings *s, const HcclCommConfig *config)
{
	if (!memchr(config->hcclCommName, 0, sizeof(config->hcclCommName)))
		return hccl_fail(HCCL_E_PARA, "hcclCommName has more than %d bytes", COMM_NAME_MAX_LENGTH - 1);
	memcpy(s->name, config->hcclCommName, sizeof(s->name));
	return HCCL_SUCCESS;
}

static HcclResult read_config(struct hccl_settings *s, const HcclCommConfig *config)
{
	uint32_t mib = config->hcclBufferSize;

	if (mib != HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET) {
		if (mib < 1 || mib > BUFFER_MAX)
			return hccl_fail(HCCL_E_PARA, "hcclBufferSize is %u and must be 1 to %llu MiB", mib, BUFFER_MAX);
		s->buffer = mib * MIB;
	}
	if (config->hcclDeterministic != HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET && config->hcclDeterministic > 2)
		return hccl_fail(HCCL_E_PARA, "hcclDeterministic is %u and must be 0, 1 or 2", config->hcclDeterministic);
	if (config->hcclExecTimeOut != HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET) {
		if (config->hcclExecTimeOut < 0)
			return hccl_fail(HCCL_E_PARA, "hcclExecTimeOut is %d seconds and must not be negative",
					 config->hcclExecTimeOut);
		s->seconds = config->hcclExecTimeOut;
	}
	if (!memchr(config->hcclAlgo, 0, sizeof(config->hcclAlgo)))
		return hccl_fail(HCCL_E_PARA, "hcclAlgo has no end");
	return config->hcclAlgo[0] ? read_algo(s, config->hcclAlgo) : HCCL_SUCCESS;
}

HcclResult hccl_settings_read(struct hccl_settings *s, const HcclCommConfig *config)
{
	HcclCommConfig full;
	HcclResult ret;

	hccl_settings_default(s);
	ret = read_environment(s);
	if (ret || !config)
		return ret;
	ret = copy_config(&full, config);
	if (!ret)
		ret = read_name(s, &full);
	return ret ? ret : read_config(s, &full);
}

/* Of the process ------------------------------------------------------------------------------- */

/* -1: HcclSetConfig() was not called, and the environment counts */
static atomic_int deterministic = -1;

uint32_t HcclGetCommConfigCapability(void)
{
	return HCCL_COMM_CONFIG_RESERVED;
}

HcclResult HcclSetConfig(HcclConfig config, union HcclConfigValue configValue)
{
	HCCL_ENTER();
	if (config != HCCL_DETERMINISTIC)
		return hccl_fail(HCCL_E_PARA, "config is %d and only HCCL_DETERMINISTIC (0) exists", (int)config);
	if (configValue.value < 0 || configValue.value > 2)
		return hccl_fail(HCCL_E_PARA, "configValue is %d and must be 0, 1 or 2", configValue.value);
	atomic_store(&deterministic, configValue.value);
	return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, union HcclConfigValue *configValue)
{
	HcclResult ret = HCCL_SUCCESS;
	int value;

	HCCL_ENTER();
	if (!configValue)
		return hccl_fail(HCCL_E_PTR, "configValue is NULL");
	if (config != HCCL_DETERMINISTIC)
		return hccl_fail(HCCL_E_PARA, "config is %d and only HCCL_DETERMINISTIC (0) exists", (int)config);
	value = atomic_load(&deterministic);
	if (value < 0) {
		value = 0;
		ret = read_deterministic(&value);
	}
	if (!ret)
		configValue->value = value;
	return ret;
}

/* Of a communicator ---------------------------------------------------------------------------- */

static HcclResult tell(const struct hccl_comm *c, HcclConfigType type, uint32_t size, void *info)
{
	HcclConfigTypeOpExpansionMode mode = HCCL_OP_EXPANSION_MODE_HOST_TS;

	switch (type) {
	case HCCL_CONFIG_TYPE_OP_EXPANSION_MODE:
		if (size != sizeof(mode))
			return hccl_fail(HCCL_E_PARA, "infoLen is %u and an HcclConfigTypeOpExpansionMode has %zu bytes", size,
					 sizeof(mode));
		memcpy(info, &mode, sizeof(mode));
		return HCCL_SUCCESS;
	case HCCL_CONFIG_TYPE_HCCL_ALGO:
		if (size < sizeof(c->set.algo_text))
			return hccl_fail(HCCL_E_PARA, "infoLen is %u and must be HCCL_COMM_ALGO_MAX_LENGTH (%d) or more", size,
					 HCCL_COMM_ALGO_MAX_LENGTH);
		memcpy(info, c->set.algo_text, sizeof(c->set.algo_text));
		return HCCL_SUCCESS;
	case HCCL_CONFIG_TYPE_UB_MULTI_CHANNEL_NUM:
		return hccl_fail(HCCL_E_NOT_SUPPORT, "there is no network with several channels");
	default:
		return hccl_fail(HCCL_E_PARA, "cfgType is %d and must be HCCL_CONFIG_TYPE_OP_EXPANSION_MODE (0) or "
				 "HCCL_CONFIG_TYPE_HCCL_ALGO (1)", (int)type);
	}
}

HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void *info)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c;

	HCCL_ENTER();
	if (!info)
		return hccl_fail(HCCL_E_PTR, "info is NULL");
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	ret = tell(c, cfgType, infoLen, info);
	hccl_comm_put(c);
	return ret;
}
