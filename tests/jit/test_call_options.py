"""The arguments of ``opforge.compile`` and ``opforge.load`` as options of a command line."""

from __future__ import annotations

import pytest

from opforge.errors import SpecError, UsageError
from opforge.jit.call_options import attr_options, name_list, shape_options, unit
from opforge.jit.errors_shown import errors_shown, files_named_as
from opforge.spec.read.command_line import spec_from_options


@pytest.mark.parametrize("names", ["x,y", "x, y", ["x", "y"], ("x", "y"), {"x": "[...]", "y": "[H]"}])
def test_names(names: object) -> None:
    assert name_list("inputs", names) == ["x", "y"]


@pytest.mark.parametrize("names", [3, None, [1], {1: "[H]"}, b"x"])
def test_values_that_are_no_names(names: object) -> None:
    with pytest.raises(UsageError, match="`inputs` must be names of tensors") as caught:
        name_list("inputs", names)
    assert 'inputs={"x": "[..., H]", "y": "[H]"}' in (caught.value.hint or "")


def test_shapes() -> None:
    assert shape_options("x,y") == []
    assert shape_options({"x": "[..., H]"}) == ["x=[..., H]"]
    with pytest.raises(UsageError, match="the shape of `x` must be text"):
        shape_options({"x": ["H"]})


@pytest.mark.parametrize(
    ("value", "option"),
    [
        (1.0, "alpha:float=1.0"),
        (1e-6, "alpha:float=1e-06"),
        (3, "alpha:int=3"),
        (True, "alpha:bool=true"),
        ("float", "alpha:float"),
        ("float=2", "alpha:float=2"),
    ],
)
def test_attributes_that_a_spec_accepts(value: object, option: str) -> None:
    assert attr_options({"alpha": value}) == [option]
    handwritten = spec_from_options("Scaled", ["x"], attrs=[option])
    assert handwritten.ops[0].attrs[0].name == "alpha"


def test_an_attribute_of_no_known_type() -> None:
    with pytest.raises(UsageError, match="`alpha` is not an attribute that opforge knows"):
        attr_options({"alpha": object()})


@pytest.mark.parametrize(
    ("soc", "environ", "found"),
    [
        (None, {}, "ascend910b"),
        (None, {"OPFORGE_SOC": "Ascend310P3"}, "ascend310p"),
        ("Ascend910B3", {"OPFORGE_SOC": "Ascend310P3"}, "ascend910b"),
        ("ascend910_93", {}, "ascend910_93"),
        ("ascend310b", {}, "ascend310b"),  # the spec refuses it
    ],
)
def test_the_compute_unit(soc: str | None, environ: dict[str, str], found: str) -> None:
    assert unit(soc, environ) == found


def test_a_traceback_ends_with_the_whole_message() -> None:
    with pytest.raises(SpecError) as caught, errors_shown("opforge.compile"):
        spec_from_options("SoftClip", ["x"], compute="y = silo(x)")
    assert str(caught.value) == (
        "opforge.compile:1:15: `silo` is not a known function\n"
        " 1 | --compute y = silo(x)\n"
        "   |               ^^^^\n"
        "  help: did you mean `silu`?"
    )


def test_messages_name_the_files_as_their_author_does() -> None:
    detail = "op_kernel/add_custom_v2.cpp:3:1: error\nop_kernel/add_custom_v2_tiling.h\nop_kernel/add_custom_v21.h"
    with pytest.raises(UsageError) as caught, files_named_as("AddCustom", "AddCustomV2"):
        raise UsageError("op_host/add_custom_v2.cpp does not compile", detail=detail)
    assert caught.value.what == "op_host/add_custom.cpp does not compile"
    assert caught.value.detail == (
        "op_kernel/add_custom.cpp:3:1: error\nop_kernel/add_custom_tiling.h\nop_kernel/add_custom_v21.h"
    )
