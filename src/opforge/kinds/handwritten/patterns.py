"""The files that a handwritten op begins with under a pattern: a kernel that works, its tiling and its reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.errors import PlanError
from opforge.fileset import FileSet
from opforge.frozen import dataclass
from opforge.kinds.handwritten.skeleton import input_constant
from opforge.naming import snake
from opforge.plan.coupled import coupled
from opforge.render.ascendc.ascendc_files import form_file
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.torch.argument_types import KINDS
from opforge.spec.patterns import default_reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.kinds.handwritten.plan import HandwrittenPlan
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec

_FORMS = "kinds/handwritten/patterns"
_MATMUL_TYPES = {"float16": "DT_FLOAT16", "bfloat16": "DT_BF16", "float32": "DT_FLOAT"}


@dataclass(frozen=True)
class PatternForm:
    """Context of the forms of all patterns. ``table``, ``index``, ``left`` and ``right`` are inputs in their places.

    ``value``: a row has one result. ``types`` are the dtypes of the columns in the words of CANN's matmul library.
    """

    op_type: str
    stem: str
    guard: str
    function: str
    parameters: tuple[str, ...]
    constant: str
    inputs: tuple[TensorNames, ...]
    input: TensorNames
    table: TensorNames
    index: TensorNames
    left: TensorNames
    right: TensorNames
    output: TensorNames
    value: bool
    formula: str
    wide_sum: str
    types: tuple[str, ...]


def pattern_files(pattern: str, op: OpSpec, plan: HandwrittenPlan, socs: Sequence[Soc], package: str) -> FileSet:
    """The author's three files, written for ``pattern``, and the reference of the op.

    Raises PlanError for a SoC whose cores lack the instructions of the patterns.
    """
    for soc in coupled(socs):
        raise PlanError(
            f"the pattern `{pattern}` uses instructions that {soc.name} does not have",
            hint="leave out --pattern, or remove this SoC from the project",
        )
    form, stem = _form(op, plan), snake(op.type)
    module, _, _ = default_reference(op.type).partition(":")
    paths = {
        f"op_kernel/{stem}_kernel.h": "kernel.h",
        f"op_kernel/{stem}_tiling.h": "tiling.h",
        f"op_host/{stem}_host_tiling.h": "host_tiling.h",
        f"python/{package}/{module}.py": "reference.py",
    }
    return FileSet.of(*(form_file(path, f"{_FORMS}/{pattern}/{name}", form) for path, name in paths.items()))


def _form(op: OpSpec, plan: HandwrittenPlan) -> PatternForm:
    stem = snake(op.type)
    names = [tensor_names(argument) for argument in plan.arguments]
    inputs, output = tuple(names[:-1]), names[-1]
    first, last = inputs[0], inputs[-1]
    attrs = tuple(f"{attr.name}: {KINDS[attr.type].python}" for attr in op.attrs)
    return PatternForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        function=stem,
        parameters=(*(f"{tensor.name}: Tensor" for tensor in inputs), *attrs),
        constant=input_constant(op.inputs[0]),
        inputs=inputs,
        input=first,
        table=first,
        index=last,
        left=first,
        right=last,
        output=output,
        value=len(op.outputs[0].dims) < len(op.inputs[0].dims),
        formula=" + ".join(tensor.name for tensor in inputs),
        wide_sum=" + ".join(f"{tensor.name}.float()" for tensor in inputs),
        types=tuple(f"DataType::{_MATMUL_TYPES.get(dtype, '')}" for dtype in plan.arguments[0].dtypes),
    )
