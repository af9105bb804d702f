"""Run as a program: prints what the converters of KINDS and PRODUCT_OPS make of calls, as JSON.

torchair takes signals, patches and a thousand modules with it when it is imported: hence a process of its own. The
folders of both packages are on the path.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

BEFORE = set(sys.modules)
import kinds_ops  # noqa: E402
import product_ops  # noqa: E402

IMPORTED = {name.partition(".")[0] for name in set(sys.modules) - BEFORE}
WHEEL = importlib.util.find_spec("torch_npu")
assert WHEEL is not None
assert WHEEL.origin is not None
sys.path.insert(0, str(Path(WHEEL.origin).parent / "dynamo"))
from opforge.testing.checks.torchair_stub import graph_of, import_torchair  # noqa: E402

HANDLER = signal.getsignal(signal.SIGINT)
KEPT = []


class Watch:
    """Looks, with each module that is imported, whether Ctrl-C still goes where it went."""

    @staticmethod
    def find_spec(name: str, path: object, target: object = None) -> None:  # noqa: ARG004
        """Finds nothing."""
        KEPT.append(signal.getsignal(signal.SIGINT) is HANDLER)


sys.meta_path.insert(0, Watch())
torchair = import_torchair()
from torchair._ge_concrete_graph.fx2ge_converter import (  # noqa: E402
    get_or_auto_gen_converter,
    register_fx_node_ge_converter,
)
from torchair.ge._ge_graph import Data, GeGraph, _ge_proto_dtype_to_ge_dtype  # noqa: E402

ATTRS = ("Int", "Float", "Bool", "Str", "ListInt", "ListFloat", "ListBool")
DT = torchair.ge.DataType
NAMES = {DT.DT_FLOAT: "float32", DT.DT_FLOAT16: "float16", DT.DT_INT64: "int64"}


def shown(op: Any) -> dict[str, Any]:
    """A node; its own attributes with the types that they have."""
    attrs = {}
    for name in sorted(name for name in op.attr if not name.startswith("_")):
        for kind in ATTRS:
            found = getattr(torchair.ge.attr, kind).get(op.attr[name])
            if found is not None:
                attrs[name] = [kind, list(found.value) if kind.startswith("List") else found.value]
    sources = zip(op.input, op.input_desc, strict=False)  # behind those with descriptions are control edges
    inputs = [[desc.name, source] for source, desc in sources]
    return {"type": op.type, "inputs": inputs, "attrs": attrs, "outputs": [desc.name for desc in op.output_desc]}


def called(overload: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
    """The node that a converter makes; a dtype stands for a tensor of it."""
    with GeGraph() as graph:

        def made(value: Any) -> Any:
            if isinstance(value, list):
                return [made(item) for item in value]
            if not isinstance(value, torch.dtype):
                return value
            data = Data(index=graph.num_inputs, dtype=DT.DT_FLOAT, shape=[2], placement="NPU")
            data.set_meta(torch.empty(2, dtype=value, device="meta"))
            return data

        converter = get_or_auto_gen_converter(overload)
        returned = converter(*map(made, arguments), **{name: made(value) for name, value in named.items()})
    constants = {}
    for node in graph.op:
        if node.type == "Const":
            value = node.attr["value"].t
            dtype = NAMES[_ge_proto_dtype_to_ge_dtype(value.desc.dtype)]
            data = (
                torch.frombuffer(bytearray(value.data), dtype=getattr(torch, dtype)) if value.data else torch.empty(0)
            )
            constants[f"{node.name}:0"] = [dtype, list(value.desc.shape.dim), data.tolist()]
    tensors = returned if isinstance(returned, tuple) else (returned,)
    made_of = [None if tensor is None else tensor.tensor for tensor in tensors]
    return {**shown(graph.op[-1]), "constants": constants, "returned": made_of}


class Patch:
    """What monkeypatch does, in a process that is thrown away."""

    setattr = staticmethod(setattr)


def compiled(function: Callable[..., Any], *tensors: torch.Tensor, dynamic: bool = False) -> list[dict[str, Any]]:
    """The nodes of the graph that torch.compile makes."""
    torch.compiler.reset()
    made = torch.compile(function, backend=torchair.get_npu_backend(), fullgraph=True, dynamic=dynamic)
    return [shown(op) for op in graph_of(made, list(tensors), Patch)]


def refused(overload: Any, *arguments: Any) -> str:
    try:
        called(overload, *arguments)
    except TypeError as e:
        return str(e)
    return "not refused"


def registered() -> list[str]:
    """What an operator has that torchair's own decorator registered a converter for, beside what all have."""
    overload = torch.ops.aten.frexp.Tensor
    before = set(vars(overload))
    register_fx_node_ge_converter(overload)(lambda x: x)
    left = sorted(set(vars(overload)) - before)
    return [*left, str(overload._ge_converter.require_meta)]


def into(x: torch.Tensor, y: torch.Tensor) -> Any:
    return kinds_ops.add_into(x.clone(), y)


def doubled(x: torch.Tensor, w: torch.Tensor, v: torch.Tensor) -> Any:
    return product_ops.swi_glu(x, w, v) * 2


def main() -> None:
    started = time.perf_counter()
    for package in (kinds_ops, product_ops):
        package._ge._register()
    seconds = time.perf_counter() - started
    kinds, products = torch.ops.kinds_ops, torch.ops.product_ops
    half, single = torch.float16, torch.float32
    x, w = torch.ones(4, 6), torch.ones(6, 5)
    sys.stdout.write(
        json.dumps(
            {
                "imported": sorted(IMPORTED),
                "seconds": seconds,
                "signals kept": all(KEPT) and signal.getsignal(signal.SIGINT) is HANDLER,
                "registered": registered(),
                "ours": str(kinds.select.default._ge_converter.require_meta),
                "swiglu": called(products.swi_glu.default, single, single, single),
                "swiglu_grad": called(products.swi_glu_grad.default, single, single, single),
                "linear": called(products.linear.default, single, single),
                "leaky": called(products.matmul_leaky_relu.default, single, single, single, negative_slope=0.25),
                "concat": called(kinds.concat.default, [single, single, single], single),
                "all": called(
                    kinds.lists.default, half, [half, half], [7, -1], [0.5], 6, [2.0, 1.0], [4, 5], [True], "b c"
                ),
                "defaults": called(kinds.lists.default, half, None, [3]),
                "scaled": called(kinds.scaled.default, half, 2.5, [1, 2.0], None),
                "add_into": called(kinds.add_into.default, single, single),
                "both": called(kinds.both.default, x=single, y=single),
                "mask": called(kinds.mask.default, single, torch.bool, torch.int8),
                "symbolic list": called(kinds.lists.default, half, None, torch.int64),
                "symbolic number": called(kinds.scaled.default, half, torch.int64, [], None),
                "symbolic attribute": refused(kinds.counted.default, torch.int32, torch.int64),
                "compiled": compiled(doubled, x, w, w + 1),
                "compiled dynamic": compiled(doubled, x, w, w + 1, dynamic=True),
                "compiled in place": compiled(into, x, x + 1),
            }
        )
    )


if __name__ == "__main__":
    main()
