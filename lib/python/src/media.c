// SPDX-License-Identifier: MIT
/*
 * acl.media: memory for pictures, which is the device's ordinary memory, as libacl_dvpp.so has it. Programs that copy data and
 * know nothing of pictures allocate it, too.
 */
#include "acl_py.h"

static PyObject *dvpp_malloc(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.media.dvpp_malloc" };
	PyThreadState *thread;
	void *address = NULL;
	size_t size;
	aclError ret;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "size");
	if (!acl_py_size(args[0], &size, &site, "size"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST);
	if (!acl_py_enter(thread))
		return NULL;
	return acl_py_tuple(2, PyLong_FromVoidPtr(address), PyLong_FromLong(ret));
}

static PyObject *dvpp_free(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
	static const struct acl_py_site site = { "acl.media.dvpp_free" };
	PyThreadState *thread;
	void *address;
	aclError ret;

	(void)self;
	if (nargs != 1)
		return acl_py_count(&site, nargs, 1, 1, "dev_ptr");
	if (!acl_py_ptr(args[0], &address, &site, "dev_ptr"))
		return NULL;
	thread = acl_py_leave();
	ret = aclrtFree(address);
	return acl_py_enter(thread) ? PyLong_FromLong(ret) : NULL;
}

PyMethodDef acl_media_methods[] = {
	{ "dvpp_malloc", (PyCFunction)(void *)dvpp_malloc, METH_FASTCALL,
	  "dvpp_malloc(size, /)\n--\n\nAllocates device memory for pictures.\n\n"
	  "    dev_ptr, ret = acl.media.dvpp_malloc(size)\n\n"
	  "size is in bytes. Here it is memory as of acl.rt.malloc(); acl.media.dvpp_free() gives it back.\n\n"
	  "C: aclError acldvppMalloc(void **devPtr, size_t size)" },
	{ "dvpp_free", (PyCFunction)(void *)dvpp_free, METH_FASTCALL,
	  "dvpp_free(dev_ptr, /)\n--\n\nFrees what acl.media.dvpp_malloc() has allocated.\n\n"
	  "    ret = acl.media.dvpp_free(dev_ptr)\n\nC: aclError acldvppFree(void *devPtr)" },
	{ 0 },
};
