// SPDX-License-Identifier: MIT
/*
 * Functions whose C form writes arrays, or values whose type depends on an argument.
 */
#include <string.h>

#include "made.h"

/* More than this is no array that the library fills */
#define COUNT_MAX (1 << 20)

/* A list of int of an array of 32-bit numbers, or of 64-bit ones */
static PyObject *list_of(const void *items, size_t count, bool wide)
{
	PyObject *list = PyList_New((Py_ssize_t)count), *item;
	size_t i;

	for (i = 0; list && i < count; i++) {
		item = wide ? PyLong_FromUnsignedLongLong(((const uint64_t *)items)[i]) :
			      PyLong_FromLong(((const int32_t *)items)[i]);
		if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) {
			Py_DECREF(list);
			return NULL;
		}
	}
	return list;
}

PyObject *py_aclGetCannAttributeList(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.get_cann_attribute_list" };
	const aclCannAttr *list = NULL;
	size_t n = 0;
	aclError ret;

	(void)self;
	(void)args;
	if (nargs)
		return acl_py_count(&site, nargs, 0, 0, "");
	ret = aclGetCannAttributeList(&list, &n);
	return acl_py_tuple(2, list_of(list, ret ? 0 : n, false), PyLong_FromLong(ret));
}

/* Capabilities of atomic operations: of the host with a device, or of two devices */
static PyObject *capabilities(const struct acl_py_site *site, PyObject *const *args, bool peers)
{
	struct acl_py_array ops = { 0 };
	int32_t device = 0, other = 0;
	PyObject *result = NULL;
	PyThreadState *thread;
	uint32_t *found = NULL;
	aclError ret;

	if (!acl_py_i32s(args[0], &ops, site, "operations") ||
	    !acl_py_i32(args[1], &device, site, peers ? "src_device_id" : "device_id") ||
	    (peers && !acl_py_i32(args[2], &other, site, "dst_device_id")))
		goto failed;
	found = PyMem_Calloc(ops.count + 1, sizeof(*found));
	if (!found) {
		PyErr_NoMemory();
		goto failed;
	}
	thread = acl_py_leave();
	if (peers)
		ret = aclrtDeviceGetP2PAtomicCapabilities(found, ops.items, (uint32_t)ops.count, device, other);
	else
		ret = aclrtDeviceGetHostAtomicCapabilities(found, ops.items, (uint32_t)ops.count, device);
	if (acl_py_enter(thread))
		result = acl_py_tuple(2, list_of(found, ret ? 0 : ops.count, false), PyLong_FromLong(ret));
failed:
	PyMem_Free(found);
	PyMem_Free(ops.items);
	return result;
}

PyObject *py_aclrtDeviceGetHostAtomicCapabilities(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.device_get_host_atomic_capabilities" };

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "operations, device_id");
	return capabilities(&site, args, false);
}

PyObject *py_aclrtDeviceGetP2PAtomicCapabilities(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.device_get_p2p_atomic_capabilities" };

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "operations, src_device_id, dst_device_id");
	return capabilities(&site, args, true);
}

PyObject *py_aclrtSetStreamAttribute(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.set_stream_attribute" };
	aclrtStreamAttrValue value = { 0 };
	PyThreadState *thread;
	int32_t attr = 0;
	uint64_t wide = 0;
	aclError ret;
	void *stream;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "stream, stm_attr_type, value");
	if (!acl_py_handle(args[0], &stream, &site, "stream") ||
	    !acl_py_i32(args[1], &attr, &site, "stm_attr_type") ||
	    !acl_py_u64(args[2], &wide, &site, "value"))
		return NULL;
	if (attr != ACL_STREAM_ATTR_FAILURE_MODE && wide > UINT32_MAX) {
		PyErr_Format(PyExc_OverflowError, "%s(): value is %R and must be from 0 to 2**32-1", site.function,
			     args[2]);
		return NULL;
	}
	value.failureMode = wide;
	thread = acl_py_leave();
	ret = aclrtSetStreamAttribute(stream, (aclrtStreamAttr)attr, &value);
	return acl_py_enter(thread) ? PyLong_FromLong(ret) : NULL;
}

PyObject *py_aclrtGetStreamAttribute(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.get_stream_attribute" };
	aclrtStreamAttrValue value = { 0 };
	PyThreadState *thread;
	int32_t attr = 0;
	aclError ret;
	void *stream;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "stream, stm_attr_type");
	if (!acl_py_handle(args[0], &stream, &site, "stream") ||
	    !acl_py_i32(args[1], &attr, &site, "stm_attr_type"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtGetStreamAttribute(stream, (aclrtStreamAttr)attr, &value);
	if (!acl_py_enter(thread))
		return NULL;
	return acl_py_tuple(2,
			    PyLong_FromUnsignedLongLong(attr == ACL_STREAM_ATTR_FAILURE_MODE ? value.failureMode :
											       value.streamPriority),
			    PyLong_FromLong(ret));
}

PyObject *py_aclrtGetMemUsageInfo(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.get_mem_usage_info" };
	PyObject *list, *item, *result = NULL;
	aclrtMemUsageInfo *info;
	PyThreadState *thread;
	size_t room = 0, n = 0, i;
	int32_t device = 0;
	aclError ret;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "device_id, input_num");
	if (!acl_py_i32(args[0], &device, &site, "device_id") || !acl_py_size(args[1], &room, &site, "input_num"))
		return NULL;
	if (room > COUNT_MAX) {
		PyErr_Format(PyExc_ValueError, "%s(): input_num is %zu and must be from 0 to %d", site.function, room,
			     COUNT_MAX);
		return NULL;
	}
	info = PyMem_Calloc(room + 1, sizeof(*info));
	if (!info)
		return PyErr_NoMemory();
	thread = acl_py_leave();
	ret = aclrtGetMemUsageInfo(device, info, room, &n);
	if (!acl_py_enter(thread))
		goto out;
	list = PyList_New(0);
	for (i = 0; list && !ret && i < n && i < room; i++) {
		item = acl_py_make_usage(&info[i]);
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	result = acl_py_tuple(3, list, PyLong_FromSize_t(n), PyLong_FromLong(ret));
out:
	PyMem_Free(info);
	return result;
}

/* What an attribute of managed memory says: one number, or a list */
static PyObject *managed_value(int32_t attribute, const int32_t *data, size_t size)
{
	if (attribute == ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
		return list_of(data, size / sizeof(*data), false);
	return PyLong_FromLong(data[0]);
}

PyObject *py_aclrtMemManagedGetAttr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.mem_managed_get_attr" };
	PyObject *result = NULL;
	PyThreadState *thread;
	size_t size = 0, room = 0;
	int32_t attribute = 0;
	char *data = NULL;
	aclError ret;
	void *ptr;

	(void)self;
	if (nargs != 4)
		return acl_py_count(&site, nargs, 4, 4, "attribute, ptr, size, data_size");
	if (!acl_py_i32(args[0], &attribute, &site, "attribute") || !acl_py_ptr(args[1], &ptr, &site, "ptr") ||
	    !acl_py_size(args[2], &size, &site, "size") || !acl_py_size(args[3], &room, &site, "data_size") ||
	    !acl_py_buffer(&data, (int64_t)(room < sizeof(int32_t) ? sizeof(int32_t) : room), &site, "data_size"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtMemManagedGetAttr((aclrtMemManagedRangeAttribute)attribute, ptr, size, data, room);
	if (acl_py_enter(thread))
		result = acl_py_tuple(2, managed_value(attribute, (int32_t *)data, room), PyLong_FromLong(ret));
	PyMem_Free(data);
	return result;
}

/* A list of what each attribute says, whose data has the size in @sizes */
static PyObject *managed_values(const struct acl_py_array *attributes, const struct acl_py_array *sizes, void **data)
{
	PyObject *list = PyList_New(0), *item;
	size_t i;

	for (i = 0; list && i < attributes->count; i++) {
		item = managed_value(((int32_t *)attributes->items)[i], data[i], ((size_t *)sizes->items)[i]);
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

PyObject *py_aclrtMemManagedGetAttrs(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.mem_managed_get_attrs" };
	struct acl_py_array attributes = { 0 }, sizes = { 0 };
	void **data = NULL, *ptr;
	PyObject *result = NULL;
	PyThreadState *thread;
	size_t size = 0, i;
	aclError ret;

	(void)self;
	if (nargs != 4)
		return acl_py_count(&site, nargs, 4, 4, "attributes, ptr, size, data_sizes");
	if (!acl_py_i32s(args[0], &attributes, &site, "attributes") || !acl_py_ptr(args[1], &ptr, &site, "ptr") ||
	    !acl_py_size(args[2], &size, &site, "size") || !acl_py_u64s(args[3], &sizes, &site, "data_sizes") ||
	    !acl_py_same(&site, "attributes", attributes.count, "data_sizes", sizes.count))
		goto out;
	data = PyMem_Calloc(attributes.count + 1, sizeof(*data));
	if (!data)
		PyErr_NoMemory();
	for (i = 0; data && i < attributes.count; i++)
		if (!acl_py_buffer((char **)&data[i], (int64_t)((uint64_t *)sizes.items)[i] + 3, &site, "data_sizes"))
			goto out;
	if (!data)
		goto out;
	thread = acl_py_leave();
	ret = aclrtMemManagedGetAttrs(attributes.items, attributes.count, ptr, size, data, sizes.items);
	if (acl_py_enter(thread))
		result = acl_py_tuple(2, ret ? PyList_New(0) : managed_values(&attributes, &sizes, data),
				      PyLong_FromLong(ret));
out:
	for (i = 0; data && i < attributes.count; i++)
		PyMem_Free(data[i]);
	PyMem_Free(data);
	PyMem_Free(attributes.items);
	PyMem_Free(sizes.items);
	return result;
}

PyObject *py_aclrtMemPoolGetAttr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.mem_pool_get_attr" };
	PyThreadState *thread;
	uint64_t value = 0;
	int32_t attr = 0;
	aclError ret;
	void *pool;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "mem_pool, attr");
	if (!acl_py_handle(args[0], &pool, &site, "mem_pool") || !acl_py_i32(args[1], &attr, &site, "attr"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, &value);
	if (!acl_py_enter(thread))
		return NULL;
	return acl_py_tuple(2, PyLong_FromUnsignedLongLong(value), PyLong_FromLong(ret));
}

PyObject *py_aclrtMemPoolSetAttr(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.mem_pool_set_attr" };
	PyThreadState *thread;
	uint64_t value = 0;
	int32_t attr = 0;
	aclError ret;
	void *pool;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "mem_pool, attr, value");
	if (!acl_py_handle(args[0], &pool, &site, "mem_pool") || !acl_py_i32(args[1], &attr, &site, "attr") ||
	    !acl_py_u64(args[2], &value, &site, "value"))
		return NULL;
	/* the rules of reuse are 32-bit numbers, which stand in the low half */
	if (attr <= ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES && value > UINT32_MAX) {
		PyErr_Format(PyExc_OverflowError, "%s(): value is %R and must be from 0 to 2**32-1", site.function,
			     args[2]);
		return NULL;
	}
	thread = acl_py_leave();
	ret = aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, &value);
	return acl_py_enter(thread) ? PyLong_FromLong(ret) : NULL;
}

PyObject *py_aclrtGetErrorVerbose(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.get_error_verbose" };
	aclrtErrorInfo info = { 0 };
	PyThreadState *thread;
	int32_t device = 0;
	PyObject *dict;
	aclError ret;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "device_id");
	if (!acl_py_i32(args[0], &device, &site, "device_id"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtGetErrorVerbose(device, &info);
	if (!acl_py_enter(thread))
		return NULL;
	dict = Py_BuildValue("{s:i,s:i,s:l,s:l}", "try_repair", (int)info.tryRepair, "has_detail", (int)info.hasDetail,
			     "error_type", (long)info.errorType, "aicore_err_type",
			     info.hasDetail && info.errorType == ACL_RT_ERROR_AICORE ? (long)info.detail.aicoreErrType :
										       0L);
	return acl_py_tuple(2, dict, PyLong_FromLong(ret));
}

PyObject *py_aclrtSetMemcpyDesc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.set_memcpy_desc" };
	void *desc, *src, *dst, *config;
	PyThreadState *thread;
	int32_t kind = 0;
	size_t count = 0;
	aclError ret;

	(void)self;
	if (nargs != 6)
		return acl_py_count(&site, nargs, 6, 6, "desc, kind, src_addr, dst_addr, count, config");
	if (!acl_py_ptr(args[0], &desc, &site, "desc") || !acl_py_i32(args[1], &kind, &site, "kind") ||
	    !acl_py_ptr(args[2], &src, &site, "src_addr") || !acl_py_ptr(args[3], &dst, &site, "dst_addr") ||
	    !acl_py_size(args[4], &count, &site, "count") || !acl_py_ptr(args[5], &config, &site, "config"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtSetMemcpyDesc(desc, (aclrtMemcpyKind)kind, src, dst, count, config);
	if (!acl_py_enter(thread))
		return NULL;
	return acl_py_tuple(2, PyLong_FromVoidPtr(desc), PyLong_FromLong(ret));
}

PyObject *py_aclAppLog(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.app_log" };
	const char *message;
	int32_t level = 0;

	(void)self;
	if (nargs != 2)
		return acl_py_count(&site, nargs, 2, 2, "log_level, message");
	if (!acl_py_i32(args[0], &level, &site, "log_level") || !acl_py_str(args[1], &message, &site, "message"))
		return NULL;
	aclAppLog((aclLogLevel)level, "python", "acl", 0, "%s", message);
	Py_RETURN_NONE;
}

/* Share handles are numbers, or the bytes of an aclrtMemFabricHandle */
static bool take_share(PyObject *o, int32_t type, aclrtMemFabricHandle *share, const struct acl_py_site *site)
{
	uint64_t number = 0;
	Py_ssize_t size;
	char *bytes;

	if (type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) {
		if (!acl_py_u64(o, &number, site, "shareable_handle"))
			return false;
		memcpy(share, &number, sizeof(number));
		return true;
	}
	if (!PyBytes_Check(o))
		return acl_py_wrong_type(o, site, "shareable_handle", "bytes");
	if (PyBytes_AsStringAndSize(o, &bytes, &size))
		return false;
	if (size != sizeof(share->data)) {
		PyErr_Format(PyExc_ValueError, "%s(): shareable_handle has %zd bytes and must have %zu",
			     site->function, size, sizeof(share->data));
		return false;
	}
	memcpy(share, bytes, sizeof(share->data));
	return true;
}

PyObject *py_aclrtMemExportToShareableHandleV2(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.mem_export_to_shareable_handle_v2" };
	union {
		aclrtMemFabricHandle fabric;
		uint64_t number;
	} share = { 0 };
	PyThreadState *thread;
	uint64_t flags = 0;
	int32_t type = 0;
	void *handle;
	aclError ret;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "handle, flags, share_type");
	if (!acl_py_handle(args[0], &handle, &site, "handle") || !acl_py_u64(args[1], &flags, &site, "flags") ||
	    !acl_py_i32(args[2], &type, &site, "share_type"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtMemExportToShareableHandleV2(handle, flags, (aclrtMemSharedHandleType)type, &share);
	if (!acl_py_enter(thread))
		return NULL;
	return acl_py_tuple(2,
			    type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC ?
				    PyBytes_FromStringAndSize((char *)share.fabric.data, sizeof(share.fabric.data)) :
				    PyLong_FromUnsignedLongLong(share.number),
			    PyLong_FromLong(ret));
}

PyObject *py_aclrtMemImportFromShareableHandleV2(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.mem_import_from_shareable_handle_v2" };
	aclrtMemFabricHandle share = { 0 };
	aclrtDrvMemHandle handle = NULL;
	PyThreadState *thread;
	uint64_t flags = 0;
	int32_t type = 0;
	aclError ret;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "shareable_handle, share_type, flags");
	if (!acl_py_i32(args[1], &type, &site, "share_type") || !take_share(args[0], type, &share, &site) ||
	    !acl_py_u64(args[2], &flags, &site, "flags"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtMemImportFromShareableHandleV2(&share, (aclrtMemSharedHandleType)type, flags, &handle);
	if (!acl_py_enter(thread))
		return NULL;
	return acl_py_tuple(2, PyLong_FromVoidPtr(handle), PyLong_FromLong(ret));
}

PyObject *py_aclrtMemSetPidToShareableHandleV2(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.rt.mem_set_pid_to_shareable_handle_v2" };
	aclrtMemFabricHandle share = { 0 };
	struct acl_py_array pids = { 0 };
	PyObject *result = NULL;
	PyThreadState *thread;
	int32_t type = 0;
	aclError ret;

	(void)self;
	if (nargs != 3)
		return acl_py_count(&site, nargs, 3, 3, "shareable_handle, share_type, pid");
	if (acl_py_i32(args[1], &type, &site, "share_type") && take_share(args[0], type, &share, &site) &&
	    acl_py_i32s(args[2], &pids, &site, "pid")) {
		thread = acl_py_leave();
		ret = aclrtMemSetPidToShareableHandleV2(&share, (aclrtMemSharedHandleType)type, pids.items,
							pids.count);
		if (acl_py_enter(thread))
			result = PyLong_FromLong(ret);
	}
	PyMem_Free(pids.items);
	return result;
}
