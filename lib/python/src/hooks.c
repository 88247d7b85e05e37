// SPDX-License-Identifier: MIT
/*
 * Functions of the program that the library calls when something happens: a task has failed, a device or a stream
 * changes its state, tasks of a device are aborted, a graph is destroyed, acl.init() and acl.finalize() run.
 */
#include <string.h>

#include "made.h"

/* Protected by Python's lock */
static PyObject *on_exception;		 /* acl.rt.set_exception_info_callback() */
static PyObject *exception_list;	 /* acl.rt.exception_info_callback_register() */
static PyObject *binary_ids;		 /* of acl.rt.binary_set_exception_callback(): binary -> number */
static PyObject *state_ids;		 /* (kind, name) -> number */
static PyObject *destroy_lists;		 /* graph -> list of (function, argument) */
static PyObject *init_lists;		 /* (kind, type) -> list of (function, argument) */

/* *where, made at first use */
static PyObject *made_dict(PyObject **where)
{
	if (!*where)
		*where = PyDict_New();
	return *where;
}

/* Exceptions ------------------------------------------------------------------------------------------------ */

/* The information is valid until the function returns */
static void call_with_info(PyObject *fn, aclrtExceptionInfo *info)
{
	PyObject *result;

	acl_py_live_add(ACL_PY_EXCEPTION_INFO, info);
	result = acl_py_call(fn, "(N)", PyLong_FromVoidPtr(info));
	acl_py_live_drop(ACL_PY_EXCEPTION_INFO, info);
	Py_XDECREF(result);
}

static void run_on_exception(aclrtExceptionInfo *info)
{
	PyGILState_STATE state;
	PyObject *fn;

	if (!acl_py_begin(&state))
		return;
	fn = on_exception;
	if (fn) {
		Py_INCREF(fn);
		call_with_info(fn, info);
		Py_DECREF(fn);
	}
	acl_py_finish(state);
}

static void run_exception_list(aclrtExceptionInfo *info)
{
	PyGILState_STATE state;
	PyObject *list;
	Py_ssize_t i;

	if (!acl_py_begin(&state))
		return;
	/* a copy, because the functions may register and unregister */
	list = exception_list ? PyList_GetSlice(exception_list, 0, PY_SSIZE_T_MAX) : NULL;
	for (i = 0; list && i < PyList_Size(list); i++)
		call_with_info(PyList_GetItem(list, i), info);
	Py_XDECREF(list);
	acl_py_finish(state);
}

PyObject *py_aclrtSetExceptionInfoCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.set_exception_info_callback" };
	PyObject *old = on_exception, *now;
	PyThreadState *thread;
	aclError ret;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "fn");
	if (!acl_py_function(args[0], true, &site, "fn"))
		return NULL;
	now = Py_IsNone(args[0]) ? NULL : args[0];
	Py_XINCREF(now);
	on_exception = now;
	thread = acl_py_leave();
	ret = aclrtSetExceptionInfoCallback(now ? run_on_exception : NULL);
	if (!acl_py_enter(thread))
		return NULL;
	if (ret && on_exception == now) {
		on_exception = old;
		old = now;
	}
	Py_XDECREF(old);
	return PyLong_FromLong(ret);
}

PyObject *py_aclrtExceptionInfoCallbackRegister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.exception_info_callback_register" };
	PyThreadState *thread;
	aclError ret;
	int there;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "fn");
	if (!acl_py_function(args[0], true, &site, "fn"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtExceptionInfoCallbackRegister(Py_IsNone(args[0]) ? NULL : run_exception_list);
	if (!acl_py_enter(thread))
		return NULL;
	if (ret)
		return PyLong_FromLong(ret);
	if (!exception_list)
		exception_list = PyList_New(0);
	/* once, however often it is registered */
	there = exception_list ? PySequence_Contains(exception_list, args[0]) : -1;
	if (there < 0 || (!there && PyList_Append(exception_list, args[0])))
		return NULL;
	return PyLong_FromLong(ret);
}

PyObject *py_aclrtExceptionInfoCallbackUnregister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.exception_info_callback_unregister" };
	bool last = false, null;
	PyThreadState *thread;
	Py_ssize_t at = -1;
	aclError ret = ACL_SUCCESS;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "fn");
	if (!acl_py_function(args[0], true, &site, "fn"))
		return NULL;
	null = Py_IsNone(args[0]);
	if (exception_list && !null) {
		at = PySequence_Index(exception_list, args[0]);
		PyErr_Clear();
		if (at >= 0 && PySequence_DelItem(exception_list, at))
			return NULL;
		last = !PyList_Size(exception_list);
	}
	if (null || last) {
		thread = acl_py_leave();
		ret = aclrtExceptionInfoCallbackUnregister(null ? NULL : run_exception_list);
		if (!acl_py_enter(thread))
			return NULL;
	}
	return PyLong_FromLong(ret);
}

static void run_binary_hook(aclrtExceptionInfo *info, void *id)
{
	PyObject *fn, *arg, *result;
	PyGILState_STATE state;

	if (!acl_py_begin(&state))
		return;
	if (acl_py_recall((uintptr_t)id, &fn, &arg)) {
		acl_py_live_add(ACL_PY_EXCEPTION_INFO, info);
		result = acl_py_call(fn, "(NO)", PyLong_FromVoidPtr(info), arg);
		acl_py_live_drop(ACL_PY_EXCEPTION_INFO, info);
		Py_XDECREF(result);
		Py_DECREF(fn);
		Py_DECREF(arg);
	}
	acl_py_finish(state);
}

/* Notes that a number stands under a key of a dict, and forgets the one that did; 0: none does any more */
static bool replace_id(PyObject *ids, PyObject *key, uintptr_t id)
{
	PyObject *old = PyDict_GetItemWithError(ids, key), *number;
	int err;

	if (!old && PyErr_Occurred())
		return false;
	if (old)
		acl_py_forget((uintptr_t)PyLong_AsUnsignedLongLong(old));
	if (!id)
		return !old || !PyDict_DelItem(ids, key);
	number = PyLong_FromUnsignedLongLong(id);
	err = number ? PyDict_SetItem(ids, key, number) : -1;
	Py_XDECREF(number);
	return !err;
}

PyObject *py_aclrtBinarySetExceptionCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.binary_set_exception_callback" };
	PyThreadState *thread;
	uintptr_t id = 0;
	PyObject *key;
	void *binary;
	aclError ret;
	bool ok;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "bin_handle, callback, user_data");
	if (!acl_py_handle(args[0], &binary, &site, "bin_handle") ||
	    !acl_py_function(args[1], true, &site, "callback"))
		return NULL;
	if (!Py_IsNone(args[1])) {
		id = acl_py_remember(args[1], args[2]);
		if (!id)
			return NULL;
	}
	thread = acl_py_leave();
	ret = aclrtBinarySetExceptionCallback(binary, id ? run_binary_hook : NULL, (void *)id);
	if (!acl_py_enter(thread))
		return NULL;
	if (ret) {
		if (id)
			acl_py_forget(id);
		return PyLong_FromLong(ret);
	}
	key = PyLong_FromVoidPtr(binary);
	ok = key && made_dict(&binary_ids) && replace_id(binary_ids, key, id);
	Py_XDECREF(key);
	return ok ? PyLong_FromLong(ret) : NULL;
}

void acl_py_binary_gone(void *binary)
{
	PyObject *key = binary_ids ? PyLong_FromVoidPtr(binary) : NULL;

	if (key && !replace_id(binary_ids, key, 0))
		PyErr_Clear();
	Py_XDECREF(key);
}

/* States ------------------------------------------------------------------------------------------------------ */

/* Calls a function that was registered by name, with numbers before its argument; *number is what it returns */
static void run_named(void *id, const char *format, unsigned long long a, unsigned long long b,
		      unsigned long long c, int32_t *number)
{
	PyObject *fn, *arg, *result;
	PyGILState_STATE state;

	if (!acl_py_begin(&state))
		return;
	if (acl_py_recall((uintptr_t)id, &fn, &arg)) {
		result = strlen(format) == 6 ? acl_py_call(fn, format, a, b, c, arg) : acl_py_call(fn, format, a, b, arg);
		if (result && number && PyLong_Check(result))
			*number = (int32_t)PyLong_AsLong(result);
		if (PyErr_Occurred())
			PyErr_WriteUnraisable(fn);
		Py_XDECREF(result);
		Py_DECREF(fn);
		Py_DECREF(arg);
	}
	acl_py_finish(state);
}

static void run_device_state(int32_t device, aclrtDeviceState state, void *id)
{
	run_named(id, "(LKO)", (unsigned long long)(long long)device, (unsigned long long)state, 0, NULL);
}

static void run_stream_state(aclrtStream stream, aclrtStreamState state, void *id)
{
	run_named(id, "(KKO)", (uintptr_t)stream, (unsigned long long)state, 0, NULL);
}

static int32_t run_task_abort(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void *id)
{
	int32_t ret = 0;

	run_named(id, "(LKKO)", (unsigned long long)(long long)device, (unsigned long long)stage, timeout, &ret);
	return ret;
}

enum state_kind { DEVICE_STATE, STREAM_STATE, TASK_ABORT };

static aclError set_state_hook(enum state_kind kind, const char *name, uintptr_t id)
{
	void *arg = (void *)id;

	switch (kind) {
	case DEVICE_STATE:
		return aclrtRegDeviceStateCallback(name, id ? run_device_state : NULL, arg);
	case STREAM_STATE:
		return aclrtRegStreamStateCallback(name, id ? run_stream_state : NULL, arg);
	default:
		return aclrtSetDeviceTaskAbortCallback(name, id ? run_task_abort : NULL, arg);
	}
}

static PyObject *set_named(const struct acl_py_site *site, enum state_kind kind, PyObject *const *args,
			   Py_ssize_t nargs)
{
	PyThreadState *thread;
	uintptr_t id = 0;
	const char *name;
	PyObject *key;
	aclError ret;
	bool ok;

	if (nargs != 3)
		return acl_py_count(site, nargs, 3, 3, "reg_name, callback, args");
	if (!acl_py_str(args[0], &name, site, "reg_name") || !acl_py_function(args[1], true, site, "callback"))
		return NULL;
	if (!Py_IsNone(args[1])) {
		id = acl_py_remember(args[1], args[2]);
		if (!id)
			return NULL;
	}
	thread = acl_py_leave();
	ret = set_state_hook(kind, name, id);
	if (!acl_py_enter(thread))
		return NULL;
	if (ret) {
		if (id)
			acl_py_forget(id);
		return PyLong_FromLong(ret);
	}
	key = Py_BuildValue("(iO)", (int)kind, args[0]);
	ok = key && made_dict(&state_ids) && replace_id(state_ids, key, id);
	Py_XDECREF(key);
	return ok ? PyLong_FromLong(ret) : NULL;
}

PyObject *py_aclrtRegDeviceStateCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.reg_device_state_callback" };

	(void)self;
	return set_named(&site, DEVICE_STATE, args, nargs);
}

PyObject *py_aclrtRegStreamStateCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.reg_stream_state_callback" };

	(void)self;
	return set_named(&site, STREAM_STATE, args, nargs);
}

PyObject *py_aclrtSetDeviceTaskAbortCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.set_device_task_abort_callback" };

	(void)self;
	return set_named(&site, TASK_ABORT, args, nargs);
}

/* Lists of functions under a key ---------------------------------------------------------------------------------- */

/* Appends (fn, arg) to the list under a key; -1 with an exception. One that is there gets the new argument if @once */
static int add_to_list(PyObject *lists, PyObject *key, PyObject *fn, PyObject *arg, bool once)
{
	PyObject *list = PyDict_GetItemWithError(lists, key), *pair = PyTuple_Pack(2, fn, arg);
	int err = pair ? 0 : -1;
	Py_ssize_t i;

	if (!list && !PyErr_Occurred()) {
		list = PyList_New(0);
		if (list)
			err = PyDict_SetItem(lists, key, list);
		Py_XDECREF(list);
	}
	if (!list || err) {
		Py_XDECREF(pair);
		return -1;
	}
	for (i = 0; once && i < PyList_Size(list); i++)
		if (PyTuple_GetItem(PyList_GetItem(list, i), 0) == fn)
			return PyList_SetItem(list, i, pair);
	err = PyList_Append(list, pair);
	Py_DECREF(pair);
	return err;
}

/* Takes the first entry of a function out of a list; false if there is none */
static bool take_from_list(PyObject *lists, PyObject *key, PyObject *fn)
{
	PyObject *list = lists ? PyDict_GetItemWithError(lists, key) : NULL;
	Py_ssize_t i;

	for (i = 0; list && i < PyList_Size(list); i++)
		if (PyObject_RichCompareBool(PyTuple_GetItem(PyList_GetItem(list, i), 0), fn, Py_EQ) == 1)
			return !PySequence_DelItem(list, i);
	return false;
}

static Py_ssize_t length_of(PyObject *lists, PyObject *key)
{
	PyObject *list = lists ? PyDict_GetItemWithError(lists, key) : NULL;

	return list ? PyList_Size(list) : 0;
}

/* The graph is destroyed */
static void run_destroyed(void *graph)
{
	PyObject *key, *list, *pair, *result;
	PyGILState_STATE state;
	Py_ssize_t i;

	if (!acl_py_begin(&state))
		return;
	key = PyLong_FromVoidPtr(graph);
	list = key && destroy_lists ? PyDict_GetItemWithError(destroy_lists, key) : NULL;
	if (list) {
		Py_INCREF(list);
		PyDict_DelItem(destroy_lists, key);
	}
	for (i = 0; list && i < PyList_Size(list); i++) {
		pair = PyList_GetItem(list, i);
		result = acl_py_call(PyTuple_GetItem(pair, 0), "(O)", PyTuple_GetItem(pair, 1));
		Py_XDECREF(result);
	}
	PyErr_Clear();
	Py_XDECREF(list);
	Py_XDECREF(key);
	acl_py_finish(state);
}

PyObject *py_aclmdlRIDestroyRegisterCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_destroy_register_callback" };
	aclError ret = ACL_SUCCESS;
	PyThreadState *thread;
	PyObject *key;
	void *graph;
	int err;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "model_ri, func, user_data");
	if (!acl_py_handle(args[0], &graph, &site, "model_ri") || !acl_py_function(args[1], false, &site, "func"))
		return NULL;
	key = PyLong_FromVoidPtr(graph);
	if (!key || !made_dict(&destroy_lists)) {
		Py_XDECREF(key);
		return NULL;
	}
	if (!length_of(destroy_lists, key)) {
		thread = acl_py_leave();
		ret = aclmdlRIDestroyRegisterCallback(graph, run_destroyed, graph);
		if (!acl_py_enter(thread)) {
			Py_DECREF(key);
			return NULL;
		}
	}
	err = ret ? 0 : add_to_list(destroy_lists, key, args[1], args[2], false);
	Py_DECREF(key);
	return err ? NULL : PyLong_FromLong(ret);
}

PyObject *py_aclmdlRIDestroyUnregisterCallback(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.mdl.ri_destroy_unregister_callback" };
	aclError ret = ACL_SUCCESS;
	PyThreadState *thread;
	PyObject *key;
	void *graph;
	bool found;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "model_ri, func");
	if (!acl_py_handle(args[0], &graph, &site, "model_ri") || !acl_py_function(args[1], false, &site, "func"))
		return NULL;
	key = PyLong_FromVoidPtr(graph);
	if (!key)
		return NULL;
	found = take_from_list(destroy_lists, key, args[1]);
	if (!found || !length_of(destroy_lists, key)) {
		if (found)
			PyDict_DelItem(destroy_lists, key);
		PyErr_Clear();
		thread = acl_py_leave();
		/* for a function that was not registered, one that is not either: the library says what is wrong */
		ret = aclmdlRIDestroyUnregisterCallback(graph, found ? run_destroyed : (aclrtCallback)(void *)PyErr_Clear);
		if (!acl_py_enter(thread))
			ret = -1;
	}
	Py_DECREF(key);
	return PyErr_Occurred() ? NULL : PyLong_FromLong(ret);
}

/* Hooks of acl.init() and acl.finalize() ------------------------------------------------------------------------------ */

/* The first code other than 0 that a function of the list returns */
static aclError run_init_list(bool init, long type, const char *config, size_t length)
{
	PyObject *key, *list, *pair, *result;
	PyGILState_STATE state;
	long ret = ACL_SUCCESS;
	Py_ssize_t i;

	if (!acl_py_begin(&state))
		return ACL_SUCCESS;
	key = Py_BuildValue("(il)", (int)init, type);
	list = key && init_lists ? PyDict_GetItemWithError(init_lists, key) : NULL;
	list = list ? PyList_GetSlice(list, 0, PY_SSIZE_T_MAX) : NULL;
	for (i = 0; list && i < PyList_Size(list) && !ret; i++) {
		pair = PyList_GetItem(list, i);
		if (init)
			result = acl_py_call(PyTuple_GetItem(pair, 0), "(s#O)", config ? config : "",
					     (Py_ssize_t)(config ? length : 0), PyTuple_GetItem(pair, 1));
		else
			result = acl_py_call(PyTuple_GetItem(pair, 0), "(O)", PyTuple_GetItem(pair, 1));
		if (result && PyLong_Check(result))
			ret = PyLong_AsLong(result);
		Py_XDECREF(result);
	}
	PyErr_Clear();
	Py_XDECREF(list);
	Py_XDECREF(key);
	acl_py_finish(state);
	return (aclError)ret;
}

static aclError run_init(const char *config, size_t length, void *type)
{
	return run_init_list(true, (long)(intptr_t)type, config, length);
}

static aclError run_finalize(void *type)
{
	return run_init_list(false, (long)(intptr_t)type, NULL, 0);
}

/* These are never registered: the library refuses them when a function that the program did not register is to go */
static aclError no_init(const char *config, size_t length, void *type)
{
	(void)config;
	(void)length;
	(void)type;
	return ACL_SUCCESS;
}

static aclError no_finalize(void *type)
{
	(void)type;
	return ACL_SUCCESS;
}

static PyObject *add_init_hook(const struct acl_py_site *site, bool init, PyObject *const *args, Py_ssize_t nargs)
{
	PyThreadState *thread;
	int32_t type = 0;
	PyObject *key;
	aclError ret;
	int err;

	if (nargs != 3)
		return acl_py_count(site, nargs, 3, 3, "type, cb_func, user_data");
	if (!acl_py_i32(args[0], &type, site, "type") || !acl_py_function(args[1], false, site, "cb_func"))
		return NULL;
	thread = acl_py_leave();
	if (init)
		ret = aclInitCallbackRegister((aclRegisterCallbackType)type, run_init, (void *)(intptr_t)type);
	else
		ret = aclFinalizeCallbackRegister((aclRegisterCallbackType)type, run_finalize,
						  (void *)(intptr_t)type);
	if (!acl_py_enter(thread))
		return NULL;
	if (ret)
		return PyLong_FromLong(ret);
	key = Py_BuildValue("(il)", (int)init, (long)type);
	err = key && made_dict(&init_lists) ? add_to_list(init_lists, key, args[1], args[2], true) : -1;
	Py_XDECREF(key);
	return err ? NULL : PyLong_FromLong(ret);
}

static PyObject *drop_init_hook(const struct acl_py_site *site, bool init, PyObject *const *args, Py_ssize_t nargs)
{
	PyThreadState *thread;
	aclError ret = ACL_SUCCESS;
	int32_t type = 0;
	PyObject *key;
	bool found;

	if (nargs != 2)
		return acl_py_count(site, nargs, 2, 2, "type, cb_func");
	if (!acl_py_i32(args[0], &type, site, "type") || !acl_py_function(args[1], false, site, "cb_func"))
		return NULL;
	key = Py_BuildValue("(il)", (int)init, (long)type);
	if (!key)
		return NULL;
	found = take_from_list(init_lists, key, args[1]);
	if (!found || !length_of(init_lists, key)) {
		PyErr_Clear();
		thread = acl_py_leave();
		if (init)
			ret = aclInitCallbackUnRegister((aclRegisterCallbackType)type,
							found ? run_init : no_init);
		else
			ret = aclFinalizeCallbackUnRegister((aclRegisterCallbackType)type,
							    found ? run_finalize : no_finalize);
		(void)acl_py_enter(thread);
	}
	Py_DECREF(key);
	return PyErr_Occurred() ? NULL : PyLong_FromLong(ret);
}

PyObject *py_aclInitCallbackRegister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.init_callback_register" };

	(void)self;
	return add_init_hook(&site, true, args, nargs);
}

PyObject *py_aclInitCallbackUnRegister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.init_callback_unregister" };

	(void)self;
	return drop_init_hook(&site, true, args, nargs);
}

PyObject *py_aclFinalizeCallbackRegister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.finalize_callback_register" };

	(void)self;
	return add_init_hook(&site, false, args, nargs);
}

PyObject *py_aclFinalizeCallbackUnRegister(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.finalize_callback_unregister" };

	(void)self;
	return drop_init_hook(&site, false, args, nargs);
}
