// SPDX-License-Identifier: MIT
/*
 * Configurations, which are lists of dicts in Python: [{"id": attribute, "value": number}, ...].
 */
#include <string.h>

#include "made.h"

/* One attribute or option, whose value fits a number */
struct pair {
	int32_t id;
	uint64_t value;
	bool has_id;
	bool has_value;
};

static bool fill_pair(struct pair *p, const char *key, const char *id, PyObject *o,
		      const struct acl_py_site *site)
{
	if (!strcmp(key, id)) {
		p->has_id = true;
		return acl_py_i32(o, &p->id, site, id);
	}
	if (!strcmp(key, "value")) {
		p->has_value = true;
		return acl_py_u64(o, &p->value, site, "value");
	}
	PyErr_Format(PyExc_ValueError, "%s(): no key '%s': there are %s, value", site->function, key, id);
	return false;
}

static bool fill_id(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	return fill_pair(to, key, "id", o, site);
}

static bool fill_type(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	return fill_pair(to, key, "type", o, site);
}

static bool fill_attr(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	return fill_pair(to, key, "attr", o, site);
}

/* Pairs of a list of dicts, each with both keys; none for None. To be given back with PyMem_Free() */
static bool take_pairs(PyObject *o, struct acl_py_array *pairs, acl_py_fill fill, const char *id,
		       const struct acl_py_site *site, const char *name)
{
	struct pair *p;
	size_t i;

	if (Py_IsNone(o))
		return true;
	if (!acl_py_dicts(o, pairs, sizeof(*p), fill, site, name))
		return false;
	for (i = 0; i < pairs->count; i++) {
		p = (struct pair *)pairs->items + i;
		if (p->has_id && p->has_value)
			continue;
		PyErr_Format(PyExc_ValueError, "%s(): %s[%zu] has no key '%s'", site->function, name, i,
			     p->has_id ? "value" : id);
		return false;
	}
	return true;
}

/* false with an exception: the value does not fit the field of the attribute */
static bool too_large(const struct pair *p, const struct acl_py_site *site, const char *name, size_t i)
{
	PyErr_Format(PyExc_OverflowError, "%s(): value of %s[%zu] is %llu and does not fit attribute %d",
		     site->function, name, i, (unsigned long long)p->value, (int)p->id);
	return false;
}

bool acl_py_set_attribute(aclrtLaunchKernelAttr *attr, uint64_t value)
{
	uint64_t most = UINT32_MAX;

	switch ((int)attr->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		attr->value.schemMode = (uint8_t)value;
		most = UINT8_MAX;
		break;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
		attr->value.timeout = (uint16_t)value;
		most = UINT16_MAX;
		break;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
		attr->value.timeoutUs.timeoutLow = (uint32_t)value;
		attr->value.timeoutUs.timeoutHigh = (uint32_t)(value >> 32);
		most = UINT64_MAX;
		break;
	default:
		attr->value.localMemorySize = (uint32_t)value;
	}
	return value <= most;
}

uint64_t acl_py_get_attribute(const aclrtLaunchKernelAttr *attr)
{
	switch ((int)attr->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		return attr->value.schemMode;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
		return attr->value.timeout;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
		return attr->value.timeoutUs.timeoutLow | (uint64_t)attr->value.timeoutUs.timeoutHigh << 32;
	default:
		return attr->value.localMemorySize;
	}
}

/* *items: room for as many attributes or options as there are pairs, NULL for none; false with an exception */
static bool room_for(const struct acl_py_array *pairs, size_t size, void **items)
{
	*items = pairs->count ? PyMem_Calloc(pairs->count, size) : NULL;
	if (pairs->count && !*items)
		PyErr_NoMemory();
	return *items || !pairs->count;
}

bool acl_py_launch_cfg(PyObject *o, struct acl_py_launch_cfg *v, const struct acl_py_site *site,
		       const char *name)
{
	struct acl_py_array pairs = { 0 };
	const struct pair *p;
	bool ok = take_pairs(o, &pairs, fill_id, "id", site, name);
	size_t i;

	ok = ok && room_for(&pairs, sizeof(*v->cfg.attrs), (void **)&v->cfg.attrs);
	if (ok && pairs.count) {
		v->cfg.numAttrs = pairs.count;
		v->given = &v->cfg;
	}
	for (i = 0; ok && i < pairs.count; i++) {
		p = (struct pair *)pairs.items + i;
		v->cfg.attrs[i].id = (aclrtLaunchKernelAttrId)p->id;
		ok = acl_py_set_attribute(&v->cfg.attrs[i], p->value) || too_large(p, site, name, i);
	}
	PyMem_Free(pairs.items);
	return ok;
}

bool acl_py_load_options(PyObject *o, struct acl_py_load_options *v, const struct acl_py_site *site,
			 const char *name)
{
	struct acl_py_array pairs = { 0 };
	const struct pair *p;
	bool ok = take_pairs(o, &pairs, fill_type, "type", site, name);
	size_t i;

	ok = ok && room_for(&pairs, sizeof(*v->all.options), (void **)&v->all.options);
	if (ok && pairs.count) {
		v->all.numOpt = pairs.count;
		v->given = &v->all;
	}
	for (i = 0; ok && i < pairs.count; i++) {
		p = (struct pair *)pairs.items + i;
		v->all.options[i].type = (aclrtBinaryLoadOptionType)p->id;
		v->all.options[i].value.magic = (uint32_t)p->value;
		ok = p->value <= UINT32_MAX || too_large(p, site, name, i);
	}
	PyMem_Free(pairs.items);
	return ok;
}

/* {"attrs": [...], "numAttrs": n}, {"attr": a, "value": v} or a list of these; *held is what was found */
static PyObject *attributes_of(PyObject *o, PyObject **held, const struct acl_py_site *site)
{
	static const char *const known[] = { "attrs", "numAttrs", "num_attrs", "attr", "value" };
	PyObject *attrs, *keys;
	const char *text;
	Py_ssize_t i;
	size_t k;

	if (!PyDict_Check(o))
		return o;
	keys = PyDict_Keys(o);
	for (i = 0; keys && i < PyList_Size(keys); i++) {
		if (!acl_py_str(PyList_GetItem(keys, i), &text, site, "a key of a dict"))
			break;
		for (k = 0; k < sizeof(known) / sizeof(known[0]) && strcmp(text, known[k]); k++)
			;
		if (k == sizeof(known) / sizeof(known[0]) &&
		    !acl_py_unknown_key(text, "attrs, numAttrs, attr, value", site))
			break;
	}
	Py_XDECREF(keys);
	if (PyErr_Occurred())
		return NULL;
	if (!PyDict_Size(o))
		return Py_None;
	attrs = PyDict_GetItemString(o, "attrs");
	if (attrs && PyDict_Check(attrs))
		o = attrs;
	else if (attrs)
		return attrs;
	*held = PyList_New(1);
	if (!*held)
		return NULL;
	Py_INCREF(o);
	PyList_SetItem(*held, 0, o);
	return *held;
}

bool acl_py_malloc_cfg(PyObject *o, struct acl_py_malloc_cfg *v, const struct acl_py_site *site,
		       const char *name)
{
	struct acl_py_array pairs = { 0 };
	PyObject *held = NULL, *attrs = attributes_of(o, &held, site);
	const struct pair *p;
	bool ok = attrs && take_pairs(attrs, &pairs, fill_attr, "attr", site, name);
	size_t i;

	Py_XDECREF(held);
	ok = ok && room_for(&pairs, sizeof(*v->cfg.attrs), (void **)&v->cfg.attrs);
	if (ok && pairs.count) {
		v->cfg.numAttrs = pairs.count;
		v->given = &v->cfg;
	}
	for (i = 0; ok && i < pairs.count; i++) {
		p = (struct pair *)pairs.items + i;
		v->cfg.attrs[i].attr = (aclrtMallocAttrType)p->id;
		v->cfg.attrs[i].value.vaFlag = (uint32_t)p->value;
		ok = p->value <= (p->id == ACL_RT_MEM_ATTR_MODULE_ID ? UINT16_MAX : UINT32_MAX) ||
		     too_large(p, site, name, i);
	}
	PyMem_Free(pairs.items);
	return ok;
}
