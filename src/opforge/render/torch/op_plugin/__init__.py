"""A project's ops as parts of op-plugin, the operators inside of torch_npu."""

from opforge.render.torch.op_plugin.exported import names_of, render_op_plugin

__all__ = ["names_of", "render_op_plugin"]
