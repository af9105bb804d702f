"""opforge: one spec in, a complete Ascend C operator project for PyTorch out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.release import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Any


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


def load(
    name: str, sources: str | Path | Sequence[str | Path], *, soc: str | None = None, verbose: bool = True
) -> Callable[..., Any]:
    """An operator from handwritten sources: for trying a kernel in a notebook.

    The sources are those of an operator for CANN: its definition, InferShape and tiling in op_host, its kernel in
    op_kernel. The signature is read from the definition. They are built once for each content, and loaded into this
    process as ``compile`` does. ::

        add_custom = opforge.load("AddCustom", ["op_host/add_custom.cpp", "op_kernel/add_custom.cpp"])

    After an edit, call it again: the changed operator becomes ``AddCustomV2`` in this process, since CANN's libraries
    keep the first operator of a type.

    Args:
        name: the op type, or its name in snake_case.
        sources: files, or folders with op_host and op_kernel. Name every header that a source includes with quotes.
            A Python file, the *reference*, has a torch function with the op's name in snake_case: it makes the
            operator differentiable and runs on devices without the kernel.
        soc: the compute unit or chip to build for; the default is the simulated chip's, or ascend910b.
        verbose: print the steps of a build.

    Returns:
        The function that the operator's Python package has.

    Raises:
        OpforgeError: a source does not compile, its signature cannot be used, or this process has another toolkit's
            device. The code of op_host runs on this machine, with your rights.
    """
    from opforge.jit.loading import load_op  # noqa: PLC0415

    return load_op(name, sources, soc=soc, verbose=verbose)
