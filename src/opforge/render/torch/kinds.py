"""The kinds of arguments that aclnn and torch know, and how each is spelled: one table.

Source of aclnn's side: op_build's generated functions (asc-devkit, tools/build/opbuild); of torch's: the dispatcher,
which takes these C++ types and refuses others (``float`` for float, ``std::vector<bool>`` for bool[]) at registration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from opforge.dtypes import DTYPES
from opforge.spec.model import TensorSpec

Name = Literal[
    "tensor", "tensors", "number", "numbers", "int", "float", "bool", "str", "list_int", "list_float", "list_bool"
]


@dataclass(frozen=True)
class Kind:
    """One kind of argument. ``cpp`` is a parameter of the adapter's function; with ``by_reference`` a reference to it.

    Of an argument that may be None, ``python`` and ``cpp`` are what it is otherwise.
    """

    name: Name
    schema: str
    python: str
    cpp: str
    by_reference: bool = True

    def parameter(self, name: str, *, optional: bool) -> str:
        """The parameter of the adapter's function."""
        if optional:
            return f"const std::optional<{self.cpp}>& {name}"
        return f"const {self.cpp}& {name}" if self.by_reference else f"{self.cpp} {name}"


KINDS: Mapping[str, Kind] = {
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


def kind_of(tensor: TensorSpec) -> Kind:
    """The kind of an input. Values that the host reads are lists of numbers, not tensors (aclIntArray and the like)."""
    if tensor.scalar:
        return KINDS["numbers" if tensor.dynamic else "number"]
    if tensor.value_depend is not None:
        dtypes = [DTYPES[name] for name in tensor.dtypes]
        if all(dtype.name == "bool" for dtype in dtypes):
            return KINDS["list_bool"]
        return KINDS["list_float" if any(dtype.floating for dtype in dtypes) else "list_int"]
    return KINDS["tensors" if tensor.dynamic else "tensor"]
