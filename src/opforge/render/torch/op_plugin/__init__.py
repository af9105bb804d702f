"""Exports a project's ops to op-plugin, the operators inside torch_npu."""

from opforge.render.torch.op_plugin.exported import names_of, render_op_plugin

__all__ = ["names_of", "render_op_plugin"]
