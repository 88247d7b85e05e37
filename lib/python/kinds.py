# SPDX-License-Identifier: MIT
"""The kinds of values that api.list names: how each is converted, and its Python type.

A parameter of a kind has in C a variable of the type .c, filled by .take(object, &variable, &site, "name"). .give is
what the C function gets, with %s for the variable; .drop gives back what the variable holds. A result has a variable
of the type of the prototype, and .make makes an object of it.
"""


class Kind:
    """How one kind of value is converted."""

    def __init__(self, c, take, python, give="%s", make=None, drop=None, result=None):
        self.c, self.take, self.give, self.make, self.drop = c, take, give, make, drop
        self.python, self.result = python, result or python

    def declare(self, name):
        """A variable in C for a parameter."""
        init = "{ 0 }" if self.c.startswith("struct") or self.c in DICTS or self.c == "aclrtIpcEventHandle" else "0"
        return "%s%s%s = %s;" % (self.c, "" if self.c.endswith("*") else " ", name, init)


PATH = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"
DICT = "dict[str, Any]"
CALLABLE = "Callable[..., Any]"

# Structures that are dicts in Python: type in C, fields as name in C and kind. A key may be written as in C or with
# underscores; results have underscores. A field that is not given is 0.
STRUCTS = {
    "location": ("aclrtMemLocation", [("id", "u32"), ("type", "enum")]),
    "managed": ("aclrtMemManagedLocation", [("type", "enum"), ("id", "i32")]),
    "physical": ("aclrtPhysicalMemProp", [("handleType", "enum"), ("allocationType", "enum"), ("memAttr", "enum"),
                                          ("location", "location"), ("reserve", "u64")]),
    "access": ("aclrtMemAccessDesc", [("flags", "enum"), ("location", "location")]),
    "batch": ("aclrtMemcpyBatchAttr", [("dstLoc", "location"), ("srcLoc", "location")]),
    "placeholder": ("aclrtPlaceHolderInfo", [("addrOffset", "u32"), ("dataOffset", "u32")]),
    "utilization": ("aclrtUtilizationInfo", [("cubeUtilization", "i32"), ("vectorUtilization", "i32"),
                                             ("aicpuUtilization", "i32"), ("memoryUtilization", "i32"),
                                             ("utilizationExtend", "ptr")]),
    "pointer": ("aclrtPtrAttributes", [("location", "location"), ("pageSize", "u32")]),
    "cntrecord": ("aclrtCntNotifyRecordInfo", [("mode", "enum"), ("value", "u32")]),
    "cntwait": ("aclrtCntNotifyWaitInfo", [("mode", "enum"), ("value", "u32"), ("timeout", "u32"), ("isClear", "u8")]),
    "pool": ("aclrtMemPoolProps", [("allocType", "enum"), ("handleType", "enum"), ("location", "location"),
                                   ("maxSize", "size")]),
    "version": ("aclCANNPackageVersion", [("version", "chars"), ("majorVersion", "chars"), ("minorVersion", "chars"),
                                          ("releaseVersion", "chars"), ("patchVersion", "chars")]),
    "usage": ("aclrtMemUsageInfo", [("name", "chars"), ("curMemSize", "u64"), ("memPeakSize", "u64")]),
}
DICTS = {c for c, _ in STRUCTS.values()}

KINDS = {
    "i32": Kind("int32_t", "acl_py_i32", "int", make="PyLong_FromLong(%s)"),
    "enum": Kind("int32_t", "acl_py_i32", "int", make="PyLong_FromLong((long)%s)"),
    "u8": Kind("uint8_t", "acl_py_u8", "int", make="PyLong_FromLong(%s)"),
    "u16": Kind("uint16_t", "acl_py_u16", "int", make="PyLong_FromLong(%s)"),
    "u32": Kind("uint32_t", "acl_py_u32", "int", make="PyLong_FromUnsignedLong(%s)"),
    "i64": Kind("int64_t", "acl_py_i64", "int", make="PyLong_FromLongLong(%s)"),
    "u64": Kind("uint64_t", "acl_py_u64", "int", make="PyLong_FromUnsignedLongLong(%s)"),
    "size": Kind("size_t", "acl_py_size", "int", make="PyLong_FromSize_t(%s)"),
    "handle": Kind("void *", "acl_py_handle", "int", make="PyLong_FromVoidPtr((void *)%s)"),
    # objects that the module knows; any other number counts as NULL
    "databuffer": Kind("void *", "acl_py_data_buffer", "int", make="PyLong_FromVoidPtr((void *)%s)"),
    "streamconfig": Kind("void *", "acl_py_stream_config", "int", make="PyLong_FromVoidPtr((void *)%s)"),
    "info": Kind("void *", "acl_py_exception_info", "int"),
    "ptr": Kind("void *", "acl_py_ptr", "int | None", result="int", make="PyLong_FromVoidPtr((void *)%s)"),
    "f32": Kind("float", "acl_py_f32", "float", make="PyFloat_FromDouble(%s)"),
    "str": Kind("const char *", "acl_py_str", "str", make="acl_py_text(%s)"),
    "text": Kind(None, None, None, make="acl_py_text(%s)", result="str"),
    "chars": Kind(None, None, None, make="acl_py_chars(%s, sizeof(%s))", result="str"),
    "uuid": Kind(None, None, None, make="PyBytes_FromStringAndSize(%s.bytes, sizeof(%s.bytes))", result="bytes"),
    "ipcevent": Kind("aclrtIpcEventHandle", "acl_py_ipc_event", "bytes", result="bytes",
                     make="PyBytes_FromStringAndSize(%s.reserved, sizeof(%s.reserved))"),
    "path": Kind("struct acl_py_path", "acl_py_path", PATH, give="%s.text", drop="Py_XDECREF(%s.held)"),
    "config": Kind("struct acl_py_path", "acl_py_config", PATH + " | None", give="%s.text", drop="Py_XDECREF(%s.held)"),
    "none": Kind(None, None, None, result="None"),
    # lists; =count(name) is how many there are
    "handles": Kind("struct acl_py_array", "acl_py_u64s", "Sequence[int]", give="%s.items", drop="PyMem_Free(%s.items)"),
    "ptrs": Kind("struct acl_py_array", "acl_py_u64s", "Sequence[int]", give="%s.items", drop="PyMem_Free(%s.items)"),
    "sizes": Kind("struct acl_py_array", "acl_py_u64s", "Sequence[int]", give="%s.items", drop="PyMem_Free(%s.items)"),
    "i32s": Kind("struct acl_py_array", "acl_py_i32s", "Sequence[int]", give="%s.items", drop="PyMem_Free(%s.items)"),
    # three numbers, x, y, z
    "dim": Kind("dim3", "take_dim", "Sequence[int]"),
    # configurations: lists of dicts with id or type, and value; [] and None are NULL
    "launchcfg": Kind("struct acl_py_launch_cfg", "acl_py_launch_cfg", "Sequence[%s] | None" % DICT, give="%s.given",
                      drop="PyMem_Free(%s.cfg.attrs)"),
    "loadopts": Kind("struct acl_py_load_options", "acl_py_load_options", "Sequence[%s] | None" % DICT, give="%s.given",
                     drop="PyMem_Free(%s.all.options)"),
    "malloccfg": Kind("struct acl_py_malloc_cfg", "acl_py_malloc_cfg", "%s | Sequence[%s] | None" % (DICT, DICT),
                      give="%s.given", drop="PyMem_Free(%s.cfg.attrs)"),
}
for name, (ctype, _) in STRUCTS.items():
    KINDS[name] = Kind(ctype, "acl_py_take_" + name, DICT, give="&%s", make="acl_py_make_%s(&%%s)" % name)
    KINDS[name + "s"] = Kind("struct acl_py_array", "acl_py_take_%ss" % name, "Sequence[%s]" % DICT, give="%s.items",
                             drop="PyMem_Free(%s.items)")
# by value
KINDS["managedv"] = Kind("aclrtMemManagedLocation", "acl_py_take_managed", DICT)

# Kinds of the functions that are written by hand, for the stubs
HAND = {
    "function": (CALLABLE, CALLABLE), "function0": (CALLABLE + " | None", CALLABLE + " | None"), "any": ("Any", "Any"),
    "ints": ("Sequence[int]", "list[int]"), "dict": (DICT, DICT), "dicts": ("Sequence[%s]" % DICT, "list[%s]" % DICT),
    "share": ("int | bytes", "int | bytes"), "value": ("int | Sequence[int]", "int | list[int]"),
    "functionint": ("int", CALLABLE + " | int"),
}


def python_type(kind, result):
    """What a value of a kind is in Python."""
    if kind in HAND:
        return HAND[kind][result]
    return KINDS[kind].result if result else KINDS[kind].python
