"""The GE converters: what they make of arguments of every kind is what the installed operator package says of its ops.

No graph engine and no NPU takes part, see torchair_stub.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

import {{ package }}
{% for text in imports %}
{{ text }}
{% endfor %}

torchair = import_torchair()
CONVERTERS = {{ package }}._ge.CONVERTERS  # by function: the op type, and what makes its node

OPERATORS = torch.ops.{{ package }}
FOLDER = Path({{ package }}.__file__).parent
INFOS = sorted(FOLDER.glob("opp/vendors/*/op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"))
TORCH_DTYPES = {"float": torch.float32, "bf16": torch.bfloat16, "double": torch.float64}  # what CANN calls otherwise
VALUES: dict[str, Any] = {
    "int": 3,
    "float": 0.5,
    "bool": True,
    "str": "ab",
    "number": 2.5,
    "List[int]": [2, 5],
    "List[float]": [0.5, 1.5],
    "List[bool]": [True, False],
    "List[number]": [1.5, 2.5],
}
FIELDS = {"int": "Int", "float": "Float", "bool": "Bool", "str": "Str"}
FIELDS |= {"listInt": "ListInt", "listFloat": "ListFloat", "listBool": "ListBool"}
EVERY_FUNCTION = pytest.mark.parametrize("function", list(CONVERTERS))
GIVEN = pytest.mark.parametrize("given", [True, False], ids=["all given", "what must be given"])


@dataclass(frozen=True)
class Converted:
    """A call of a converter: what went in, by name, what came out, and the node. Others are there for constants."""

    arguments: dict[str, Any]
    returned: Any
    node: Any
    constants: dict[str, Any]  # by the names of their outputs


def convert(function: str, *, given: bool = True) -> Converted:
    """The node of this function for inputs as the package has them; without ``given``, without what may be left out."""
    from torchair.ge._ge_graph import Data, GeGraph

    schema = getattr(OPERATORS, function).default._schema
    arguments: dict[str, Any] = {}
    with GeGraph() as graph:

        def tensor(dtype: torch.dtype) -> Any:
            data = Data(index=graph.num_inputs, dtype=torchair.ge.DataType.DT_FLOAT, shape=[2], placement="NPU")
            data.set_meta(torch.empty(2, dtype=dtype, device="meta"))
            return data

        dtypes = [torch_dtype(entry) for entry in entries(function, "input")]
        for argument, dtype in zip(schema.arguments, dtypes + [None] * len(schema.arguments), strict=False):
            kind = str(argument.type)
            optional = kind.startswith("Optional[")
            kind = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
            if optional and not given:
                arguments[argument.name] = None
            elif "Tensor" in kind:
                arguments[argument.name] = tensor(dtype) if kind == "Tensor" else [tensor(dtype), tensor(dtype)]
            elif given or not argument.has_default_value():
                arguments[argument.name] = VALUES[kind]
        returned = CONVERTERS[function][1](**arguments)
    nodes = list(graph.op)
    constants = {f"{node.name}:0": node.attr["value"].t for node in nodes if node.type == "Const"}
    return Converted(arguments, returned, nodes[-1], constants)


def entries(function: str, kind: str) -> list[dict[str, str]]:
    """The inputs or outputs of a function's op, as op_build read them from op_host."""
    info = op_info(function)
    return [info[f"{kind}{place}"] for place in range(len(info)) if f"{kind}{place}" in info]


def op_info(function: str) -> dict[str, dict[str, str]]:
    """All that the operator package says of a function's op."""
    info: dict[str, dict[str, str]] = json.loads(INFOS[0].read_text(encoding="utf-8"))[CONVERTERS[function][0]]
    return info


def torch_dtype(entry: dict[str, str]) -> torch.dtype:
    """The first dtype of a tensor."""
    name = entry["dtype"].split(",")[0]
    return TORCH_DTYPES.get(name) or getattr(torch, name)


@EVERY_FUNCTION
@GIVEN
def test_inputs(function: str, given: bool) -> None:
    from torchair.ge._ge_graph import torch_type_to_ge_proto_type

    converted = convert(function, given=given)
    assert converted.node.type == CONVERTERS[function][0]
    described = iter(zip(converted.node.input, converted.node.input_desc, strict=True))
    for entry in entries(function, "input"):
        value = converted.arguments.get(entry["name"])
        if entry["paramType"] == "dynamic":
            for i, tensor in enumerate(value or []):
                source, desc = next(described)
                assert (source, desc.name) == (tensor.tensor, f"{entry['name']}{i}")
            continue
        source, desc = next(described)
        assert desc.name == entry["name"]
        if value is None:
            assert (source, desc.attr["_is_unfed_optional"].i) == ("", 1)
            continue
        assert desc.dtype == torch_type_to_ge_proto_type(torch_dtype(entry))
        if isinstance(value, torchair.ge.Tensor):
            assert source == value.tensor
        else:
            expected = torch.tensor(value, dtype=torch_dtype(entry))
            constant = torch.frombuffer(bytearray(converted.constants[source].data), dtype=expected.dtype)
            assert constant.reshape(tuple(desc.shape.dim)).equal(expected)
    assert next(described, None) is None


@EVERY_FUNCTION
@GIVEN
def test_attributes(function: str, given: bool) -> None:
    converted = convert(function, given=given)
    info = op_info(function)
    names = [name for name in info.get("attr", {}).get("list", "").split(",") if name]
    assert sorted(converted.node.attr) == sorted(names)
    defaults = {argument.name: argument for argument in getattr(OPERATORS, function).default._schema.arguments}
    for name in names:
        field = getattr(torchair.ge.attr, FIELDS[info[f"attr_{name}"]["type"]])
        value = converted.arguments[name] if name in converted.arguments else defaults[name].default_value
        actual = field.get(converted.node.attr[name])
        assert actual is not None, f"{name} is not of the type that op_host says"
        assert (list(actual.value) if isinstance(value, list) else actual.value) == pytest.approx(value)


@EVERY_FUNCTION
def test_outputs(function: str) -> None:
    converted = convert(function)
    names = [entry["name"] for entry in entries(function, "output")]
    assert [desc.name for desc in converted.node.output_desc] == names
    schema = getattr(OPERATORS, function).default._schema
    written = {argument.name for argument in schema.arguments if argument.alias_info and argument.alias_info.is_write}
    made = [f"{converted.node.name}:{place}" for place, name in enumerate(names) if name not in written]
    returned = converted.returned if isinstance(converted.returned, tuple) else (converted.returned,)
    assert [tensor.tensor for tensor in returned if tensor is not None] == made
    assert len(schema.returns) == len(made)
{% if attrs %}


@EVERY_FUNCTION
def test_an_attribute_that_is_not_constant_is_refused(function: str) -> None:
    converted = convert(function)
    for name in op_info(function).get("attr", {}).get("list", "").split(","):
        if name:
            tensors = [value for value in converted.arguments.values() if isinstance(value, torchair.ge.Tensor)]
            with pytest.raises(TypeError, match=f"{name} depends on the size of a tensor"):
                CONVERTERS[function][1](**{**converted.arguments, name: tensors[0]})
{% endif %}
{% if cases %}


CALLS: list[tuple[Operator, tuple[Any, ...]]] = []
{% for text in cases %}
{{ text }}
{% endfor %}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize(("op", "arguments"), CALLS, ids=identify)
def test_compiled_graphs_have_the_node(
    op: Operator, arguments: tuple[Any, ...], dynamic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.compiler.reset()
    function = op.function
    places = [i for i, value in enumerate(arguments) if isinstance(value, torch.Tensor)]

    def called(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values = list(arguments)
        for place, tensor in zip(places, tensors, strict=True):
            values[place] = tensor.clone()
        return as_tuple(function(*values))

    compiled = torch.compile(called, backend=torchair.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    nodes = graph_of(compiled, [arguments[place] for place in places], monkeypatch)
    assert [node.type for node in nodes].count(CONVERTERS[op.name][0]) == 1
{% endif %}
