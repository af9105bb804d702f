"""Which kind of argument an input is."""

from __future__ import annotations

import typing

import pytest

from opforge.spec.arguments import ACL_OBJECTS, InputKind, input_kind
from opforge.spec.model import TensorSpec

X = ("float32",)


@pytest.mark.parametrize(
    ("tensor", "kind"),
    [
        (TensorSpec("x", X), "tensor"),
        (TensorSpec("x", X, dynamic=True), "tensors"),
        (TensorSpec("x", X, scalar=True), "number"),
        (TensorSpec("x", X, scalar=True, dynamic=True), "numbers"),
        (TensorSpec("x", X, value_depend="required"), "list_float"),
        (TensorSpec("x", ("bool",), value_depend="optional"), "list_bool"),
        (TensorSpec("x", ("int64", "int32"), value_depend="required"), "list_int"),
        (TensorSpec("x", ("int64", "bool"), value_depend="required"), "list_int"),
    ],
)
def test_kinds(tensor: TensorSpec, kind: str) -> None:
    assert input_kind(tensor) == kind


def test_every_kind_of_input_is_an_object_of_aclnn() -> None:
    assert set(ACL_OBJECTS) == set(typing.get_args(InputKind))
