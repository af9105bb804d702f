"""The table of torch types for each kind of argument.

Source: the dispatcher. At registration it accepts these C++ types and refuses others (``float`` for float,
``std::vector<bool>`` for bool[]).
"""

from __future__ import annotations

from collections.abc import Mapping

from opforge.frozen import dataclass
from opforge.spec.arguments import ArgumentKind, input_kind
from opforge.spec.model import TensorSpec


@dataclass(frozen=True)
class Kind:
    """One kind of argument. ``cpp`` is the type of a parameter; ``by_reference``: the parameter is a const reference.

    ``python`` and ``cpp`` describe the required argument; an optional one may also be None.
    """

    name: ArgumentKind
    schema: str
    python: str
    cpp: str
    by_reference: bool = True

    def parameter(self, name: str, *, optional: bool) -> str:
        """The parameter of the adapter's C++ function."""
        if optional:
            return f"const std::optional<{self.cpp}>& {name}"
        return f"const {self.cpp}& {name}" if self.by_reference else f"{self.cpp} {name}"


KINDS: Mapping[ArgumentKind, Kind] = {
    kind.name: kind
    for kind in (
        Kind("tensor", "Tensor", "Tensor", "at::Tensor"),
        Kind("tensors", "Tensor[]", "Sequence[Tensor]", "std::vector<at::Tensor>"),
        Kind("number", "Scalar", "float", "at::Scalar"),
        Kind("numbers", "Scalar[]", "Sequence[float]", "std::vector<at::Scalar>"),
        Kind("int", "int", "int", "int64_t", by_reference=False),
        Kind("float", "float", "float", "double", by_reference=False),
        Kind("bool", "bool", "bool", "bool", by_reference=False),
        Kind("str", "str", "str", "std::string", by_reference=False),
        Kind("list_int", "int[]", "Sequence[int]", "std::vector<int64_t>"),
        Kind("list_float", "float[]", "Sequence[float]", "std::vector<double>"),
        Kind("list_bool", "bool[]", "Sequence[bool]", "c10::List<bool>"),
    )
}


# Formats that only name the dimensions of a plain array, by aclFormat's numbers. torch_npu, too, describes tensors so.
LABELS: Mapping[str, int] = {"NCHW": 0, "NHWC": 1, "HWCN": 16, "NDHWC": 27, "NCDHW": 30, "NC": 35, "NCL": 47}


def label_of(tensor: TensorSpec) -> str | None:
    """The format that aclnn is told for a tensor without a column of ND: one that every dtype has; else None."""
    return next((name for name in _formats_of_every_dtype(tensor) if name in LABELS), None)


def blocked(tensor: TensorSpec) -> bool:
    """Whether aclnn takes an input in FRACTAL_NZ alone, and in each of its dtypes."""
    return "FRACTAL_NZ" in _formats_of_every_dtype(tensor) and label_of(tensor) is None


def _formats_of_every_dtype(tensor: TensorSpec) -> dict[str, None]:
    """The formats, in order, that a tensor without a column of ND has with every dtype."""
    if "ND" in tensor.formats:
        return {}
    columns = list(zip(tensor.dtypes, tensor.formats, strict=False))
    return {
        name: None
        for name in tensor.formats
        if {dtype for dtype, other in columns if other == name} == set(tensor.dtypes)
    }


def kind_of(tensor: TensorSpec) -> Kind:
    """The kind of an input."""
    return KINDS[input_kind(tensor)]
