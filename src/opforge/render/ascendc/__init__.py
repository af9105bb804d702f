"""The Ascend C side of a project: op_host, op_kernel and a C++ caller of the aclnn API."""

from opforge.render.ascendc.project import render_op, render_shared

__all__ = ["render_op", "render_shared"]
