"""What an op is given where it is shown or tried."""

from __future__ import annotations

import typing

from opforge.render.torch.cases import other_value
from opforge.spec.model import AttrSpec, AttrType, AttrValue, OpSpec, TensorSpec
from opforge.spec.samples import ATTR_SAMPLES, input_symbols, sample_attr, sample_number


def test_every_type_of_attribute_has_a_value() -> None:
    assert set(ATTR_SAMPLES) == set(typing.get_args(AttrType))
    assert sample_attr(AttrSpec("alpha", "float")) == 1.5
    assert sample_attr(AttrSpec("alpha", "float", 0.0)) == 0.0


def test_numbers_are_of_their_inputs_kind() -> None:
    assert sample_number(TensorSpec("s", ("float16",), scalar=True)) == 1.5
    assert sample_number(TensorSpec("s", ("int64",), scalar=True)) == 2


def test_a_symbol_counts_once() -> None:
    shapes = ("...", "H", "16"), ("H", "I"), ("...",)
    tensors = tuple(TensorSpec(name, ("float32",), dims=dims) for name, dims in zip("abc", shapes, strict=True))
    op = OpSpec("Any", tensors, (), ())
    assert input_symbols(op) == ("H", "I")


def test_another_value_is_never_the_default() -> None:
    defaults: dict[AttrType, tuple[AttrValue | None, ...]] = {
        "int": (None, 0, -1, 7),
        "float": (None, 0.0, 1.0),
        "bool": (None, True, False),
        "str": (None, "", "mean"),
        "list_int": (None, (), (1,), (1, 1), (1, 2)),
        "list_float": (None, (), (0.5, 0.5)),
        "list_bool": (None, (), (True, True), (True, False)),
    }
    for type_, values in defaults.items():
        for value in values:
            other = eval(other_value(AttrSpec("a", type_, value)))  # noqa: S307
            assert other != value or type(other) is not type(value)
            assert other is not None
