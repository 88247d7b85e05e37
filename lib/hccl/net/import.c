// SPDX-License-Identifier: MIT
/* Memory of other processes that this one has imported by key, once for each device, however many ranks use it. */
#include <stdlib.h>
#include <string.h>

#include "core/front.h"
#include "hccl_inside.h"

struct import {
	struct import *next;
	char key[sizeof(((struct hccl_window_card *)NULL)->key)];
	int32_t device;
	unsigned int users;
	void *at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct import *imports;

/* Lock held */
static struct import **find(const char *key, int32_t device)
{
	struct import **p = &imports;

	while (*p && ((*p)->device != device || strcmp((*p)->key, key)))
		p = &(*p)->next;
	return p;
}

/* Lock held; the thread has the device */
static HcclResult add(const char *key, int32_t device, struct import **out)
{
	struct import *i = calloc(1, sizeof(*i));
	aclError err;

	if (!i)
		return hccl_fail(HCCL_E_MEMORY, "no memory to keep another rank's window");
	memcpy(i->key, key, sizeof(i->key));
	i->device = device;
	err = aclrtIpcMemImportByKey(&i->at, key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	if (err) {
		free(i);
		return hccl_fail_acl(err, "aclrtIpcMemImportByKey() of another rank's window");
	}
	i->next = imports;
	imports = i;
	*out = i;
	return HCCL_SUCCESS;
}

HcclResult hccl_import(const char *key, int32_t device, void **at)
{
	HcclResult ret = HCCL_SUCCESS;
	struct import *i;

	pthread_mutex_lock(&lock);
	i = *find(key, device);
	if (!i)
		ret = add(key, device, &i);
	if (!ret) {
		i->users++;
		*at = i->at;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

void hccl_close_key(const struct hccl_comm *c, const char *key)
{
	uint64_t before = anpu_front_context();

	/* without its context the device was reset, and what was imported is gone */
	if (!aclrtSetCurrentContext(c->context))
		(void)aclrtIpcMemClose(key);
	anpu_front_set_context(before);
}

void hccl_import_end(const struct hccl_comm *c, const char *key)
{
	struct import **p, *i;

	pthread_mutex_lock(&lock);
	p = find(key, c->device);
	i = *p;
	if (i && !--i->users) {
		*p = i->next;
		hccl_close_key(c, i->key);
		free(i);
	}
	pthread_mutex_unlock(&lock);
}
