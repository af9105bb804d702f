"""The GE converters: the nodes that they make match the ops in the installed operator package.

This needs neither a graph engine nor an NPU; see torchair_stub.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from opforge.testing.checks.tensors import as_tuple
from opforge.testing.checks.tested_operator import ExpressedOperator
from opforge.testing.checks.torchair_stub import graph_of, import_torchair

INFOS = "opp/vendors/*/op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"
TORCH_DTYPES = {"float": torch.float32, "bf16": torch.bfloat16, "double": torch.float64}  # named differently by CANN
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


@dataclass(frozen=True)
class Converter:
    """The converter of one function of a package."""

    package: ModuleType
    function: str
    op_type: str  # of the node
    make: Callable[..., Any]

    @property
    def schema(self) -> Any:
        """The dispatcher's schema of the function."""
        return getattr(getattr(torch.ops, self.package.__name__), self.function).default._schema

    def __str__(self) -> str:
        return self.function

    @property
    def info(self) -> dict[str, dict[str, str]]:
        """The operator package's entry for the op."""
        file = min(Path(str(self.package.__file__)).parent.glob(INFOS))
        found: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))[self.op_type]
        return found

    def entries(self, kind: str) -> list[dict[str, str]]:
        """The inputs or outputs of the op, as op_build read them from op_host."""
        info = self.info
        return [info[f"{kind}{place}"] for place in range(len(info)) if f"{kind}{place}" in info]

    @property
    def attributes(self) -> list[str]:
        """The names of the attributes."""
        return [name for name in self.info.get("attr", {}).get("list", "").split(",") if name]


@dataclass(frozen=True)
class Converted:
    """A call of a converter: its inputs by name, its results, and the op's node. Other nodes are constants."""

    arguments: dict[str, Any]
    returned: Any
    node: Any
    constants: dict[str, Any]  # by the names of their outputs


def converters(package: ModuleType, table: Mapping[str, tuple[str, Callable[..., Any]]]) -> list[Converter]:
    """The converters in a package's table. Skips the tests if torchair cannot be imported."""
    import_torchair()
    return [Converter(package, function, *known) for function, known in table.items()]


def convert(converter: Converter, *, given: bool = True) -> Converted:
    """The node for the inputs of the op. Unless ``given``, optional arguments are omitted."""
    torchair = import_torchair()
    from torchair.ge._ge_graph import Data, GeGraph

    arguments: dict[str, Any] = {}
    with GeGraph() as graph:

        def tensor(dtype: torch.dtype | None) -> Any:
            data = Data(index=graph.num_inputs, dtype=torchair.ge.DataType.DT_FLOAT, shape=[2], placement="NPU")
            data.set_meta(torch.empty(2, dtype=dtype, device="meta"))
            return data

        schema = converter.schema
        dtypes = [torch_dtype(entry) for entry in converter.entries("input")]
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
        returned = converter.make(**arguments)
    nodes = list(graph.op)
    constants = {f"{node.name}:0": node.attr["value"].t for node in nodes if node.type == "Const"}
    return Converted(arguments, returned, nodes[-1], constants)


def torch_dtype(entry: dict[str, str]) -> Any:
    """The first dtype of a tensor's entry."""
    name = entry["dtype"].split(",")[0]
    return TORCH_DTYPES.get(name) or getattr(torch, name)


def check_inputs(converter: Converter, *, given: bool) -> None:
    """Names, order and dtypes match the op; a value that the host reads is a constant."""
    torchair = import_torchair()
    from torchair.ge._ge_graph import torch_type_to_ge_proto_type

    converted = convert(converter, given=given)
    assert converted.node.type == converter.op_type
    described = iter(zip(converted.node.input, converted.node.input_desc, strict=True))
    for entry in converter.entries("input"):
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


def check_attributes(converter: Converter, *, given: bool) -> None:
    """Types and values, including defaults, match the op."""
    torchair = import_torchair()
    converted, info = convert(converter, given=given), converter.info
    names = converter.attributes
    assert sorted(converted.node.attr) == sorted(names)
    defaults = {argument.name: argument for argument in converter.schema.arguments}
    for name in names:
        field = getattr(torchair.ge.attr, FIELDS[info[f"attr_{name}"]["type"]])
        value = converted.arguments[name] if name in converted.arguments else defaults[name].default_value
        actual = field.get(converted.node.attr[name])
        assert actual is not None, f"{name} is not of the type that op_host says"
        assert (list(actual.value) if isinstance(value, list) else actual.value) == pytest.approx(value)


def check_outputs(converter: Converter) -> None:
    """Names and order match the op; in-place outputs are not returned."""
    converted = convert(converter)
    names = [entry["name"] for entry in converter.entries("output")]
    assert [desc.name for desc in converted.node.output_desc] == names
    schema = converter.schema
    written = {argument.name for argument in schema.arguments if argument.alias_info and argument.alias_info.is_write}
    made = [f"{converted.node.name}:{place}" for place, name in enumerate(names) if name not in written]
    returned = converted.returned if isinstance(converted.returned, tuple) else (converted.returned,)
    assert [tensor.tensor for tensor in returned if tensor is not None] == made
    assert len(schema.returns) == len(made)


def check_constant_attributes(converter: Converter) -> None:
    """An attribute that depends on the size of a tensor is refused."""
    torchair = import_torchair()
    converted = convert(converter)
    for name in converter.attributes:
        tensors = [value for value in converted.arguments.values() if isinstance(value, torchair.ge.Tensor)]
        with pytest.raises(TypeError, match=f"{name} depends on the size of a tensor"):
            converter.make(**{**converted.arguments, name: tensors[0]})


def check_compiled_graph(
    converter: Converter, op: ExpressedOperator, *, dynamic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The GE graph of torch.compile has one node of the op."""
    torchair = import_torchair()
    torch.compiler.reset()
    function, arguments = op.function, op.arguments(*op.sample(0, 5))
    places = [i for i, value in enumerate(arguments) if isinstance(value, torch.Tensor)]

    def called(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values = list(arguments)
        for place, tensor in zip(places, tensors, strict=True):
            values[place] = tensor.clone()
        return as_tuple(function(*values))

    compiled = torch.compile(called, backend=torchair.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    nodes = graph_of(compiled, [arguments[place] for place in places], monkeypatch)
    assert [node.type for node in nodes].count(converter.op_type) == 1
