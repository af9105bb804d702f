"""The generated GE converters, called by the wheel's own torchair: the nodes they make, and graphs of torch.compile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from torch_projects import render, spec_of

pytestmark = [pytest.mark.torch, pytest.mark.compiler]

Printed = dict[str, Any]

# A number whose dtype neither a tensor has nor is always the same.
CHOSEN = """\
edition: 1
project: {name: chosen, package: chosen, vendor: chosen, version: 0.1.0, soc: [ascend910b]}
ops:
  Offset:
    inputs:
      x:     {shape: [...], dtype: [float16, float32, int8]}
      shift: {dtype: [float32, float32, int32], scalar: true}
    outputs:
      y: {shape: [...]}
"""


@pytest.fixture(scope="module")
def said(kinds_site: Path, product_site: Path) -> Printed:
    """What ge_nodes.py prints."""
    for name in ("google.protobuf", "scipy", "psutil", "attr"):
        pytest.importorskip(name, reason=f"torchair needs {name}")
    path = os.pathsep.join(str(folder) for folder in (kinds_site, product_site))
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("ge_nodes.py"))],
        env={**os.environ, "PYTHONPATH": path, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    printed: Printed = json.loads(done.stdout.splitlines()[-1])
    return printed


def test_registration_imports_nothing_and_takes_no_time(said: Printed) -> None:
    assert said["imported"] == ["kinds_ops", "product_ops"]
    assert said["seconds"] < 0.01
    assert said["signals kept"]


def test_it_leaves_what_torchair_s_own_registration_leaves(said: Printed) -> None:
    assert said["registered"] == ["_ge_converter", said["ours"]]


def node(
    type_: str, inputs: list[tuple[str, str]], outputs: list[str], returned: list[str | None], **more: Any
) -> Printed:
    """A node as ge_nodes.py shows it. ``inputs`` are names and sources: of Data nodes the number, of none nothing."""
    data = {str(i): f"Data_{i}:0" if i else "Data:0" for i in range(9)}
    return {
        "type": type_,
        "inputs": [[name, data.get(source, source)] for name, source in inputs],
        "attrs": {},
        "outputs": outputs,
        "constants": {},
        "returned": [None if place is None else f"{type_}:{place}" for place in returned],
        **more,
    }


LISTS = {"k": ["Int", 4], "f": ["ListFloat", [0.5]], "i": ["ListInt", []], "b": ["ListBool", [True, False]]}
LISTS["s"] = ["Str", "a"]
NODES: dict[str, Printed] = {
    "swiglu": node("SwiGLU", [("x", "0"), ("w_gate", "1"), ("w_up", "2")], ["y"], ["0"]),
    "swiglu_grad": node(
        "SwiGLUGrad", [("grad_y", "0"), ("gate", "1"), ("up", "2")], ["grad_gate", "grad_up"], ["0", "1"]
    ),
    "linear": node("Linear", [("x", "0"), ("weight", "1"), ("bias", "")], ["y"], ["0"]),
    "leaky": node(
        "MatmulLeakyRelu",
        [("a", "0"), ("b", "1"), ("bias", "2")],
        ["y"],
        ["0"],
        attrs={"negative_slope": ["Float", 0.25]},
    ),
    "concat": node("Concat", [("xs0", "0"), ("xs1", "1"), ("xs2", "2"), ("y", "3")], ["z"], ["0"]),
    "all": node(
        "Lists",
        [("x", "0"), ("more0", "1"), ("more1", "2"), ("axes", "Const:0"), ("w", "Const_1:0")],
        ["y", "n"],
        ["0", "1"],
        attrs={
            "k": ["Int", 6],
            "f": ["ListFloat", [2.0, 1.0]],
            "i": ["ListInt", [4, 5]],
            "b": ["ListBool", [True]],
            "s": ["Str", "b c"],
        },
        constants={"Const:0": ["int64", [2], [7, -1]], "Const_1:0": ["float32", [1], [0.5]]},
    ),
    "defaults": node(
        "Lists",
        [("x", "0"), ("axes", "Const:0"), ("w", "")],
        ["y", "n"],
        ["0", "1"],
        attrs=LISTS,
        constants={"Const:0": ["int64", [1], [3]]},
    ),
    "scaled": node(
        "Scaled",
        [("x", "0"), ("alpha", "Const:0"), ("betas", "Const_1:0"), ("c", "")],
        ["y"],
        ["0"],
        constants={"Const:0": ["float16", [], [2.5]], "Const_1:0": ["float32", [2], [1.0, 2.0]]},
    ),
    "add_into": node("AddInto", [("x", "0"), ("y", "1")], ["x", "s"], ["1"]),
    "both": node("Both", [("x", "0"), ("y", "1")], ["x", "y"], [None]),
    "mask": node("Mask", [("x", "0"), ("m", "1"), ("q", "2")], ["r", "t"], ["0", "1"]),
    "symbolic list": node("Lists", [("x", "0"), ("axes", "1"), ("w", "")], ["y", "n"], ["0", "1"], attrs=LISTS),
    "symbolic number": node(
        "Scaled",
        [("x", "0"), ("alpha", "Cast:0"), ("betas", "Const:0"), ("c", "")],
        ["y"],
        ["0"],
        constants={"Const:0": ["float32", [0], []]},
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_nodes(name: str, said: Printed) -> None:
    assert said[name] == NODES[name]


def test_an_attribute_that_is_not_constant_is_refused(said: Printed) -> None:
    assert said["symbolic attribute"] == (
        "Counted: step depends on the size of a tensor, and in a GE graph attributes are constant. "
        "Compile with dynamic=False, or give a number."
    )


@pytest.mark.parametrize("name", ["compiled", "compiled dynamic"])
def test_a_compiled_graph_has_the_node(name: str, said: Printed) -> None:
    nodes = said[name]
    (found,) = (each for each in nodes if each["type"] == "SwiGLU")
    assert [source for source, _ in found["inputs"]] == ["x", "w_gate", "w_up"]
    assert len({source for _, source in found["inputs"]}) == 3
    (product,) = (each for each in nodes if each["type"] == "Mul")
    assert product["inputs"][0] == ["x1", "SwiGLU:0"]


def test_in_place_works_on_a_copy_in_a_compiled_graph(said: Printed) -> None:
    nodes = {each["type"]: each for each in said["compiled in place"]}
    assert nodes["AddInto"]["inputs"][0] == ["x", "TensorMove:0"]
    assert sorted(source for _, source in nodes["NetOutput"]["inputs"]) == ["AddInto:0", "AddInto:1"]


def test_a_number_whose_dtype_others_tell() -> None:
    (text,) = (file.text for file in render(spec_of(CHOSEN)) if file.path.name == "_ge.py")
    assert '"shift": _const(ge, shift, _chosen(ge, _OFFSET_SHIFT_DTYPES, x))' in text
    table: dict[str, Any] = {}
    exec(text[text.index("_OFFSET_SHIFT_DTYPES = {") : text.index("def _offset_converter")], table)  # noqa: S102
    assert table["_OFFSET_SHIFT_DTYPES"] == {
        ("DT_FLOAT16",): "DT_FLOAT",
        ("DT_FLOAT",): "DT_FLOAT",
        ("DT_INT8",): "DT_INT32",
    }
