"""Ops of a command line: the catalog's under other names, near misses, and kernels to write by hand."""

from __future__ import annotations

import pytest

from opforge.errors import SpecError
from opforge.spec import catalog
from opforge.spec.check.built_in import namesakes
from opforge.spec.model import OpSpec
from opforge.spec.read.command_line import OpOptions, op_from_options, spec_from_options
from opforge.spec.read.parse import parse_spec
from opforge.spec.yaml_printer import print_spec

ENTRIES = [op for name in catalog.names() if (op := catalog.entry(name)) is not None]
IDS = [op.type for op in ENTRIES]


def message(*arguments: object, **options: object) -> str:
    with pytest.raises(SpecError) as caught:
        spec_from_options(*arguments, **options)
    return caught.value.render()


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_an_entry_is_what_its_name_and_inputs_give(entry: OpSpec) -> None:
    spec = spec_from_options(entry.type, [tensor.name for tensor in entry.inputs])
    assert spec.ops == (entry,)
    assert parse_spec(print_spec(spec), None) == spec


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_an_entry_under_other_names_differs_in_them_alone(entry: OpSpec) -> None:
    inputs = [f"in{place}" for place in range(len(entry.inputs))]
    outputs = [f"res{place}" for place in range(len(entry.outputs))]
    (op,) = spec_from_options("Other", inputs, outputs=outputs, like=entry.type).ops
    assert [tensor.name for tensor in (*op.inputs, *op.outputs)] == [*inputs, *outputs]
    back = op_from_options(OpOptions("Back", [t.name for t in entry.inputs], like=entry.type))
    for ours, theirs in zip((*op.inputs, *op.outputs), (*entry.inputs, *entry.outputs), strict=True):
        assert (ours.dtypes, ours.dims, ours.optional) == (theirs.dtypes, theirs.dims, theirs.optional)
        assert ours.values == theirs.values
    assert (op.attrs, op.doc, op.backward) == (entry.attrs, entry.doc, entry.backward)
    assert back.compute == entry.compute


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_an_entry_in_one_dtype_keeps_its_masks(entry: OpSpec) -> None:
    (op,) = spec_from_options(entry.type, [t.name for t in entry.inputs], dtypes=("float16",)).ops
    for ours, theirs in zip((*op.inputs, *op.outputs), (*entry.inputs, *entry.outputs), strict=True):
        kept = set(theirs.dtypes) in ({"bool"}, {"int8"})
        floats = (("float16",), theirs.dtypes[:1] if len(set(theirs.dtypes)) == 1 else ())  # a result may be float32
        assert ours.dtypes == theirs.dtypes[:1] if kept else ours.dtypes in floats


def test_names_of_the_catalog_are_no_functions_of_c_and_no_ops_of_cann() -> None:
    usual = {"SwiGLU", "RMSNorm", "AddRMSNorm", "GemmaRMSNorm", "LayerNorm", "Softmax", "LogSoftmax"}
    usual |= {"AddLayerNorm", "AddRmsNormDynamicQuant", "AddRmsNormQuant", "DeepNorm", "DynamicQuant"}
    usual |= {"GroupNorm", "ArgMax"}
    assert {found.op_type for found in namesakes(IDS)} == usual  # which everybody calls so
    assert len(IDS) > 35


def test_inputs_may_change_places() -> None:
    (op,) = spec_from_options("Rest", ("y", "x"), like="VectorSub").ops
    assert op.compute == "z = y - x"
    (op,) = spec_from_options("Rest", ("z", "x"), outputs=("y",), like="VectorSub").ops
    assert op.compute == "y = z - x"


def test_like_alone_takes_the_entrys_names() -> None:
    (op,) = spec_from_options("Rest", None, like="VectorSub").ops
    assert (op.type, op.compute) == ("Rest", "z = x - y")


@pytest.mark.parametrize(
    ("inputs", "options", "said"),
    [
        (("a", "b"), {"like": "VectorSu"}, "`VectorSu` is not in the catalog"),
        (("a",), {"like": "VectorSub"}, "the catalog's `VectorSub` has 2 inputs, x, y, but got 1"),
        (("a", "b"), {"like": "VectorSub", "outputs": ("u", "v")}, "`VectorSub` has 1 output, z, but got 2"),
        (("alpha", "b"), {"like": "ScaledAdd"}, "`alpha` is already an attribute of the catalog's `ScaledAdd`"),
        (("z", "b"), {"like": "VectorSub"}, "`z` is already an output of the catalog's `VectorSub`"),
        (("a", "b"), {"like": "VectorSub", "outputs": ("a",)}, "`a` is an input and cannot be assigned to"),
        (("a", "B"), {"like": "VectorSub"}, "`B` is not a valid input name"),
        (("a", "b"), {"like": "VectorSub", "attrs": ("s:int=1",)}, "`VectorSub` is in the catalog and has its own"),
        (("a", "b"), {"like": "VectorSub", "compute": "y = a + b"}, "--like and --compute both give an expression"),
        (("a",), {"like": "VectorExp", "dtypes": ("int32",)}, "this is computed in float32, but `a` is int32"),
    ],
)
def test_what_does_not_fit_an_entry_is_refused(inputs: tuple[str, ...], options: dict[str, object], said: str) -> None:
    assert said in message("Other", inputs, **options)


@pytest.mark.parametrize(
    ("name", "inputs", "meant"),
    [("VectorAd", "x,y", "VectorAdd"), ("Vectoradd", "x,y", "VectorAdd"), ("Rsqrt", "x", "VectorRsqrt"),
     ("SwiGlu", "x,w_gate,w_up", "SwiGLU"), ("Gelu", "x", "VectorGelu")],
)  # fmt: skip
def test_nearly_an_entry_is_asked_about(name: str, inputs: str, meant: str) -> None:
    said = message(name, inputs.split(","))
    assert f"`{name}` is not in the catalog, which has {meant}(" in said
    assert f"did you mean `{meant}`?" in said
    (op,) = spec_from_options(name, inputs.split(","), outputs=("r",)).ops
    assert op.handwritten


def test_what_nobody_describes_is_written_by_hand() -> None:
    attrs = ("axes:list_int=[0,1]", "scale:float=2.0", "flags:list_bool=[]")
    spec = spec_from_options("TopKernel", ("x", "y"), outputs=("values", "mask"), attrs=attrs)
    (op,) = spec.ops
    assert op.handwritten
    assert not op.backward
    assert [tensor.dtypes for tensor in op.inputs] == [("float16", "bfloat16", "float32")] * 2
    assert [tensor.name for tensor in op.outputs] == ["values", "mask"]
    assert [attr.default for attr in op.attrs] == [(0, 1), 2.0, ()]
    assert parse_spec(print_spec(spec), None) == spec
    (op,) = spec_from_options("Frobnicate", ("x", "y"), dtypes=("int32",)).ops
    assert ([t.name for t in op.outputs], op.outputs[0].dtypes) == (["z"], ("int32",))


def test_an_output_that_nobody_named_meets_no_input() -> None:
    (op,) = spec_from_options("Frobnicate", ("y", "z", "w", "y0")).ops
    assert [tensor.name for tensor in op.outputs] == ["y1"]


def test_an_entry_s_output_may_have_another_name() -> None:
    (op,) = spec_from_options("VectorAdd", ("x", "y"), outputs=("total",)).ops
    assert (op.type, op.compute) == ("VectorAdd", "total = x + y")


def test_outputs_of_an_expression_can_be_stated() -> None:
    (op,) = spec_from_options("Pair", ("x",), outputs=("a", "b"), compute="b = x + 1\na = b * 2").ops
    assert [tensor.name for tensor in op.outputs] == ["a", "b"]
    assert "`b` is never used" in message("Pair", ("x",), outputs=("c",), compute="b = x")


def test_a_command_of_its_own_stands_in_its_messages() -> None:
    with pytest.raises(SpecError) as caught:
        op_from_options(OpOptions("tanh", ("x",), compute="y = tanh(x)", command="opforge add"))
    assert "\n 1 | opforge add tanh\n   |             ^^^^\n" in caught.value.render()
