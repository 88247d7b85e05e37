// SPDX-License-Identifier: MIT
/*
 * acl.rt.random_num_async(): the task is a dict with the fields of aclrtRandomNumTaskInfo, nested as in C.
 */
#include <string.h>

#include "made.h"

struct parameter {
	aclrtRandomParaInfo info;
	PyObject *value; /* borrowed: an address or a number, whose form the size decides on */
};

static bool fill_parameter(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	struct parameter *p = to;

	if (!strcmp(key, "isAddr") || !strcmp(key, "is_addr"))
		return acl_py_u8(o, &p->info.isAddr, site, key);
	if (!strcmp(key, "size"))
		return acl_py_u8(o, &p->info.size, site, key);
	if (strcmp(key, "valueOrAddr") && strcmp(key, "value_or_addr"))
		return acl_py_unknown_key(key, "isAddr, valueOrAddr, size", site);
	p->value = o;
	return true;
}

/* A dict with isAddr, valueOrAddr (int, or float of 4 or 8 bytes) and size */
static bool take_parameter(PyObject *o, aclrtRandomParaInfo *info, const struct acl_py_site *site, const char *name)
{
	struct parameter p = { 0 };
	uint64_t number = 0;
	double wide;
	float narrow;

	if (!acl_py_dict(o, &p, fill_parameter, site, name))
		return false;
	if (p.value && PyFloat_Check(p.value)) {
		wide = PyFloat_AsDouble(p.value);
		narrow = (float)wide;
		if (p.info.size != sizeof(wide) && p.info.size != sizeof(narrow)) {
			PyErr_Format(PyExc_ValueError, "%s(): %s is a float, whose size is 4 or 8, not %d",
				     site->function, name, (int)p.info.size);
			return false;
		}
		memcpy(p.info.valueOrAddr, p.info.size == sizeof(wide) ? (void *)&wide : (void *)&narrow, p.info.size);
	} else if (p.value) {
		if (!acl_py_u64(p.value, &number, site, "valueOrAddr"))
			return false;
		memcpy(p.info.valueOrAddr, &number, sizeof(number));
	}
	*info = p.info;
	return true;
}

static bool fill_distribution(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	aclrtRandomNumFuncParaInfo *f = to;

	if (!strcmp(key, "dropoutRation") || !strcmp(key, "dropout_ration"))
		return take_parameter(o, &f->paramInfo.dropoutBitmaskInfo.dropoutRation, site, key);
	if (!strcmp(key, "min") || !strcmp(key, "mean"))
		return take_parameter(o, &f->paramInfo.uniformDisInfo.min, site, key);
	if (!strcmp(key, "max") || !strcmp(key, "stddev"))
		return take_parameter(o, &f->paramInfo.uniformDisInfo.max, site, key);
	return acl_py_unknown_key(key, "dropoutRation, min, max, mean, stddev", site);
}

static bool fill_function(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	aclrtRandomNumFuncParaInfo *f = to;
	int32_t type = 0;

	if (!strcmp(key, "funcType") || !strcmp(key, "func_type")) {
		if (!acl_py_i32(o, &type, site, key))
			return false;
		f->funcType = (aclrtRandomNumFuncType)type;
		return true;
	}
	if (!strcmp(key, "paramInfo") || !strcmp(key, "param_info"))
		return acl_py_dict(o, f, fill_distribution, site, key);
	return acl_py_unknown_key(key, "funcType, paramInfo", site);
}

static bool fill_task(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	aclrtRandomNumTaskInfo *t = to;
	int32_t type = 0;

	if (!strcmp(key, "dataType") || !strcmp(key, "data_type")) {
		if (!acl_py_i32(o, &type, site, key))
			return false;
		t->dataType = (aclDataType)type;
		return true;
	}
	if (!strcmp(key, "randomNumFuncParaInfo") || !strcmp(key, "random_num_func_para_info"))
		return acl_py_dict(o, &t->randomNumFuncParaInfo, fill_function, site, key);
	if (!strcmp(key, "randomParaAddr") || !strcmp(key, "random_para_addr"))
		return acl_py_ptr(o, &t->randomParaAddr, site, key);
	if (!strcmp(key, "randomResultAddr") || !strcmp(key, "random_result_addr"))
		return acl_py_ptr(o, &t->randomResultAddr, site, key);
	if (!strcmp(key, "randomCounterAddr") || !strcmp(key, "random_counter_addr"))
		return acl_py_ptr(o, &t->randomCounterAddr, site, key);
	if (!strcmp(key, "randomSeed") || !strcmp(key, "random_seed"))
		return take_parameter(o, &t->randomSeed, site, key);
	if (!strcmp(key, "randomNum") || !strcmp(key, "random_num"))
		return take_parameter(o, &t->randomNum, site, key);
	return acl_py_unknown_key(key,
				  "dataType, randomNumFuncParaInfo, randomParaAddr, randomResultAddr, "
				  "randomCounterAddr, randomSeed, randomNum",
				  site);
}

PyObject *py_aclrtRandomNumAsync(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.random_num_async" };
	aclrtRandomNumTaskInfo task = { 0 };
	void *stream, *reserve = NULL;
	PyThreadState *thread;
	aclError ret;

	(void)self;
	if (nargs < 2 || nargs > 3)
		return acl_py_count(&site, nargs, 2, 3, "task_info, stream, reserve");
	if (!acl_py_dict(args[0], &task, fill_task, &site, "task_info") ||
	    !acl_py_handle(args[1], &stream, &site, "stream") ||
	    (nargs > 2 && !acl_py_ptr(args[2], &reserve, &site, "reserve")))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtRandomNumAsync(&task, stream, reserve);
	return acl_py_enter(thread) ? PyLong_FromLong(ret) : NULL;
}
