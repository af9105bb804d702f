"""The options of ``opforge new`` and ``add`` that describe one op."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from opforge.spec.read.command_line import OpOptions


def names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: ARG001
    """All names of a repeatable option with values such as ``a,b``, in one tuple; None without the option."""
    return tuple(name.strip() for value in values for name in value.split(",")) if values else None


def op_options(function: Callable[..., None]) -> Callable[..., None]:
    """The argument and the options that describe one op."""
    for option in reversed(
        (
            click.argument("name"),
            click.option(
                "--inputs", multiple=True, callback=names, metavar="A,B", help="Names of the input tensors, in order."
            ),
            click.option(
                "--outputs", multiple=True, callback=names, metavar="Y,Z", help="Names of the output tensors, in order."
            ),
            click.option(
                "--compute",
                metavar="EXPR",
                help="What the op computes: 'z = alpha * x + y'; may have several lines. The default is the "
                "catalog's expression; ops that are not in the catalog get a kernel for you to write.",
            ),
            click.option(
                "--attr", "attrs", multiple=True, metavar="NAME:TYPE[=DEFAULT]", help="An attribute; repeatable."
            ),
            click.option(
                "--dtype",
                multiple=True,
                callback=names,
                metavar="T,T",
                help="Supported dtypes (float16,bfloat16,float32).",
            ),
            click.option(
                "--like", metavar="OP", help="Use the signature and the expression of this op in the catalog."
            ),
        )
    ):
        function = option(function)
    return function


def options_of(
    command: str,
    name: str,
    inputs: tuple[str, ...] | None,
    outputs: tuple[str, ...] | None,
    *,
    compute: str | None,
    attrs: tuple[str, ...],
    dtype: tuple[str, ...] | None,
    like: str | None,
) -> OpOptions:
    """The values of these options."""
    from opforge.spec.read.command_line import OpOptions  # noqa: PLC0415

    if inputs is None and like is None:
        raise click.UsageError("Missing option '--inputs'.", click.get_current_context())
    return OpOptions(name, inputs, outputs, compute, attrs, dtype, like, command)
