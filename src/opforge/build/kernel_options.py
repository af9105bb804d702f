"""The options with which an editor reads a kernel: the toolkit's folders, the chip's macros, those of one dtype column.

They are asc_opc's, as far as clang has them: options for code and for sanitizers are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from opforge.dtypes import DTYPES
from opforge.naming import snake
from opforge.soc import SOCS
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec
from opforge.toolkit.protocol import Toolkit

KERNEL_HEADER = "kernel_operator.h"  # the first header of each kernel
# Macros of asc_opc by architecture: of the chip, of its cube cores and of its vector cores.
_CUBE, _VECTOR = "__DAV_C220_CUBE__", "__DAV_C220_VEC__"
CHIPS: Mapping[int, tuple[str, ...]] = {
    2201: ("__NPU_ARCH__=2201", "__CCE_AICORE__=220"),
    2002: ("__NPU_ARCH__=2002", "__CCE_AICORE__=200"),
    3510: ("__NPU_ARCH__=3510", "__CCE_AICORE__=310", "__DAV_C310__"),
}
CORES: Mapping[int, tuple[str, ...]] = {
    2201: (_CUBE, _VECTOR),
    2002: ("__DAV_M200__",),
    3510: ("__DAV_CUBE__", "__DAV_VEC__"),
}
# The end of the macro that such a kernel lacks.
_ONE_CORE = {"KERNEL_TYPE_AIV_ONLY": "CUBE__", "KERNEL_TYPE_AIC_ONLY": "VEC__"}
_CONSTANT = re.compile(r"\bC_((?:DT|FORMAT)_\w+) = (\w+)")
# Folders of CANN with the kernel API, by its documentation and public CMake files; those that exist are used.
_OF_CANN = (
    *("{arch}/asc", "asc", "compiler/asc"),
    *("{arch}/tikcpp/tikcfw", "compiler/tikcpp/tikcfw", "tools/tikcpp/tikcfw"),
)
_BELOW = ("", "include", "include/basic_api", "include/adv_api", "include/utils", "interface", "impl")
_ON_CPU = "tools/tikicpulib/lib/include"  # stubs for g++; clang does not know the keywords of kernels without them


def toolkit_options(toolkit: Toolkit) -> tuple[str, ...]:
    """The folders of the kernel API, and the macros that do not depend on the kernel."""
    root = toolkit.root
    if toolkit.simulated:
        constants = (f"-D{name}={value}" for name, value in _constants(root / "include" / "graph" / "c_types.h"))
        return (f"-I{root}/include/ascendc", f"-I{root}/include", "-DASCENDC_TPL_KERNEL", *constants)
    arch = f"{os.uname().machine}-linux"
    places = [root / place.format(arch=arch) / below for place in _OF_CANN for below in _BELOW]
    stubs = root / _ON_CPU
    debug = ("-DASCENDC_CPU_DEBUG=1", f"-I{stubs}") if stubs.is_dir() else ()
    return (*debug, *(f"-I{place}" for place in (*places, root / "include") if place.is_dir()))


def _constants(header: Path) -> Iterable[tuple[str, str]]:
    """DT_* and FORMAT_* with their numbers, which asc_opc defines."""
    try:
        text = header.read_text(encoding="utf-8")
    except OSError:
        return []
    return sorted(_CONSTANT.findall(text))


def op_macros(op: OpSpec, soc: str) -> tuple[str, ...]:
    """DTYPE_X, ORIG_DTYPE_X and FORMAT_X of each tensor, for the first combination of dtypes on this SoC."""
    rows = combinations(op, soc) or combinations(op)
    macros: dict[str, str] = {}
    for tensor, name in zip((*op.inputs, *op.outputs), rows[0], strict=True):
        upper, dtype = (tensor.inplace or tensor.name).upper(), DTYPES[name]
        if dtype.kernel:
            macros[f"DTYPE_{upper}"] = dtype.kernel
        macros[f"ORIG_DTYPE_{upper}"] = dtype.ge
        macros[f"FORMAT_{upper}"] = f"FORMAT_{tensor.formats[0] if tensor.formats else 'ND'}"
    return tuple(f"-D{name}={value}" for name, value in macros.items())


def chip_macros(soc: str, text: str) -> tuple[str, ...]:
    """The macros of the chip and its cores. ``text`` is the kernel, which may name one kind of core as its only one."""
    arch = SOCS[soc].npu_arch
    lacks = tuple(end for word, end in _ONE_CORE.items() if word in text)
    cores = [macro for macro in CORES.get(arch, ()) if not macro.endswith(lacks)]
    return tuple(f"-D{macro}" for macro in (*CHIPS.get(arch, ()), *cores))


def tiling_struct(generated: Path, op: OpSpec) -> Path:
    """The header with the structs of BEGIN_TILING_DATA_DEF. op_build writes it for ops that have them."""
    return generated / f"{snake(op.type)}_tiling_struct.h"
