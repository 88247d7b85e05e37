# SPDX-License-Identifier: MIT
"""The module and lib/python/api.list agree; every function checks the count, the types and the ranges of its arguments."""

import os
import subprocess
import sys

import acl
import pytest
from conftest import TOP

sys.path.append(os.path.join(TOP, "lib/python"))
import table  # noqa: E402  pylint: disable=wrong-import-position

ROWS = table.read()
FUNCTIONS = [f for f in ROWS if f.form != "none"]
NAMES = {name: f for f in FUNCTIONS for name in f.names}

# A valid value of each kind, with which no function is called: another argument is always wrong
GOOD = {"dim": [1, 1, 1], "f32": 0.0, "str": "", "path": "", "config": "", "ipcevent": bytes(64), "launchcfg": [], "loadopts": [], "malloccfg": {},
        "function": print, "function0": print, "any": None, "dict": {}, "share": 0, "managedv": {}}
INTEGERS = {"i32": 31, "enum": 31, "u32": 32, "u16": 16, "i64": 63, "u64": 64, "size": 64, "handle": 64, "ptr": 64,
            "databuffer": 64, "streamconfig": 64, "info": 64}
UNCHECKED = {"any"}


def function(name):
    """The object that a name such as acl.rt.malloc stands for."""
    found = acl
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def good(parameter):
    if parameter.kind in INTEGERS:
        return 0
    if parameter.kind in GOOD:
        return GOOD[parameter.kind]
    return {} if parameter.kind in table.kinds.STRUCTS else []


def test_module_has_what_the_table_has():
    for module, found in (("acl", acl), ("acl.rt", acl.rt), ("acl.mdl", acl.mdl)):
        have = {n for n in dir(found) if not n.startswith("_") and type(getattr(found, n)).__name__ == "builtin_function_or_method"}
        want = {n.rsplit(".", 1)[1] for n in NAMES if n.rsplit(".", 1)[0] == module}
        assert have == want, module


def test_built_functions_have_a_python_form():
    assert [f.c_name for f in ROWS if f.form == "none" and f.built] == []


def test_page_is_made_from_the_table():
    made = subprocess.run([sys.executable, os.path.join(TOP, "lib/python/gen.py"), "page"], capture_output=True, text=True, check=True)
    with open(os.path.join(TOP, "Documentation/python-api.md"), encoding="utf-8") as f:
        assert f.read() == made.stdout, "make -C lib/python page"


def test_every_built_function_is_in_a_test():
    missing = [f.name for f in FUNCTIONS if f.built and not f.tests()]
    assert missing == []


def test_docstrings():
    for name, f in NAMES.items():
        found = function(name)
        assert found.__doc__ and found.__text_signature__ == f.signature(), name
        for value in f.parameters + f.values:
            if value.name != "ret":
                assert value.name in found.__doc__, (name, value.name)
    assert "slots of 8 bytes" in acl.rt.launch_kernel.__doc__ and "ACL_ERROR_INVALID_PARAM" in acl.rt.launch_kernel.__doc__
    assert acl.rt.__doc__ and acl.mdl.__doc__ and acl.util.__doc__


def test_constants():
    assert acl.ACL_SUCCESS == 0 and acl.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT == 507046
    assert acl.ACL_MEM_MALLOC_HUGE_FIRST == 0 and acl.ACL_MEMCPY_DEVICE_TO_DEVICE == 3 and acl.ACL_EVENT_TIME_LINE == 8


def test_modules_can_be_imported():
    import acl.mdl
    import acl.rt
    import acl.util
    from acl.rt import create_event
    assert sys.modules["acl.rt"] is acl.rt and create_event is acl.rt.create_event
    assert acl.mdl.ri_execute and acl.util.bytes_to_ptr


@pytest.mark.parametrize("module", ["acl", "acl.rt", "acl.mdl"])
def test_wrong_counts(module):
    for name, f in NAMES.items():
        if not name.startswith(module + ".") or name.count(".") != module.count(".") + 1:
            continue
        values = [good(p) for p in f.parameters]
        for wrong in (values + [0], values[:-1] if values and not f.parameters[-1].optional else values + [0, 0]):
            with pytest.raises(TypeError, match=r"^%s\(\) takes " % f.name.replace(".", r"\.")):
                function(name)(*wrong)


@pytest.mark.parametrize("module", ["acl", "acl.rt", "acl.mdl"])
def test_wrong_types(module):
    for f in FUNCTIONS:
        if f.name.rsplit(".", 1)[0] != module:
            continue
        for i, parameter in enumerate(f.parameters):
            values = [good(p) for p in f.parameters]
            values[i] = object()
            if parameter.kind in UNCHECKED:
                continue
            with pytest.raises(TypeError) as caught:
                function(f.name)(*values)
            assert str(caught.value).startswith(f.name + "(): " + parameter.name + " must be "), f.name


@pytest.mark.parametrize("module", ["acl", "acl.rt", "acl.mdl"])
def test_out_of_range(module):
    for f in FUNCTIONS:
        if f.name.rsplit(".", 1)[0] != module:
            continue
        for i, parameter in enumerate(f.parameters):
            if parameter.kind not in INTEGERS:
                continue
            values = [good(p) for p in f.parameters]
            wrong = [1 << INTEGERS[parameter.kind], -1 - (1 << INTEGERS[parameter.kind]), 1 << 200]
            for value in wrong + ([-1] if parameter.kind in ("u32", "u16", "u64", "size", "handle", "ptr", "info") else []):
                values[i] = value
                with pytest.raises(OverflowError) as caught:
                    function(f.name)(*values)
                assert str(caught.value).startswith(f.name + "(): " + parameter.name + " is "), f.name


def test_numbers_of_other_types():
    class Number:
        def __index__(self):
            return 7

    class Broken:
        def __index__(self):
            raise RuntimeError("no number")

    assert acl.data_type_size(True) == acl.data_type_size(1)
    assert acl.data_type_size(Number()) == acl.data_type_size(7)
    with pytest.raises(RuntimeError):
        acl.data_type_size(Broken())
    with pytest.raises(TypeError, match="data_type must be int, not float"):
        acl.data_type_size(1.0)


def test_texts():
    with pytest.raises(ValueError, match="has a NUL"):
        acl.rt.check_arch_compatibility("ANPU1\0")
    with pytest.raises(ValueError, match="bin_path"):
        acl.rt.binary_load_from_file("a\0b")
    with pytest.raises(TypeError, match="bin_path must be str, bytes or os.PathLike, not int"):
        acl.rt.binary_load_from_file(3, [])
    with pytest.raises(ValueError, match="max_len is 4294967295"):
        acl.rt.get_function_name(0, 2**32 - 1)


def test_configurations():
    launch = acl.rt.launch_kernel_with_config
    for cfg, error, text in (
            (3, TypeError, "cfg must be list of dict, not int"), ([3], TypeError, r"cfg\[0\] must be dict, not int"),
            ([{"id": 1}], ValueError, r"cfg\[0\] has no key 'value'"), ([{"value": 1}], ValueError, r"cfg\[0\] has no key 'id'"),
            ([{"id": 1, "val": 1}], ValueError, "no key 'val': there are id, value"),
            ([{"id": 7, "value": 65536}], OverflowError, "does not fit attribute 7"),
            ([{"id": "a", "value": 1}], TypeError, "id must be int, not str"), ([{1: 1}], TypeError, "a key of a dict must be str")):
        with pytest.raises(error, match=text):
            launch(0, 1, 0, cfg, 0, 0)
    with pytest.raises(ValueError, match="no key 'handle_typ'"):
        acl.rt.malloc_physical(1, {"handle_typ": 1}, 0)
    with pytest.raises(TypeError, match="location must be dict, not int"):
        acl.rt.malloc_physical(1, {"location": 1}, 0)
    with pytest.raises(ValueError, match="place_holder_num is 2, but place_holder_list has 1 items"):
        acl.rt.launch_kernel_with_host_args(0, 1, 0, [], 0, 0, [{"addrOffset": 0, "dataOffset": 8}], 2)
    with pytest.raises(ValueError, match="dsts has 1 items and sizes has 2"):
        acl.rt.memcpy_batch_v2([1], [1], [1], [1, 2], [], [])
    with pytest.raises(ValueError, match="no key 'x'"):
        acl.rt.malloc_with_cfg(1, 0, {"x": 1})


ZEROS = """
import sys
sys.path.insert(0, %(tests)r)
import acl, test_table
device = sys.argv[1] == "device"
if device:
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
skip = {"acl.init", "acl.finalize", "acl.finalize_reference", "acl.rt.reset_device_force", "acl.rt.process_report",
        "acl.rt.device_task_abort"}
count = 0
# no handle, a small number, what looks like a handle of each type and generation, all bits
for forged in (0, 1, 0xac10000010000202, 2**63, 2**64 - 1):
    for f in test_table.FUNCTIONS:
        if f.name in skip:
            continue
        values = [forged if p.kind in ("handle", "databuffer", "streamconfig", "info") else test_table.good(p) for p in f.parameters]
        result = test_table.function(f.name)(*values)
        count += 1
        if f.returned:
            continue
        ret = result[-1] if isinstance(result, tuple) else result
        assert type(ret) is int and (ret == 0 or ret >= 100000), (f.name, forged, result)
        if not f.built:
            assert ret == 207000, (f.name, result)
print("called", count)
"""


@pytest.mark.parametrize("where", ["device", "none"])
def test_nothing_and_forged_handles(where):
    """Every function with 0, "", [] and {}, and with handles that are none: a documented code, and no crash."""
    done = subprocess.run([sys.executable, "-c", ZEROS % {"tests": os.path.join(TOP, "tests/python")}, where], capture_output=True,
                          text=True, check=False, timeout=120)
    assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith("called "), done.stderr
