"""Writes the headers that declare how kernels of aclnn/ are launched, for editors.

ascendc_library writes them only when the programs of aclnn/ are built, which a build of the project does not do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

_KERNEL = re.compile(r"__global__\s+__aicore__\s+void\s+(\w+)\s*\(([^()]*)\)")
_FORM = """\
#pragma once
#include <cstdint>
#include "acl/acl_base.h"
#ifndef ACLRT_LAUNCH_KERNEL
#define ACLRT_LAUNCH_KERNEL(kernel_func) aclrtlaunch_##kernel_func
#endif
extern "C" uint32_t aclrtlaunch_{kernel}(uint32_t numBlocks, aclrtStream stream{parameters});
"""


def write_launch_headers(folder: Path, sources: Iterable[str], write: Callable[[Path, str], None]) -> Path:
    """Writes ``aclrtlaunch_<kernel>.h`` for each kernel in these sources. Returns the folder."""
    for source in sources:
        for kernel, parameters in _KERNEL.findall(source):
            passed = "".join(f", {_passed(text)}" for text in parameters.split(",") if text.strip())
            write(folder / f"aclrtlaunch_{kernel}.h", _FORM.format(kernel=kernel, parameters=passed))
    return folder


def _passed(parameter: str) -> str:
    """The parameter on the host: an address in global memory is ``void*``."""
    words = parameter.replace("*", " * ").split()
    name, type_ = words[-1], " ".join(words[:-1])
    return f"void* {name}" if type_.endswith(("GM_ADDR", "*")) else f"{type_} {name}"
