// SPDX-License-Identifier: MIT
/*
 * Hooks of other libraries at aclInit() and aclFinalize().
 */
#include <stdlib.h>

#include "core/core.h"

enum hook_when { AT_INIT, AT_FINALIZE };

struct hook {
	struct hook *next;
	aclRegisterCallbackType type;
	aclInitCallbackFunc init;
	aclFinalizeCallbackFunc finalize;
	void *user;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hook *hooks[2];

static aclError check(aclRegisterCallbackType type)
{
	if (((int)type >= 0 && type <= ACL_REG_TYPE_ACL_RETR) || type == ACL_REG_TYPE_OTHER)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM, "type is %d and must be 0 to %d or %d", (int)type,
			(int)ACL_REG_TYPE_ACL_RETR, (int)ACL_REG_TYPE_OTHER);
}

static bool same(const struct hook *a, const struct hook *b)
{
	return a->type == b->type && a->init == b->init && a->finalize == b->finalize;
}

/* Adds a hook at the end; one that is there already gets the new user data */
static aclError add(enum hook_when when, const struct hook *hook)
{
	struct hook **at, *copy;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&lock);
	for (at = &hooks[when]; *at && !same(*at, hook); at = &(*at)->next)
		;
	if (*at) {
		(*at)->user = hook->user;
	} else {
		copy = malloc(sizeof(*copy));
		if (copy)
			*copy = *hook;
		else
			ret = acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
		*at = copy;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

static aclError drop(enum hook_when when, const struct hook *hook)
{
	struct hook **at, *found;

	pthread_mutex_lock(&lock);
	for (at = &hooks[when]; *at && !same(*at, hook); at = &(*at)->next)
		;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	free(found);
	if (found)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"this function is not registered for callbacks of type %d",
			(int)hook->type);
}

/* A copy of the hooks as they are now, to be freed: they run without the lock. NULL: none */
static struct hook *copy_hooks(enum hook_when when, size_t *count)
{
	struct hook *copy = NULL, *h;
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (h = hooks[when]; h; h = h->next)
		n++;
	if (n)
		copy = calloc(n, sizeof(*copy));
	*count = copy ? n : 0;
	for (h = hooks[when], n = 0; copy && h; h = h->next)
		copy[n++] = *h;
	pthread_mutex_unlock(&lock);
	return copy;
}

static aclError failed(const char *what, const struct hook *hook, aclError ret)
{
	return acl_fail(ret, "the %s callback of type %d that a library has registered failed with %d",
			what, (int)hook->type, ret);
}

aclError anpu_hooks_init(const char *config, size_t size)
{
	aclError ret = ACL_SUCCESS;
	struct hook *copy;
	size_t n, i;

	copy = copy_hooks(AT_INIT, &n);
	for (i = 0; i < n && !ret; i++) {
		ret = copy[i].init(config, size, copy[i].user);
		if (ret)
			failed("init", &copy[i], ret);
	}
	free(copy);
	return ret;
}

aclError anpu_hooks_finalize(void)
{
	aclError ret = ACL_SUCCESS, one;
	struct hook *copy;
	size_t n;

	copy = copy_hooks(AT_FINALIZE, &n);
	while (n--) {
		one = copy[n].finalize(copy[n].user);
		if (one && !ret)
			ret = failed("finalize", &copy[n], one);
	}
	free(copy);
	return ret;
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
				 void *userData)
{
	struct hook hook = { .type = type, .init = cbFunc, .user = userData };
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(cbFunc);
	ret = check(type);
	return ret ? ret : add(AT_INIT, &hook);
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc)
{
	struct hook hook = { .type = type, .init = cbFunc };
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(cbFunc);
	ret = check(type);
	return ret ? ret : drop(AT_INIT, &hook);
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
				     void *userData)
{
	struct hook hook = { .type = type, .finalize = cbFunc, .user = userData };
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(cbFunc);
	ret = check(type);
	return ret ? ret : add(AT_FINALIZE, &hook);
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
				       aclFinalizeCallbackFunc cbFunc)
{
	struct hook hook = { .type = type, .finalize = cbFunc };
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(cbFunc);
	ret = check(type);
	return ret ? ret : drop(AT_FINALIZE, &hook);
}
