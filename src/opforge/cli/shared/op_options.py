"""The options of ``opforge new`` and ``add`` that describe one op."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click


def names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: ARG001
    """All names of a repeatable option with values such as ``a,b``, in one tuple; None without the option."""
    return tuple(name.strip() for value in values for name in value.split(",")) if values else None


_OPTIONS = (
    click.argument("name", required=False),
    click.option(
        "--inputs",
        multiple=True,
        callback=names,
        metavar="A,B",
        help="Names of the input tensors, in order. The default is the catalog's.",
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
    click.option("--attr", "attrs", multiple=True, metavar="NAME:TYPE[=DEFAULT]", help="An attribute; repeatable."),
    click.option(
        "--shape",
        "shapes",
        multiple=True,
        metavar="NAME=[D,D]",
        help="A tensor's dimensions: 'x=[..., H]'; repeatable. The default is [...].",
    ),
    click.option(
        "--dtype",
        multiple=True,
        callback=names,
        metavar="T,T",
        help="Supported dtypes (float16,bfloat16,float32); those of one tensor: index=int64.",
    ),
    click.option(
        "--values",
        multiple=True,
        metavar="NAME={...}",
        help="What the tests draw for an input: 'index={min: 0, below: N}'; repeatable.",
    ),
    click.option(
        "--pattern",
        metavar="PATTERN",
        help="What a kernel that you write begins with: elementwise, rows, gather or matmul. It computes something and "
        "passes its tests.",
    ),
    click.option("--like", metavar="OP", help="Use the signature and the expression of this op in the catalog."),
)


def _known(name: str | None, compute: str | None, pattern: str | None) -> bool:
    """Whether the catalog gives the op with this name."""
    from opforge.spec import catalog  # noqa: PLC0415

    return name is not None and compute is None and pattern is None and name in catalog.names()


def _meant(name: str | None) -> str:
    """For an op without inputs: the op of the catalog that is probably meant."""
    from opforge.spec import catalog  # noqa: PLC0415
    from opforge.spec.source import closest  # noqa: PLC0415

    listed = {known.lower(): known for known in catalog.names()}
    meant = closest((name or "").lower(), list(listed))
    return f" Did you mean `{listed[meant]}`, which is in the catalog?" if meant else ""


def op_options(function: Callable[..., None]) -> Callable[..., None]:
    """The argument and the options that describe one op. The function gets them as ``options``, an ``OpOptions``."""

    @functools.wraps(function)
    def with_options(
        *,
        name: str | None,
        inputs: tuple[str, ...] | None,
        outputs: tuple[str, ...] | None,
        compute: str | None,
        attrs: tuple[str, ...],
        shapes: tuple[str, ...],
        dtype: tuple[str, ...] | None,
        values: tuple[str, ...],
        pattern: str | None,
        like: str | None,
        **others: Any,
    ) -> None:
        from opforge.spec.read.command_line import OpOptions  # noqa: PLC0415

        context = click.get_current_context()
        own = others.get("example") is not None  # it has a name and a signature
        if name is None and not own:
            raise click.UsageError("Missing argument 'NAME'.", context)
        if inputs is None and like is None and not own and not _known(name, compute, pattern):
            raise click.UsageError(f"Missing option '--inputs'.{_meant(name)}", context)
        command = f"opforge {context.info_name}"
        options = OpOptions(name or "", inputs, outputs, compute, attrs, dtype, like, command, shapes, values, pattern)
        function(options=options, **others)

    for option in reversed(_OPTIONS):
        with_options = option(with_options)
    return with_options
