"""The Ascend C side of a project: op_host, op_kernel and C++ callers of the aclnn API."""

from opforge.render.ascendc.ascendc_side import render_kernel, render_shared

__all__ = ["render_kernel", "render_shared"]
