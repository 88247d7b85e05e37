/* SPDX-License-Identifier: MIT */
/*
 * Objects of aclnn/acl_meta.h. Each begins with a head that says what it is. A tree of all that live lets a
 * function refuse what is none, or none any more, without reading memory that is not its own.
 */
#ifndef ANPU_KIT_OBJECTS_H
#define ANPU_KIT_OBJECTS_H

#include <stdint.h>

#include <aclnn/acl_meta.h>

enum kit_kind {
	KIT_TENSOR,
	KIT_SCALAR,
	KIT_INT_ARRAY,
	KIT_FLOAT_ARRAY,
	KIT_BOOL_ARRAY,
	KIT_TENSOR_LIST,
	KIT_SCALAR_LIST
};

struct kit_object {
	enum kit_kind kind;
	struct kit_object *owner; /* the list that an object belongs to */
};

/* Makes an object of @size bytes, all 0 behind the head, for @api; NULL without memory, which is recorded */
void *kit_new(const char *api, enum kit_kind kind, size_t size);
/*
 * The object at that address if it lives and is of that kind; otherwise NULL, and @code (if it is not NULL) is
 * the failure of @api, which names the argument @name
 */
void *kit_find(const char *api, enum kit_kind kind, const void *object, const char *name, int *code);
/* Forgets an object; its memory is the caller's then. False if another thread was faster. */
bool kit_take(struct kit_object *object);
/* What messages call that kind */
const char *kit_kind_name(enum kit_kind kind);

#endif
