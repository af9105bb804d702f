"""msOpGen's JSON: what becomes of each field, and everything that msOpGen takes silently and wrongly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opforge.errors import SpecError
from opforge.spec.foreign.prototype import read_prototypes
from opforge.spec.model import OpSpec

FILE = Path("add.json")
X = {"name": "x", "param_type": "required", "format": ["ND", "ND"], "type": ["fp16", "float"]}
Y = {"name": "y", "param_type": "required", "format": "ND", "type": ["half", "fp32"]}
ALPHA = {"name": "alpha", "param_type": "optional", "type": "float", "default_value": 1.5}


def prototype(*, without: tuple[str, ...] = (), **changed: Any) -> dict[str, Any]:
    whole = {"op": "AddCustom", "language": "cpp", "input_desc": [X], "output_desc": [Y], "attr": [ALPHA]}
    return {key: value for key, value in {**whole, **changed}.items() if key not in without}


def read(*ops: dict[str, Any]) -> tuple[OpSpec, ...]:
    return read_prototypes(json.dumps(list(ops)), FILE).ops


def attribute(**changed: Any) -> dict[str, Any]:
    entry = {**ALPHA, **changed}
    return prototype(attr=[{key: value for key, value in entry.items() if value is not None}])


def test_a_prototype_is_a_spec() -> None:
    (op,) = read(prototype())
    assert (op.type, op.handwritten) == ("AddCustom", True)
    (x,), (y,), (alpha,) = op.inputs, op.outputs, op.attrs
    assert (x.name, x.dtypes, x.dims) == ("x", ("float16", "float32"), ("...",))
    assert (y.name, y.dtypes, y.dims) == ("y", ("float16", "float32"), ("...",))
    assert (alpha.name, alpha.type, alpha.default) == ("alpha", "float", 1.5)


def test_one_object_several_operators_roles_and_layouts() -> None:
    assert read_prototypes("\t" + json.dumps(prototype(), indent="\t"), FILE).ops == read(prototype())
    assert [op.type for op in read(prototype(), prototype(op="MulCustom"))] == ["AddCustom", "MulCustom"]
    many = [
        {"name": "xs", "param_type": "dynamic", "format": "ND", "type": "IndexNumberType"},
        {"name": "w", "param_type": "optional", "format": "NCHW", "type": ["bf16", "bool"]},
    ]
    out = {"name": "xs2", "param_type": "required", "format": "FRACTAL_NZ", "type": ["double", "uint8"]}
    (op,) = read(prototype(input_desc=many, output_desc=[out]))
    xs, w = op.inputs
    assert (xs.dynamic, xs.dtypes, w.optional, w.dtypes) == (True, ("int32", "int64"), True, ("bfloat16", "bool"))
    assert (w.formats, op.outputs[0].formats) == (("NCHW",) * 2, ("FRACTAL_NZ",) * 2)
    (op,) = read(prototype(output_desc=[{**X, "type": ["fp16", "float"]}]))
    assert (op.outputs[0].name, op.outputs[0].inplace) == ("x_out", "x")


@pytest.mark.parametrize(
    ("type_", "default", "value"),
    [
        ("int", 3, 3),
        ("int", "3", 3),
        ("float", 1, 1.0),
        ("bool", False, False),
        ("bool", "true", True),
        ("bool", 1, True),
        ("string", "sum", "sum"),
        ("list_int", [1, 2], (1, 2)),
        ("list_int", "{1, 2}", (1, 2)),
        ("list_int", "{}", ()),
        ("list_float", "[0.5]", (0.5,)),
        ("list_bool", [True, False], (True, False)),
    ],
)
def test_defaults(type_: str, default: object, value: object) -> None:
    (op,) = read(attribute(type=type_, default_value=default))
    assert op.attrs[0].default == value


def test_a_required_attribute_has_no_default() -> None:
    (op,) = read(attribute(param_type="required", default_value=None))
    assert op.attrs[0].required


WRONG = {
    "dropped input": (
        prototype(input_desc=[{k: v for k, v in X.items() if k != "format"}]),
        "the input `x` has no `format` (msOpGen drops the whole input: add its `format`)",
    ),
    "dropped output": (
        prototype(output_desc=[{k: v for k, v in Y.items() if k != "type"}]),
        "the output `y` has no `type` (msOpGen drops the whole output: add its `type`)",
    ),
    "format": (
        prototype(input_desc=[{**X, "format": ["NDX"] * 2}]),
        "`NDX` is not a valid format (did you mean `ND`?)",
    ),
    "keyword": (
        prototype(input_desc=[{**X, "name": "int"}]),
        "an input cannot be called `int`: it is a keyword of C++ (use another name)",
    ),
    "twice": (
        prototype(input_desc=[X, X]),
        "the input `x` is given twice (msOpGen keeps only the last one: use different names)",
    ),
    "unknown attribute type": (
        attribute(type="double"),
        "`alpha` cannot be of type `double` (msOpGen drops the attribute; valid types: string, int, float, bool, "
        "list_int, list_float, list_bool)",
    ),
    "tensor attribute": (
        attribute(type="tensor"),
        "`alpha` cannot be of type `tensor` (msOpGen writes `.Tensor()`, which OpAttrDef does not have)",
    ),
    "no default": (
        attribute(default_value=None),
        "the optional attribute `alpha` has no default_value (msOpGen writes `None` into C++, which does not compile)",
    ),
    "default of another type": (
        attribute(type="int", default_value="abc"),
        "`abc` is not a valid int (for example `3` or `-1`)",
    ),
    "list for a value": (
        attribute(default_value=[1]),
        "the default of `alpha` must be a single value (it must match the type)",
    ),
    "no inputs": (
        prototype(input_desc=[]),
        "op `AddCustom` has no inputs (for example `inputs: {x: {dtype: [float32]}}`)",
    ),
    "lower case": (
        prototype(op="add_custom"),
        "`add_custom` is not a valid op type (did you mean `AddCustom`? expected a capital, then letters and digits, "
        "such as `VectorAdd`)",
    ),
    "columns": (
        prototype(input_desc=[{**X, "type": ["fp16"] * 3, "format": ["ND"] * 2}]),
        "`x` has 3 types and 2 formats (expected one format per type, or one format for all)",
    ),
    "no dtype": (
        prototype(input_desc=[{**X, "type": ["flot", "fp16"]}]),
        "`flot` is not a valid type in msOpGen (did you mean `float`?)",
    ),
    "mixed collection": (
        prototype(input_desc=[{**X, "type": "all", "format": "ND"}]),
        "`all` includes dtypes that tensors of an op cannot have (list the dtypes that the kernel supports)",
    ),
    "no op": (prototype(without=("op",)), 'the operator has no `op` (add its name: `"op": "AddCustom"`)'),
    "no list": (prototype(attr={"name": "alpha"}), "`attr` must be a list (msOpGen ignores other values)"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_msopgen_takes_wrongly_is_an_error_with_its_place(case: str) -> None:
    wrong, said = WRONG[case]
    text = json.dumps([wrong], indent=2)
    with pytest.raises(SpecError) as refused:
        read_prototypes(text, FILE)
    problems = {f"{p.what} ({p.hint})": p for p in refused.value.problems}
    assert said in problems
    where = problems[said].where
    assert where is not None
    assert where.file == FILE
    assert where.line <= len(text.splitlines())


def test_what_is_odd_is_a_warning() -> None:
    odd = prototype(
        inputs=[],
        input_desc=[{**X, "param_type": "requierd", "formats": "ND"}],
        attr=[{**ALPHA, "type": "list_int", "default_value": [1]}, {**ALPHA, "name": "b", "param_type": "required"}],
    )
    warnings = read_prototypes(json.dumps(odd), FILE).warnings
    assert [warning.what for warning in warnings] == [
        "msOpGen ignores `inputs`",
        "msOpGen ignores `formats`",
        "`requierd` is not a valid param_type: the input `x` counts as required",
        "msOpGen writes the default of `alpha` as Python text, which does not compile",
        "`b` is required, so its default_value is not used",
    ]


@pytest.mark.parametrize(
    ("text", "said"), [("{", "this is not valid JSON"), ("[]", "has no operator"), ("[1]", "must be an object")]
)
def test_texts_that_are_no_prototype(text: str, said: str) -> None:
    with pytest.raises(SpecError) as refused:
        read_prototypes(text, FILE)
    assert said in refused.value.problems[0].what
