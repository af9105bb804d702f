"""op_build's reading of op_host against the spec, kind by kind: each difference in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opforge.build.aclnn_header import header_types, spec_types
from opforge.build.signature_check import call_differences, differences, without_kernel
from opforge.render.ascendc.op_definition import columns_on
from opforge.spec.model import AttrSpec, OpSpec, Override, TensorSpec

FLOATS = ("float16", "float32")
OP = OpSpec(
    "Kinds",
    (
        TensorSpec("x", FLOATS, formats=("ND", "FRACTAL_NZ")),
        TensorSpec("xs", FLOATS, dynamic=True),
        TensorSpec("axes", ("int64",), value_depend="required"),
        TensorSpec("gain", ("float32",), scalar=True),
        TensorSpec("gains", ("float32",), scalar=True, dynamic=True),
    ),
    (AttrSpec("sizes", "list_int", (1,)), AttrSpec("mode", "str", "a"), AttrSpec("scale", "float")),
    (TensorSpec("y", FLOATS, inplace="x"), TensorSpec("mask", ("bool",))),
)
HEADER = """\
__attribute__((visibility("default")))
aclnnStatus aclnnKindsGetWorkspaceSize(
    aclTensor *xRef,
    const aclTensorList *xs,
    const aclIntArray *axes,
    const aclScalar *gain,
    const aclScalarList *gains,
    const aclIntArray *sizesOptional,
    char *modeOptional,
    double scale,
    const aclTensor *out,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);
"""
SHAPED = OpSpec(
    "Shaped",
    (TensorSpec("x", FLOATS), TensorSpec("xs", FLOATS, dynamic=True)),
    (),
    (TensorSpec("y", FLOATS, opdef=(("OutputShapeDependOnCompute", ""),)), TensorSpec("count", ("int32", "int32"))),
)
Info = dict[str, dict[str, str]]


def entry(op: OpSpec, soc: str = "ascend910b") -> Info:
    """What op_build writes of an op_host that follows the spec."""
    info: Info = {}
    spelled = {"float32": "float"}
    for place, tensor in enumerate((*op.inputs, *op.outputs)):
        kind, index = ("input", place) if place < len(op.inputs) else ("output", place - len(op.inputs))
        need = "dynamic" if tensor.dynamic and not tensor.scalar else "optional" if tensor.optional else "required"
        columns = columns_on(op, soc)
        info[f"{kind}{index}"] = {
            "name": tensor.inplace or tensor.name,
            "dtype": ",".join(spelled.get(c.dtypes[place], c.dtypes[place]) for c in columns),
            "format": ",".join(c.formats[place] for c in columns),
            "paramType": need,
            **({"valueDepend": tensor.value_depend} if tensor.value_depend else {}),
        }
    info["attr"] = {"list": ",".join(attr.name for attr in op.attrs)}
    types = {"list_int": "listInt", "str": "str", "float": "float"}
    for attr in op.attrs:
        info[f"attr_{attr.name}"] = {"type": types[attr.type], "paramType": "required" if attr.required else "optional"}
    return info


def changed(parameter: str, **fields: str) -> Callable[[Info], None]:
    return lambda info: info[parameter].update(fields)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _: None, []),
        (changed("input1", paramType="required"), ["input xs is required in op_host and dynamic in opforge.yaml"]),
        (
            changed("input2", valueDepend="optional"),
            ["input axes is read by the host if known in op_host and read by the host in opforge.yaml"],
        ),
        (
            lambda info: info["input2"].pop("valueDepend"),
            ["input axes is not read by the host in op_host and read by the host in opforge.yaml"],
        ),
        (
            changed("input0", format="ND,ND"),
            ["input x has formats ND, ND in op_host and ND, FRACTAL_NZ in opforge.yaml"],
        ),
        (
            changed("output1", dtype="bool,int8"),
            ["output mask has dtypes bool, int8 in op_host and bool, bool in opforge.yaml"],
        ),
        (changed("output0", name="y"), ["outputs are y, mask in op_host and x, mask in opforge.yaml"]),
        (
            changed("attr_sizes", type="listFloat"),
            ["attribute sizes is list_float in op_host and list_int in opforge.yaml"],
        ),
        (
            changed("attr_scale", paramType="optional"),
            ["attribute scale is optional in op_host and required in opforge.yaml"],
        ),
        (
            changed("attr", list="sizes,mode"),
            ["attributes are sizes, mode in op_host and sizes, mode, scale in opforge.yaml"],
        ),
    ],
)  # fmt: skip
def test_differences(change: Callable[[Info], None], said: list[str]) -> None:
    info = entry(OP)
    change(info)
    assert differences(OP, info, "ascend910b") == said


def test_each_soc_is_compared_with_its_own_columns() -> None:
    own = Override("ascend910_93", (TensorSpec("x", ("float16",)), TensorSpec("y", ("float16",))))
    op = OpSpec("Own", (TensorSpec("x", ("float32",)),), (), (TensorSpec("y", ("float32",)),), overrides=(own,))
    for soc in ("ascend910b", "ascend910_93"):
        assert differences(op, entry(op, soc), soc) == []
    assert differences(op, entry(op, "ascend910b"), "ascend910_93") == [
        "input x has dtypes float32 in op_host and float16 in opforge.yaml",
        "output y has dtypes float32 in op_host and float16 in opforge.yaml",
    ]


def test_an_op_host_without_outputs_may_change_an_input(tmp_path: Path) -> None:
    """As foreach_zero_inplace of CANN 8.1: its definition has inputs alone, and its kernel writes to one."""
    op = OpSpec("Zero", OP.inputs, OP.attrs, (TensorSpec("y", FLOATS, formats=OP.inputs[0].formats, inplace="x"),))
    info = entry(op)
    del info["output0"]
    assert differences(op, info, "ascend910b") == []
    text = HEADER.replace("aclnnKinds", "aclnnZero").replace("aclTensor *xRef", "const aclTensor *x")
    (tmp_path / "aclnn_zero.h").write_text(text.replace("    const aclTensor *out,\n", ""))
    assert call_differences(op, header_types(tmp_path, op)) == []


def test_the_aclnn_call_is_compared_argument_by_argument(tmp_path: Path) -> None:
    assert header_types(tmp_path, OP) is None
    header = tmp_path / "aclnn_kinds.h"
    header.write_text(HEADER, encoding="utf-8")
    assert header_types(tmp_path, OP) == spec_types(OP)
    assert call_differences(OP, header_types(tmp_path, OP)) == []
    header.write_text(HEADER.replace("const aclScalar *gain", "const aclTensor *gain"), encoding="utf-8")
    assert call_differences(OP, header_types(tmp_path, OP)) == [
        "aclnnKinds takes gain as const aclTensor * by op_host and as const aclScalar * by opforge.yaml"
    ]
    header.write_text(HEADER.replace("    double scale,\n", ""), encoding="utf-8")
    assert call_differences(OP, header_types(tmp_path, OP)) == [
        "aclnnKinds takes 8 arguments by op_host and 9 by opforge.yaml"
    ]


def test_no_tensor_is_const_where_the_kernel_says_a_shape() -> None:
    assert spec_types(SHAPED) == ("aclTensor *", "const aclTensorList *", "aclTensor *", "aclTensor *")


def test_combinations_that_only_an_optional_input_tells_apart() -> None:
    """CANN compiles a kernel for the first of them."""

    def op(*, optional: bool) -> OpSpec:
        bias = TensorSpec("b", ("float16", "float32", "float32"), optional=optional)
        x, z = (TensorSpec(name, ("float16", "float16", "float32")) for name in ("x", "z"))
        return OpSpec("Add", (x, bias), (), (z,))

    assert without_kernel(op(optional=True), "ascend910b") == ("float16, float32",)
    assert without_kernel(op(optional=False), "ascend910b") == ()
