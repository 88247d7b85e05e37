// SPDX-License-Identifier: MIT
/*
 * Graphs: lists of streams and tasks, parameters of tasks, conditions; and launches whose arguments are an array.
 */
#include <stdlib.h>
#include <string.h>

#include "made.h"

/* No kernel has more parameters */
#define ARGS_MAX 128

/* The array of pointers to arguments, zero behind them: the library finds NULL if the list is too short */
static bool take_args(PyObject *o, void **array, size_t *count, const struct acl_py_site *site)
{
	struct acl_py_array list = { 0 };
	bool fits;

	if (!acl_py_u64s(o, &list, site, "args"))
		return false;
	fits = list.count <= ARGS_MAX;
	if (!fits)
		PyErr_Format(PyExc_ValueError, "%s(): args has %zu items, and a kernel has at most %d parameters",
			     site->function, list.count, ARGS_MAX);
	else if (list.count)
		memcpy(array, list.items, list.count * sizeof(array[0]));
	*count = list.count;
	PyMem_Free(list.items);
	return fits;
}

/* Whether the kernel has as many parameters as the list has items; the library would read behind a short one */
static bool count_fits(const struct acl_py_site *site, size_t given, size_t wanted)
{
	if (given == wanted)
		return true;
	PyErr_Format(PyExc_ValueError, "%s(): args has %zu items, and the kernel has %zu parameters", site->function,
		     given, wanted);
	return false;
}

PyObject *py_aclrtLaunchKernelWithArgsArray(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.launch_kernel_with_args_array" };
	struct acl_py_launch_cfg cfg = { 0 };
	void *array[ARGS_MAX + 1] = { 0 }, *func, *stream;
	PyObject *result = NULL;
	PyThreadState *thread;
	uint32_t blocks = 0;
	size_t given, wanted = 0;
	aclError ret;

	(void)self;
	if (nargs != 5)
		return acl_py_count(&site, nargs, 5, 5, "func, num_blocks, stream, cfg, args");
	if (!acl_py_handle(args[0], &func, &site, "func") || !acl_py_u32(args[1], &blocks, &site, "num_blocks") ||
	    !acl_py_handle(args[2], &stream, &site, "stream") || !acl_py_launch_cfg(args[3], &cfg, &site, "cfg") ||
	    !take_args(args[4], array, &given, &site))
		goto out;
	thread = acl_py_leave();
	ret = aclrtFunctionGetParamCount(func, &wanted);
	if (ret)
		wanted = given;
	else if (given == wanted)
		ret = aclrtLaunchKernelWithArgsArray(func, blocks, stream, cfg.given, array);
	if (acl_py_enter(thread) && count_fits(&site, given, wanted))
		result = PyLong_FromLong(ret);
out:
	PyMem_Free(cfg.cfg.attrs);
	return result;
}

/* Three numbers */
static bool take_dim(PyObject *o, dim3 *dim, const struct acl_py_site *site, const char *name)
{
	struct acl_py_array list = { 0 };
	const uint64_t *v;
	bool good;

	if (!acl_py_u64s(o, &list, site, name))
		return false;
	v = list.items;
	good = list.count == 3 && v[0] <= UINT32_MAX && v[1] <= UINT32_MAX && v[2] <= UINT32_MAX;
	if (good)
		*dim = (dim3){ (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2] };
	else
		PyErr_Format(PyExc_ValueError, "%s(): %s must be three numbers, x, y, z, from 0 to 2**32-1", site->function,
			     name);
	PyMem_Free(list.items);
	return good;
}

PyObject *py_aclrtLaunchSIMTKernelWithArgsArray(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.launch_simt_kernel_with_args_array" };
	struct acl_py_launch_cfg cfg = { 0 };
	void *array[ARGS_MAX + 1] = { 0 }, *func, *stream;
	dim3 grid, block;
	PyObject *result = NULL;
	PyThreadState *thread;
	size_t given, wanted = 0, shared = 0;
	aclError ret;

	(void)self;
	if (nargs != 7)
		return acl_py_count(&site, nargs, 7, 7,
				    "func, grid_dim, block_dim, dyn_ubuf_size, stream, cfg, args");
	if (!acl_py_handle(args[0], &func, &site, "func") || !take_dim(args[1], &grid, &site, "grid_dim") ||
	    !take_dim(args[2], &block, &site, "block_dim") || !acl_py_size(args[3], &shared, &site, "dyn_ubuf_size") ||
	    !acl_py_handle(args[4], &stream, &site, "stream") || !acl_py_launch_cfg(args[5], &cfg, &site, "cfg") ||
	    !take_args(args[6], array, &given, &site))
		goto out;
	thread = acl_py_leave();
	ret = aclrtFunctionGetParamCount(func, &wanted);
	if (ret)
		wanted = given;
	else if (given == wanted)
		ret = aclrtLaunchSIMTKernelWithArgsArray(func, grid, block, shared, stream, cfg.given, array);
	if (acl_py_enter(thread) && count_fits(&site, given, wanted))
		result = PyLong_FromLong(ret);
out:
	PyMem_Free(cfg.cfg.attrs);
	return result;
}

PyObject *py_aclrtLaunchSIMTKernelWithHostArgs(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.launch_simt_kernel_with_host_args" };
	struct acl_py_launch_cfg cfg = { 0 };
	struct acl_py_array holders = { 0 };
	void *func, *stream, *block = NULL;
	dim3 grid, threads;
	PyObject *result = NULL;
	PyThreadState *thread;
	size_t size = 0, shared = 0, count = 0;
	aclError ret;

	(void)self;
	if (nargs != 10)
		return acl_py_count(&site, nargs, 10, 10,
				    "func, grid_dim, block_dim, dyn_ubuf_size, stream, cfg, host_args_ptr, host_args_size, "
				    "place_holder_list, place_holder_num");
	if (!acl_py_handle(args[0], &func, &site, "func") || !take_dim(args[1], &grid, &site, "grid_dim") ||
	    !take_dim(args[2], &threads, &site, "block_dim") || !acl_py_size(args[3], &shared, &site, "dyn_ubuf_size") ||
	    !acl_py_handle(args[4], &stream, &site, "stream") || !acl_py_launch_cfg(args[5], &cfg, &site, "cfg") ||
	    !acl_py_ptr(args[6], &block, &site, "host_args_ptr") || !acl_py_size(args[7], &size, &site, "host_args_size") ||
	    !acl_py_take_placeholders(args[8], &holders, &site, "place_holder_list") ||
	    !acl_py_size(args[9], &count, &site, "place_holder_num") ||
	    !acl_py_room(&site, "place_holder_list", holders.count, "place_holder_num", count))
		goto out;
	thread = acl_py_leave();
	ret = aclrtLaunchSIMTKernelWithHostArgs(func, grid, threads, shared, stream, cfg.given, block, size, holders.items,
						count);
	if (acl_py_enter(thread))
		result = PyLong_FromLong(ret);
out:
	PyMem_Free(cfg.cfg.attrs);
	PyMem_Free(holders.items);
	return result;
}

typedef aclError (*list_function)(void *of, void **items, uint32_t *count);

static aclError list_streams(void *graph, void **items, uint32_t *count)
{
	return aclmdlRIGetStreams(graph, items, count);
}

static aclError list_tasks(void *stream, void **items, uint32_t *count)
{
	return aclmdlRIGetTasksByStream(stream, items, count);
}

/* Asks for the number of items, and then for them; *items to be given back with free() */
static aclError get_items(list_function get, void *of, void ***items, uint32_t *count)
{
	aclError ret = get(of, NULL, count);
	uint32_t room = *count;

	while (!ret) {
		free(*items);
		*items = calloc((size_t)room + 1, sizeof(**items));
		*count = room;
		if (!*items)
			return ACL_ERROR_BAD_ALLOC;
		ret = get(of, *items, count);
		if (*count <= room)
			break;
		room = *count; /* another thread has added some */
		ret = ACL_SUCCESS;
	}
	return ret;
}

static PyObject *item_list(const struct acl_py_site *site, const char *name, list_function get, PyObject *const *args,
			   Py_ssize_t nargs)
{
	PyObject *list, *number, *result;
	PyThreadState *thread;
	void **items = NULL, *of;
	uint32_t count = 0, i;
	aclError ret;

	if (nargs != 1)
		return acl_py_count(site, nargs, 1, 1, name);
	if (!acl_py_handle(args[0], &of, site, name))
		return NULL;
	thread = acl_py_leave();
	ret = get_items(get, of, &items, &count);
	if (!acl_py_enter(thread)) {
		free(items);
		return NULL;
	}
	list = PyList_New(0);
	for (i = 0; list && !ret && i < count; i++) {
		number = PyLong_FromVoidPtr(items[i]);
		if (!number || PyList_Append(list, number))
			Py_CLEAR(list);
		Py_XDECREF(number);
	}
	result = acl_py_tuple(2, list, PyLong_FromLong(ret));
	free(items);
	return result;
}

PyObject *py_aclmdlRIGetStreams(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_get_streams" };

	(void)self;
	return item_list(&site, "model_ri", list_streams, args, nargs);
}

PyObject *py_aclmdlRIGetTasksByStream(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_get_tasks_by_stream" };

	(void)self;
	return item_list(&site, "stream", list_tasks, args, nargs);
}

PyObject *py_aclmdlRIKernelTaskGetAttribute(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_kernel_task_get_attribute" };
	aclrtLaunchKernelAttr attr = { 0 };
	PyThreadState *thread;
	int32_t id = 0;
	aclError ret;
	void *task;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "task, attr_id");
	if (!acl_py_handle(args[0], &task, &site, "task") || !acl_py_i32(args[1], &id, &site, "attr_id"))
		return NULL;
	attr.id = (aclrtLaunchKernelAttrId)id;
	thread = acl_py_leave();
	ret = aclmdlRIKernelTaskGetAttribute(task, attr.id, &attr.value);
	if (!acl_py_enter(thread))
		return NULL;
	return acl_py_tuple(2, PyLong_FromUnsignedLongLong(acl_py_get_attribute(&attr)), PyLong_FromLong(ret));
}

/* Parameters of tasks ------------------------------------------------------------------------------------------ */

/* A list of dicts of a launch configuration */
static PyObject *make_cfg(const aclrtLaunchKernelCfg *cfg)
{
	PyObject *list = PyList_New(0), *item;
	size_t i;

	for (i = 0; list && cfg && i < cfg->numAttrs; i++) {
		item = Py_BuildValue("{s:l,s:K}", "id", (long)cfg->attrs[i].id, "value",
				     (unsigned long long)acl_py_get_attribute(&cfg->attrs[i]));
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static bool put_event(PyObject *d, void *event, uint32_t event_flag, const char *name, uint32_t flag)
{
	return acl_py_put(d, "event", PyLong_FromVoidPtr(event)) &&
	       acl_py_put(d, "event_flag", PyLong_FromUnsignedLong(event_flag)) &&
	       acl_py_put(d, name, PyLong_FromUnsignedLong(flag));
}

/* The part of the parameters that the type decides on */
static bool put_by_type(PyObject *d, const aclmdlRITaskParams *p)
{
	const aclmdlRIKernelTaskParams *k = &p->kernelTaskParams;

	switch ((int)p->type) {
	case ACL_MODEL_RI_TASK_KERNEL:
		return acl_py_put(d, "func_handle", PyLong_FromVoidPtr(k->funcHandle)) &&
		       acl_py_put(d, "cfg", make_cfg(k->cfg)) && acl_py_put(d, "args", PyLong_FromVoidPtr(k->args)) &&
		       acl_py_put(d, "is_host_args", PyLong_FromUnsignedLong(k->isHostArgs)) &&
		       acl_py_put(d, "args_size", PyLong_FromSize_t(k->argsSize)) &&
		       acl_py_put(d, "num_blocks", PyLong_FromUnsignedLong(k->numBlocks));
	case ACL_MODEL_RI_TASK_EVENT_RECORD:
		return put_event(d, p->eventRecordTaskParams.event, p->eventRecordTaskParams.eventFlag, "record_flag",
				 p->eventRecordTaskParams.recordFlag);
	case ACL_MODEL_RI_TASK_EVENT_WAIT:
		return put_event(d, p->eventWaitTaskParams.event, p->eventWaitTaskParams.eventFlag, "wait_flag",
				 p->eventWaitTaskParams.waitFlag);
	case ACL_MODEL_RI_TASK_EVENT_RESET:
		return put_event(d, p->eventResetTaskParams.event, p->eventResetTaskParams.eventFlag, "reset_flag",
				 p->eventResetTaskParams.resetFlag);
	case ACL_MODEL_RI_TASK_VALUE_WRITE:
		return acl_py_put(d, "dev_addr", PyLong_FromVoidPtr(p->valueWriteTaskParams.devAddr)) &&
		       acl_py_put(d, "value", PyLong_FromUnsignedLongLong(p->valueWriteTaskParams.value));
	case ACL_MODEL_RI_TASK_VALUE_WAIT:
		return acl_py_put(d, "dev_addr", PyLong_FromVoidPtr(p->valueWaitTaskParams.devAddr)) &&
		       acl_py_put(d, "value", PyLong_FromUnsignedLongLong(p->valueWaitTaskParams.value)) &&
		       acl_py_put(d, "flag", PyLong_FromUnsignedLong(p->valueWaitTaskParams.flag));
	default:
		return true;
	}
}

PyObject *py_aclmdlRITaskGetParams(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_task_get_params" };
	aclmdlRITaskParams p = { 0 };
	PyThreadState *thread;
	PyObject *d;
	aclError ret;
	void *task;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "task");
	if (!acl_py_handle(args[0], &task, &site, "task"))
		return NULL;
	thread = acl_py_leave();
	ret = aclmdlRITaskGetParams(task, &p);
	if (!acl_py_enter(thread))
		return NULL;
	d = PyDict_New();
	if (!d || !acl_py_put(d, "type", PyLong_FromLong((long)p.type)) ||
	    !acl_py_put(d, "task_grp", PyLong_FromVoidPtr(p.taskGrp)) ||
	    !acl_py_put(d, "op_info_ptr", PyLong_FromVoidPtr(p.opInfoPtr)) ||
	    !acl_py_put(d, "op_info_size", PyLong_FromSize_t(p.opInfoSize)) || !put_by_type(d, &p)) {
		Py_XDECREF(d);
		return NULL;
	}
	return acl_py_tuple(2, d, PyLong_FromLong(ret));
}

/* All that a dict of parameters may have; the type decides what of it is used */
struct task_dict {
	int32_t type;
	void *group, *op_info, *func, *args, *event, *address;
	size_t op_info_size, args_size;
	uint32_t is_host_args, blocks, event_flag, flag, value_flag;
	uint64_t value;
	struct acl_py_launch_cfg cfg;
};

static bool fill_task(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	struct task_dict *t = to;

	if (!strcmp(key, "type"))
		return acl_py_i32(o, &t->type, site, key);
	if (!strcmp(key, "task_grp"))
		return acl_py_ptr(o, &t->group, site, key);
	if (!strcmp(key, "op_info_ptr"))
		return acl_py_ptr(o, &t->op_info, site, key);
	if (!strcmp(key, "op_info_size"))
		return acl_py_size(o, &t->op_info_size, site, key);
	if (!strcmp(key, "func_handle"))
		return acl_py_handle(o, &t->func, site, key);
	if (!strcmp(key, "cfg"))
		return acl_py_launch_cfg(o, &t->cfg, site, key);
	if (!strcmp(key, "args"))
		return acl_py_ptr(o, &t->args, site, key);
	if (!strcmp(key, "is_host_args"))
		return acl_py_u32(o, &t->is_host_args, site, key);
	if (!strcmp(key, "args_size"))
		return acl_py_size(o, &t->args_size, site, key);
	if (!strcmp(key, "num_blocks"))
		return acl_py_u32(o, &t->blocks, site, key);
	if (!strcmp(key, "event"))
		return acl_py_ptr(o, &t->event, site, key);
	if (!strcmp(key, "event_flag"))
		return acl_py_u32(o, &t->event_flag, site, key);
	if (!strcmp(key, "record_flag") || !strcmp(key, "wait_flag") || !strcmp(key, "reset_flag"))
		return acl_py_u32(o, &t->flag, site, key);
	if (!strcmp(key, "dev_addr"))
		return acl_py_ptr(o, &t->address, site, key);
	if (!strcmp(key, "value"))
		return acl_py_u64(o, &t->value, site, key);
	if (!strcmp(key, "flag"))
		return acl_py_u32(o, &t->value_flag, site, key);
	return acl_py_unknown_key(key, "those of acl.mdl.ri_task_get_params()", site);
}

/* Parameters in C of what a dict said */
static void task_params(aclmdlRITaskParams *p, const struct task_dict *t)
{
	*p = (aclmdlRITaskParams){ .type = (aclmdlRITaskType)t->type,
				   .taskGrp = t->group,
				   .opInfoPtr = t->op_info,
				   .opInfoSize = t->op_info_size };
	switch (t->type) {
	case ACL_MODEL_RI_TASK_KERNEL:
		p->kernelTaskParams = (aclmdlRIKernelTaskParams){ .funcHandle = t->func,
								  .cfg = t->cfg.given,
								  .args = t->args,
								  .isHostArgs = t->is_host_args,
								  .argsSize = t->args_size,
								  .numBlocks = t->blocks };
		break;
	case ACL_MODEL_RI_TASK_EVENT_RECORD:
	case ACL_MODEL_RI_TASK_EVENT_WAIT:
	case ACL_MODEL_RI_TASK_EVENT_RESET:
		/* the three have the same fields */
		p->eventRecordTaskParams = (aclmdlRIEventRecordTaskParams){ t->event, t->event_flag, t->flag };
		break;
	default:
		/* and so has a write, without the flag */
		p->valueWaitTaskParams = (aclmdlRIValueWaitTaskParams){ t->address, t->value, t->value_flag };
	}
}

PyObject *py_aclmdlRITaskSetParams(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_task_set_params" };
	struct task_dict t = { 0 };
	PyObject *result = NULL;
	PyThreadState *thread;
	aclmdlRITaskParams p;
	aclError ret;
	void *task;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "task, params");
	if (acl_py_handle(args[0], &task, &site, "task") && acl_py_dict(args[1], &t, fill_task, &site, "params")) {
		task_params(&p, &t);
		thread = acl_py_leave();
		ret = aclmdlRITaskSetParams(task, &p);
		if (acl_py_enter(thread))
			result = PyLong_FromLong(ret);
	}
	PyMem_Free(t.cfg.cfg.attrs);
	return result;
}

/* Conditions ---------------------------------------------------------------------------------------------------- */

struct condition {
	aclmdlRICondTaskParams params;
	int32_t type;
};

static bool fill_condition(void *to, const char *key, PyObject *o, const struct acl_py_site *site)
{
	struct condition *c = to;

	if (!strcmp(key, "handle"))
		return acl_py_handle(o, &c->params.handle, site, key);
	if (!strcmp(key, "type"))
		return acl_py_i32(o, &c->type, site, key);
	if (!strcmp(key, "size"))
		return acl_py_u32(o, &c->params.size, site, key);
	return acl_py_unknown_key(key, "handle, type, size", site);
}

PyObject *py_aclmdlRIAddCondTask(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_add_cond_task" };
	PyObject *list = NULL, *number, *result = NULL;
	struct condition c = { 0 };
	PyThreadState *thread;
	uint32_t flags = 0, i;
	aclmdlRI *graphs;
	void *stream;
	aclError ret;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "params, stream, flags");
	if (!acl_py_dict(args[0], &c, fill_condition, &site, "params") ||
	    !acl_py_handle(args[1], &stream, &site, "stream") || !acl_py_u32(args[2], &flags, &site, "flags"))
		return NULL;
	if (c.params.size > (1 << 20)) {
		PyErr_Format(PyExc_ValueError, "%s(): size is %lu and must be from 0 to 2**20", site.function,
			     (unsigned long)c.params.size);
		return NULL;
	}
	graphs = PyMem_Calloc((size_t)c.params.size + 1, sizeof(*graphs));
	if (!graphs)
		return PyErr_NoMemory();
	c.params.type = (aclmdlRICondTaskType)c.type;
	c.params.modelRIArray = graphs;
	thread = acl_py_leave();
	ret = aclmdlRIAddCondTask(c.params, stream, flags);
	if (acl_py_enter(thread))
		list = PyList_New(0);
	for (i = 0; list && !ret && i < c.params.size; i++) {
		number = PyLong_FromVoidPtr(graphs[i]);
		if (!number || PyList_Append(list, number))
			Py_CLEAR(list);
		Py_XDECREF(number);
	}
	if (list)
		result = acl_py_tuple(2, list, PyLong_FromLong(ret));
	PyMem_Free(graphs);
	return result;
}
