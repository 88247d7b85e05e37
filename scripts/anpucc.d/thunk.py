# SPDX-License-Identifier: MIT
"""Writes the C++ file with the entry thunks and the .ascend.meta records of an operator's kernels."""
import struct

WORKSPACE_AT = 8 # of what Ascend C keeps for a block (include/ascendc/core/state.h): the workspace that GetSysWorkSpacePtr() gives


def told_workspace(kernel):
    """A framework's kernel has (..., workspace, tiling) last, and needs no SetSysWorkspace(): where its workspace is in the argument block."""
    last = kernel.params[-2:]
    if len(last) < 2 or not (last[0].pointer and last[1].pointer) or last[0].name.lower() != "workspace" or not last[1].name.lower().startswith("tiling"):
        return None
    return last[0].offset


def thunk_source(kernels, types, isa, producer, block_at=None):
    """The text of the thunk file. A thunk loads every parameter from the argument block and calls the
    kernel as C code would, so clang applies the calling convention. @block_at: where variables of the block lie."""
    prefix = isa.constant("ANPU_ENTRY_PREFIX")
    first = "" if block_at is None else f'__asm__ volatile("li tp, {block_at}"); '
    out = ["/* entry thunks, made by anpucc */"] + types.declarations
    for number, kernel in enumerate(kernels):
        params = ", ".join(p.declaration for p in kernel.params) or "void"
        values = ", ".join(f"*(const {p.declaration} *)(args + {p.offset})"
                           if not p.declaration.endswith("*") else
                           f"*({p.declaration} const *)(args + {p.offset})" for p in kernel.params)
        out.append(f"extern void k{number}({params}) __asm__(\"{kernel.symbol}\");")
        out.append(f"extern void e{number}(const unsigned char *) __attribute__((visibility(\"default\"))) "
                   f"__asm__(\"{prefix}{kernel.symbol}\");")
        at = told_workspace(kernel)
        told = "" if at is None else f"*(void **)({isa.constant('ANPU_STACK_BASE') + WORKSPACE_AT}UL) = *(void *const *)(args + {at}); "
        out.append(f"void e{number}(const unsigned char *args) {{ (void)args; {first}{told}k{number}({values}); }}")
        out.append(meta_section(kernel, isa, producer))
    return "\n".join(out) + "\n"


def meta_section(kernel, isa, producer):
    """A top-level asm statement with the kernel's meta section."""
    text = "".join(f"\\n.byte {', '.join(str(b) for b in part)}" for part in chunks(records(kernel, isa, producer)))
    name = isa.constant("ANPU_META_PREFIX") + kernel.symbol
    return f"__asm__(\".pushsection {name},\\\"\\\",@progbits{text}\\n.popsection\");"


def chunks(data):
    return [data[i:i + 64] for i in range(0, len(data), 64)]


def records(kernel, isa, producer):
    """The bytes of a kernel's meta records {u16 type, u16 length, value}."""
    values = {
        isa.meta("KERNEL_TYPE"): struct.pack("<I", isa.constant("ANPU_META_TYPE_AICORE")),
        isa.meta("STACK_SIZE"): struct.pack("<I", isa.constant("ANPU_STACK_SIZE")),
        isa.meta("ISA_VERSION"): struct.pack("<I", isa.constant("ANPU_ISA_VERSION")),
        isa.meta("PARAMS"): b"".join(
            struct.pack("<HHBB2x", p.offset, p.size,
                        isa.constant("ANPU_PARAM_POINTER" if p.pointer else "ANPU_PARAM_VALUE"), p.align)
            for p in kernel.params),
        isa.meta("PARAM_NAMES"): b"".join(p.name.encode() + b"\0" for p in kernel.params),
        isa.meta("PRODUCER"): producer.encode() + b"\0",
        isa.meta("PARAM_TYPES"): b"".join(p.text.encode() + b"\0" for p in kernel.params),
    }
    values.update(kernel.records)
    return b"".join(struct.pack("<HH", kind, len(value)) + value for kind, value in sorted(values.items()))
