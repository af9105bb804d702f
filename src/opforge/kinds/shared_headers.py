"""The headers that kernels of several kinds share, in the folders that opforge owns."""

from __future__ import annotations

from opforge.program import SharedHeader


def kernel_header(name: str, *, slots: bool = True) -> SharedHeader:
    """A header of op_kernel; ``slots`` as in SharedHeader."""
    return SharedHeader(f"op_kernel/opforge/{name}", f"op_kernel/{name}", slots)


def row_headers(*, multiplies: bool) -> tuple[SharedHeader, ...]:
    """The headers for rows, with that of products of rows if a kernel ``multiplies``."""
    names = ("row_math.h", "row_product.h") if multiplies else ("row_math.h",)
    return tuple(kernel_header(name, slots=False) for name in names)


COLLAPSE = SharedHeader("op_host/opforge/collapse.h", "op_host/collapse.h", slots=False)  # broadcast shapes
SYMBOLS = SharedHeader("op_host/opforge/symbols.h", "op_host/symbols.h", slots=False)  # shapes by the spec's symbols
ROWS = SharedHeader("op_host/opforge/rows.h", "kinds/rows/rows.h", slots=False)  # rows, and dimensions of a call
