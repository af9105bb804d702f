"""``opforge.compile``: an op from an expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.errors import UsageError
from opforge.jit.call_options import attr_options, name_list, shape_options, unit
from opforge.jit.kept_projects import package_of
from opforge.jit.loaded_ops import Op
from opforge.jit.process_activation import PROCESS
from opforge.jit.requested_op import RequestedOp, made
from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec.read.command_line import spec_from_options

Tensors = str | Sequence[str] | Mapping[str, str]


def compile_op(
    expression: str,
    inputs: Tensors,
    *,
    name: str,
    outputs: Tensors | None,
    attrs: Mapping[str, object] | None,
    dtype: str | Sequence[str] | None,
    soc: str | None,
    verbose: bool,
) -> Op:
    """See ``opforge.compile``, whose arguments these are."""

    def request() -> RequestedOp:
        if not isinstance(expression, str):
            raise UsageError("`expression` must be text", hint='for example opforge.compile("y = silu(x)", "x")')
        read = name_list("inputs", inputs)
        written = None if outputs is None else name_list("outputs", outputs)
        attributes = attr_options(attrs or {})
        dtypes = None if dtype is None else name_list("dtype", dtype)
        shapes = [*shape_options(inputs), *shape_options(outputs)]
        socs = (unit(soc, PROCESS),)

        def write(root: Path, op_type: str) -> None:
            spec = spec_from_options(
                op_type,
                read,
                outputs=written,
                compute=expression,
                attrs=attributes,
                dtypes=dtypes,
                shapes=shapes,
                socs=socs,
                package=package_of(op_type),
                features=(),
            )
            write_project(render_project(derive(spec)), spec, root)

        return RequestedOp(name, (expression, read, written, attributes, dtypes, shapes, socs), write)

    return made("opforge.compile", request, verbose=verbose)
