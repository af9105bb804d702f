"""The table that a project's tests go through, and its benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opforge.plan.model import Plan
from opforge.render.torch.layout import python_call, python_collection, python_rows
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.spec.model import AttrSpec, Spec


@dataclass(frozen=True)
class CaseForm:
    """One operator in tests/op_cases.py. All but ``differentiable`` is Python source."""

    name: str
    inputs: str
    columns: str
    tiles: str
    attrs: str
    differentiable: bool


@dataclass(frozen=True)
class CasesForm:
    """Context of ``code/torch/tests/op_cases.py``."""

    package: str
    ops: tuple[CaseForm, ...]


@dataclass(frozen=True)
class BenchmarkForm:
    """Context of ``code/torch/benchmarks/bench.py``."""

    package: str
    function: str
    dtypes: str
    input_count: int
    call: str


def cases_context(spec: Spec, signatures: Sequence[Signature], plans: Mapping[str, Plan]) -> CasesForm:
    """The context of the table; tiles are those of the project's first SoC, which is the simulated one."""
    soc = spec.project.soc[0]
    ops = []
    for signature in signatures:
        plan = plans[signature.op.type]
        tiles = [plan.tile_elements(soc, column[0]) for column in signature.input_columns]
        attrs = [f'"{attr.name}": {_sample(attr)}' for attr in signature.op.attrs]
        ops.append(
            CaseForm(
                name=signature.function,
                inputs=_field("inputs", [f'"{name}"' for name in signature.inputs]),
                columns=python_rows("columns=(", [_row(column) for column in signature.input_columns], ")", 8),
                tiles=_field("tiles", [str(tile) for tile in tiles]),
                attrs=python_collection("attrs={", attrs, "}", 8) if attrs else "",
                differentiable=signature.op.backward,
            )
        )
    return CasesForm(spec.project.package, tuple(ops))


def benchmark_context(package: str, signature: Signature) -> BenchmarkForm:
    """The context of one op's benchmark: its first inputs' dtypes, with the attributes that must be given."""
    dtypes = dict.fromkeys(column[0] for column in signature.input_columns)
    given = [f"{attr.name}={_sample(attr)}" for attr in signature.op.attrs if attr.name not in signature.defaults]
    return BenchmarkForm(
        package=package,
        function=signature.function,
        dtypes=_tuple([torch_dtype(name) for name in dtypes]),
        input_count=len(signature.inputs),
        call=python_call(f"{package}.{signature.function}(", ["*inputs", *given], ")", 12),
    )


def _field(name: str, items: Sequence[str]) -> str:
    if len(items) == 1:
        return f"{name}=({items[0]},)"
    return python_collection(f"{name}=(", items, ")", 8)


def _row(column: Sequence[str]) -> str:
    return _tuple([torch_dtype(name) for name in column])


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _sample(attr: AttrSpec) -> str:
    """Another value than the default, so that a test sees whether the attribute arrives."""
    if attr.type == "float":
        return repr(1.5 if attr.default is None else float(attr.default) + 0.5)
    if attr.type == "int":
        return repr(2 if attr.default is None else int(attr.default) + 1)
    return python_literal(attr) if attr.default is not None else {"bool": "True", "str": '"text"'}[attr.type]
