"""opforge: one spec in, a complete Ascend C operator project for PyTorch out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

__version__ = "0.1.0"


def compile(  # noqa: A001  (as in torch.compile)
    expression: str,
    inputs: str | Sequence[str] | Mapping[str, str],
    *,
    name: str = "Compiled",
    outputs: str | Sequence[str] | Mapping[str, str] | None = None,
    attrs: Mapping[str, object] | None = None,
    dtype: str | Sequence[str] | None = None,
    soc: str | None = None,
    verbose: bool = True,
) -> Callable[..., Any]:
    """An operator with a kernel, from an expression: for trying it in a notebook.

    It is built like a project's operator, once for each content, and loaded into this process with the device that
    ``opforge run`` would give. ``torch_npu`` is imported, so that tensors on ``npu`` exist afterwards. ::

        soft_clip = opforge.compile("y = where(abs(x) > limit, limit * tanh(x / limit), x)", "x,limit", name="SoftClip")
        y = soft_clip(torch.randn(64, 128, device="npu"), torch.ones(128, device="npu"))

    Args:
        expression: what the operator computes, in opforge's language; may have several lines.
        inputs: names of the inputs in order, as ``"x,y"`` or a list; or a mapping from names to shapes, such as
            ``{"x": "[..., H]", "w": "[H, I]"}``. The default shape is ``[...]``.
        name: the op type, in UpperCamel. If this process has another operator of the name, it becomes ``<name>V2``.
        outputs: likewise; the default is the name on the left of the expression's last line.
        attrs: attributes: a default value, ``{"alpha": 1.0}``, or a type, ``{"alpha": "float"}``.
        dtype: supported dtypes; the default is float16, bfloat16 and float32.
        soc: the compute unit or chip to build for; the default is the simulated chip's, or ascend910b.
        verbose: print the steps of a build.

    Returns:
        The function that the operator's Python package has: it takes tensors and attributes, and autograd
        differentiates it.

    Raises:
        OpforgeError: the expression is wrong, the build fails, or this process has another toolkit's device.
    """
    from opforge.jit.compiling import compile_op  # noqa: PLC0415  (`import opforge` stays cheap)

    return compile_op(
        expression, inputs, name=name, outputs=outputs, attrs=attrs, dtype=dtype, soc=soc, verbose=verbose
    )
