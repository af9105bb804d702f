"""Printing and parsing undo each other, over specs made at random; and no text makes the parser fail otherwise."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

import pytest

from opforge.dtypes import COMPUTE_DTYPES
from opforge.errors import ProjectError, SpecError
from opforge.soc import DEFAULT
from opforge.spec import catalog
from opforge.spec.device_rules import OPEN_RULES
from opforge.spec.language import BINARY, BITS, CALLED, DEFINED, FUNCTIONS, LATER, RECENT, ROW_FUNCTIONS, SPELLED
from opforge.spec.model import Allowed, AttrSpec, AttrValue, OpSpec, ProjectSpec, SimulatorSpec, Spec, TensorSpec
from opforge.spec.read.parse import load_spec, parse_spec
from opforge.spec.yaml_printer import print_spec

# Text with everything YAML has a meaning for.
PIECES = [
    "a",
    "Z",
    "0",
    "17",
    " ",
    "  ",
    "#",
    " #",
    ":",
    ": ",
    "-",
    "- ",
    "'",
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&",
    "*",
    "!",
]
PIECES += [
    "|",
    ">",
    "%",
    "@",
    "`",
    "?",
    "no",
    "null",
    "~",
    "1e-5",
    "\t",
    "\n",
    "\n\n",
    "ä",
    "漢",
    "😀",
    "\x85",
    "\u2028",
    "\ufeff",
    "\x7f",
]
NAMES = [
    "x",
    "y",
    "no",
    "on",
    "null",
    "true_x",
    "gate",
    "up",
    "x1",
    "in_3_d",
    "e1",
    "inf",
    "nan",
    "a_b_c",
    "match",
    "type",
]


def text(rng: random.Random) -> str:
    return "".join(rng.choices(PIECES, k=rng.randrange(1, 12)))


def doc(rng: random.Random) -> str | None:
    """A doc as the parser keeps it: trimmed, its lines without trailing blanks."""
    lines = [line.rstrip() for line in text(rng).strip().splitlines()]
    return "\n".join(lines).strip() or None


def attr_value(rng: random.Random, type_: str) -> AttrValue | None:
    return rng.choice(
        {
            "int": [None, 0, -1, 2**63 - 1, -(2**63)],
            "float": [None, 0.0, -0.5, 1e-5, 1e38, 3.0, 1 / 3],
            "bool": [None, True, False],
            "str": [None, "", "no", "1.0", text(rng)],
        }[type_]
    )


def random_op(rng: random.Random, type_: str) -> OpSpec:
    names = rng.sample(NAMES, 9)
    columns = tuple(rng.sample(COMPUTE_DTYPES, rng.randrange(1, 4)))
    count = rng.randrange(1, 4)
    inputs = [TensorSpec(names.pop(), columns, dtypes_given=i == 0 or rng.random() < 0.3) for i in range(count)]
    given = rng.random() < 0.4
    count = rng.randrange(1, 3)
    outputs = [TensorSpec(names.pop(), columns, dtypes_given=given and rng.random() < 0.5) for _ in range(count)]
    locals_ = []
    attrs = []
    for _ in range(rng.randrange(3)):
        type_of = rng.choice(["int", "float", "bool", "str"])
        attrs.append(AttrSpec(names.pop(), type_of, attr_value(rng, type_of)))  # type: ignore[arg-type]
    attrs.sort(key=lambda attr: attr.default is not None)
    total = " + ".join(["2", *(t.name for t in inputs)])
    if rng.random() < 0.5:
        locals_.append(f"{names[-1]}_t = {total}  # {rng.choice(['a: b', 'it is', '{}'])}")
        total = f"{names[-1]}_t * 3"
    last = f"{', '.join(t.name for t in outputs)} = {', '.join([total] * len(outputs))}"
    compute = "\n".join([*locals_, last])
    return OpSpec(type_, tuple(inputs), tuple(attrs), tuple(outputs), compute, doc(rng), given, rng.random() < 0.7)


def random_product_op(rng: random.Random, type_: str) -> OpSpec:
    """An op with matrix products, all shapes declared as a printed spec has them."""
    names = rng.sample(NAMES, 9)
    columns = tuple(rng.sample(COMPUTE_DTYPES, rng.randrange(1, 4)))
    k, n, m = rng.sample(["H", "I", "K", "N", "M", "x", "no", "Rows"], 3)
    k = rng.choice([k, n])
    left_turned, right_turned = rng.random() < 0.2, rng.random() < 0.5
    rows = m if left_turned or rng.random() < 0.3 else "..."
    left = names.pop()
    weights = [names.pop() for _ in range(rng.randrange(1, 4))]
    further = [names.pop() for _ in range(rng.randrange(3))]
    optional = {name for name in further if rng.random() < 0.5}
    inputs = [TensorSpec(left, columns, (k, rows) if left_turned else (rows, k))]
    inputs += [TensorSpec(w, columns, (n, k) if right_turned else (k, n), dtypes_given=False) for w in weights]
    for name in further:
        dims = rng.choice([(rows, n), (n,)])
        inputs.append(TensorSpec(name, columns, dims, dtypes_given=False, optional=name in optional))
    operands = [f"{left}{'.T' if left_turned else ''} @ {w}{'.T' if right_turned else ''}" for w in weights]
    terms = [f"where(present({name}), {name}, -1.5)" if name in optional else name for name in further]
    given = rng.random() < 0.4
    outputs = [TensorSpec(names.pop(), columns, (rows, n), dtypes_given=given and rng.random() < 0.5)]
    compute = f"{outputs[0].name} = {' + '.join([*(f'silu({p})' for p in operands), *terms])}"
    return OpSpec(type_, tuple(inputs), (), tuple(outputs), compute, doc(rng), given, rng.random() < 0.7)


def random_spec(rng: random.Random) -> Spec:
    package = rng.choice(["gates", "my_ops", "x9"])
    license_ = rng.choice([None, "MIT", "MIT OR Apache-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"])
    name = rng.choice([package, "my-gates", "Gates.2"])
    project = ProjectSpec(
        name, package, rng.choice([package, "a_vendor"]), "1.0rc1", tuple(rng.sample(DEFAULT, 1)), license_
    )
    types = rng.sample(["SwiGlu", "AddX", "Scale2D", "Nope", "True2", "RMSNormX"], rng.randrange(1, 4))
    ops = tuple(rng.choice([random_op, random_product_op])(rng, type_) for type_ in types)
    return Spec(project, ops, simulator=random_simulator(rng, types))


def random_simulator(rng: random.Random, types: list[str]) -> SimulatorSpec:
    """Half of them say nothing."""
    files = [None, "op_kernel/add.h", "add 2.h", "a#b/c: d.h", "ä{x}, y.h", "no"]
    allow = []
    for _ in range(rng.choice([0, 0, 1, 3])):
        rule = rng.choice(OPEN_RULES)
        allow.append(Allowed(f"x{text(rng)}".strip(), rule, rng.choice([None, *types]), rng.choice(files), warn=True))
        allow.append(Allowed("null", None, types[0], rng.choice(files)))
    return SimulatorSpec(rng.choice([None, None, "device", "documented"]), tuple(allow))


@pytest.mark.parametrize("seed", range(200))
def test_parsing_what_was_printed_gives_the_same(seed: int) -> None:
    spec = random_spec(random.Random(seed))
    printed = print_spec(spec)
    assert parse_spec(printed, Path("opforge.yaml")) == spec
    assert print_spec(parse_spec(printed, None)) == printed


@pytest.mark.parametrize("seed", range(200))
def test_any_damage_is_reported_as_a_spec_error(seed: int) -> None:
    rng = random.Random(seed)
    printed = print_spec(random_spec(rng))
    for _ in range(5):
        start = rng.randrange(len(printed))
        damaged = printed[:start] + text(rng) + printed[start + rng.randrange(6) :]
        try:
            spec = parse_spec(damaged, Path("opforge.yaml"))
        except SpecError as error:
            lines = len(damaged.splitlines()) + 1
            for problem in error.problems:
                assert problem.where is not None
                assert 1 <= problem.where.line <= lines
                assert "opforge.yaml:" in problem.render()
        else:
            assert parse_spec(print_spec(spec), None) == spec


SMALL = """\
edition: 1
project: {name: gates}
ops:
  Add2:
    inputs: {x: {dtype: [float32]}}
    compute: |
      t = x + 1
      y = t * 2
"""


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        ("a: \x01", "opforge.yaml:1:4: character U+0001 is not allowed in YAML"),
        (SMALL.replace("inputs:", 'doc: "b\\0c"\n    inputs:'), "opforge.yaml:5:10: the text has a NUL character"),
        ("a: \ud800", "opforge.yaml:1:1: the text is not valid Unicode: surrogates not allowed"),
        (SMALL.replace("* 2", "*(" * 500 + "2" + ")" * 500), "opforge.yaml:8:"),
        (SMALL.replace("* 2", "+ t" * 20_000), "opforge.yaml:7:7: compute is 60016 characters long"),
        (SMALL.replace("* 2", "* " + "9" * 6000), "opforge.yaml:8:"),
        (
            SMALL.replace("t * 2", "cumsum(t)").replace("\n", "\r\n"),
            "opforge.yaml:8:11: `cumsum` is not supported yet",
        ),
        ("\ufeff" + SMALL.replace("t * 2", "cumsum(t)"), "opforge.yaml:8:11: `cumsum` is not supported yet"),
        (
            SMALL.replace("t * 2", "cumsum(t)").replace("x + 1", "x + 1 # \u2028"),
            "opforge.yaml:9:11: `cumsum` is not",
        ),
    ],
    ids=range(9),
)
def test_hostile_and_foreign_texts(damaged: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(damaged, Path("opforge.yaml"))
    assert caught.value.render().startswith("error: " + message)


@pytest.mark.parametrize("damaged", ["a: " + "[" * 100_000, "- " * 100_000], ids=range(2))
def test_deep_nesting(damaged: str) -> None:
    """libyaml meets its own limit in brackets first since PyYAML 6.0.4, at another place."""
    with pytest.raises(SpecError) as caught:
        parse_spec(damaged, Path("opforge.yaml"))
    said = caught.value.render()
    assert said.startswith("error: opforge.yaml:1:")
    assert ": the spec is nested too deeply; the limit is 16 levels\n" in said


@pytest.mark.parametrize("text", ["\ufeff" + SMALL, SMALL.replace("\n", "\r\n"), SMALL + "...\n", "---\n" + SMALL])
def test_other_forms_of_the_same_file(text: str) -> None:
    assert parse_spec(text, None) == parse_spec(SMALL, None)


def test_a_file_is_read_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "opforge.yaml"
    path.write_bytes(SMALL.replace("  Add2:", "  Add2:\n    doc: größer als 漢").encode())
    assert load_spec(path).ops[0].doc == "größer als 漢"
    path.write_bytes(b"edition: 1 # \xff")
    with pytest.raises(ProjectError, match=r"opforge.yaml is not UTF-8 text \(byte 13\)"):
        load_spec(path)
    with pytest.raises(ProjectError, match=r"cannot read the spec .*: No such file or directory"):
        load_spec(tmp_path / "missing.yaml")


def test_every_catalog_entry_is_found_by_its_name_and_inputs() -> None:
    listed = catalog.names()
    assert "VectorAdd" in listed
    assert len(listed) == len(list(Path(catalog.__file__).parent.glob("*.yaml"))), (
        "an entry's file is named snake(op type)"
    )
    for name in listed:
        op = catalog.entry(name)
        assert op is not None
        inputs = tuple(t.name for t in op.inputs)
        assert catalog.find(name, inputs) == op
        assert catalog.find(name, (*inputs, "more")) is None
        assert op.doc is not None
    assert catalog.find("../catalog/VectorAdd", ("x", "y")) is None
    assert catalog.find("Vector_Add", ("x", "y")) is None


def test_places_play_no_part_in_equality() -> None:
    printed = print_spec(random_spec(random.Random(1)))
    assert parse_spec("# moved\n\n" + printed, None) == parse_spec(printed, Path("elsewhere.yaml"))


@pytest.mark.parametrize("seed", range(100))
def test_shapes_that_are_left_out_follow_from_the_others(seed: int) -> None:
    """Whatever is left out of an op with products, what follows is legal, and is printed and read as it stands."""
    rng = random.Random(seed)
    made = random_product_op(rng, "AddX")
    spec = Spec(ProjectSpec("gates", "gates", "gates", "0.1.0", DEFAULT), (made,))
    fewer = print_spec(spec)
    for tensor in (*made.inputs, *made.outputs):
        if rng.random() < 0.5 and len(tensor.dims) > 1:
            fewer = re.sub(rf"(\b{tensor.name}: +\{{)shape: \[[^]]*\](, )?", r"\1", fewer)
    inferred = parse_spec(fewer, None)
    assert parse_spec(print_spec(inferred), None) == inferred
    rows = {t.dims for t in inferred.ops[0].outputs}
    assert len(rows) == 1
    (result,) = rows
    assert all(t.dims[-1] == result[-1] for t in inferred.ops[0].inputs if len(t.dims) == 1)


def test_every_operator_of_python_is_taken_or_refused_by_name() -> None:
    assert {ast.MatMult, ast.Invert, *BINARY, *CALLED, *BITS} == {ast.Invert, *ast.operator.__subclasses__()}
    assert not {*FUNCTIONS, *DEFINED, *ROW_FUNCTIONS} & (set(LATER) | set(SPELLED))
    assert not set(FUNCTIONS) & DEFINED
    assert {*FUNCTIONS, *DEFINED, *ROW_FUNCTIONS} >= RECENT
    assert set(SPELLED.values()) <= {*FUNCTIONS, *DEFINED}
