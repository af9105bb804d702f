"""The headers that kernels of several kinds share, in the folders that opforge owns."""

from __future__ import annotations

from opforge.program import SharedHeader


def kernel_header(name: str, *, slots: bool = True) -> SharedHeader:
    """A header of op_kernel; ``slots`` as in SharedHeader."""
    return SharedHeader(f"op_kernel/opforge/{name}", f"op_kernel/{name}", slots)


COLLAPSE = SharedHeader("op_host/opforge/collapse.h", "op_host/collapse.h", slots=False)  # broadcast shapes
SYMBOLS = SharedHeader("op_host/opforge/symbols.h", "op_host/symbols.h", slots=False)  # shapes by the spec's symbols
