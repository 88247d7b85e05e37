# SPDX-License-Identifier: MIT
"""The AI cores that anpucc compiles for. SoC names select the core that stands in for theirs."""
import difflib
import re
from dataclasses import dataclass, replace

from errors import UsageError


@dataclass
class Cpu:
    """One AI core and the macros that tell sources about it."""
    name: str
    text: str
    macros: tuple
    socs: tuple


CPUS = [
    Cpu("anpu-v1", "RV64 IMAFD Zfh scalar unit, vector unit, cube unit (include/anpu/anpu_isa.h)",
        ("__ANPU__=1", "__ANPU_CORE__=1"),
        ("ANPU1", "Ascend910B", "Ascend910B1", "Ascend910B2", "Ascend910B2C", "Ascend910B3", "Ascend910B4",
         "Ascend910B4-1", "Ascend910_9362", "Ascend910_9372", "Ascend910_9381", "Ascend910_9382",
         "Ascend910_9391", "Ascend910_9392", "Ascend310P", "Ascend310P1", "Ascend310P3",
         "Ascend310B", "Ascend310B1", "Ascend310B4", "dav-2201", "dav-c220", "dav-c220-vec",
         "dav-c220-cube", "dav-m200", "dav-3510", "dav-c310", "dav-c310-vec", "dav-c310-cube", "Ascend950")),
]
# What sources ask for that have code of their own for each generation of cores, by the beginning of the SoC's name. The newest
# has registers and threads.
GENERATIONS = ((("dav-3510", "dav-c310", "ascend950", "ascend910_95"), ("__CCE__=1", "__CCE_AICORE__=310", "__NPU_ARCH__=3510")),
               (("dav-m200", "ascend310p"), ("__CCE__=1", "__CCE_AICORE__=200", "__NPU_ARCH__=2002", "__DAV_M200__=1")),
               (("",), ("__CCE__=1", "__CCE_AICORE__=220", "__NPU_ARCH__=2201")))

# Names of which there are many, one for each way that a chip is sold: their beginning tells the generation
FAMILIES = (("ascend950", re.compile(r"ascend950(pr|dt)(_\w+)?|ascend910_95\w*")),)


def find_cpu(name):
    """The core of that name or that stands in for that SoC; case does not matter."""
    wanted = name.lower()
    names = {}
    for cpu in CPUS:
        for known in (cpu.name,) + cpu.socs:
            names[known.lower()] = cpu
    for first, members in FAMILIES:
        if members.fullmatch(wanted):
            names[wanted] = names[first]
    if wanted in names:
        generation = next(macros for begins, macros in GENERATIONS if wanted.startswith(begins))
        return replace(names[wanted], macros=names[wanted].macros + generation)
    near = difflib.get_close_matches(wanted, names, 1)
    hint = f", did you mean '{near[0]}'?" if near else ";"
    raise UsageError(f"unknown CPU '{name}'{hint} anpucc --list-cpus shows the names")


def list_cpus():
    for cpu in CPUS:
        print(f"{cpu.name}\t{cpu.text}")
        for soc in cpu.socs:
            print(f"{soc}\tcompiled for {cpu.name}")
