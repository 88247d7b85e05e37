// SPDX-License-Identifier: MIT
/*
 * Options that operator libraries ask for: of the process, of a context. And what the chip can do.
 *
 * The runtime itself computes the same with any of them: what the device does with one stream's
 * tasks is always in order and deterministic as far as the operator is.
 */
#include "device/device.h"

static struct anpu_options process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static aclError check(aclSysParamOpt opt)
{
	if ((int)opt >= 0 && (int)opt < ANPU_OPTIONS)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM, "opt is %d and must be 0 to %d", (int)opt,
			ANPU_OPTIONS - 1);
}

static aclError set(struct anpu_options *options, aclSysParamOpt opt, int64_t value)
{
	if (value != 0 && value != 1)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "value is %lld and must be 0 or 1",
				(long long)value);
	pthread_mutex_lock(&lock);
	options->set |= 1U << opt;
	options->value[opt] = value;
	pthread_mutex_unlock(&lock);
	return ACL_SUCCESS;
}

static aclError get(const struct anpu_options *options, aclSysParamOpt opt, int64_t *value,
		    const char *setter)
{
	bool known;

	pthread_mutex_lock(&lock);
	known = options->set >> opt & 1;
	if (known)
		*value = options->value[opt];
	pthread_mutex_unlock(&lock);
	if (known)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "option %d was never set: call %s() first",
			(int)opt, setter);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ret = check(opt);
	return ret ? ret : set(&process, opt, value);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = check(opt);
	return ret ? ret : get(&process, opt, value, "aclrtSetSysParamOpt");
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = check(opt);
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = set(&ctx->options, opt, value);
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = check(opt);
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = get(&ctx->options, opt, value, "aclrtCtxSetSysParamOpt");
	anpu_context_put(ctx);
	return ret;
}

/* Features of every ANPU; not ACL_CANN_ATTR_JIT_COMPILE, because operators are compiled ahead */
static const aclCannAttr attributes[] = { ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16 };

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(cannAttrList);
	ACL_CHECK_PTR(num);
	*cannAttrList = attributes;
	*num = ARRAY_SIZE(attributes);
	return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
	size_t i;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	if ((int)cannAttr < 0 || cannAttr > ACL_CANN_ATTR_JIT_COMPILE)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cannAttr is %d and must be 0 to %d",
				(int)cannAttr, (int)ACL_CANN_ATTR_JIT_COMPILE);
	*value = 0;
	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i] == cannAttr)
			*value = 1;
	return ACL_SUCCESS;
}
