"""No text makes the reader fail otherwise than by errors with places, or take long; what is right is printed and read.

``make test`` reads some thousands of texts, ``make test-all`` 200,000 more.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from opforge.dtypes import DTYPES
from opforge.errors import ProjectError, SpecError
from opforge.spec.model import OpSpec
from opforge.spec.read.command_line import spec_from_options
from opforge.spec.read.op_fields import OP_FIELDS, TENSOR_FIELDS
from opforge.spec.read.parse import PROJECT_FIELDS, SPEC_FIELDS, load_spec, parse_spec
from opforge.spec.yaml_printer import print_spec

from .legal_specs import legal_texts
from .mutation import FILE, HEAD, PIECES, WORDS, check, mutated, seeds

QUIET = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
SECONDS = 2.0  # of CPU time, for one text; it takes a thousandth of that


def fuzz(seed: int, count: int) -> int:
    """Read so many mutated texts; the number of those that are right."""
    rng = random.Random(seed)
    texts = seeds()
    right = 0
    for _ in range(count):
        text = mutated(rng, texts)
        start = time.process_time()
        try:
            spec = check(text, printed=True)
        except Exception as error:
            raise AssertionError(f"{error!r} of the text\n{text}") from error
        assert time.process_time() - start < SECONDS, text
        if spec is not None:
            right += 1
            texts.append(text)  # right ones are changed further
    return right


@pytest.mark.parametrize("seed", range(4))
def test_mutated_specs(seed: int) -> None:
    assert fuzz(seed, 500) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_mutated_specs(seed: int) -> None:
    assert fuzz(seed, 10_000) > 0


def expression(rng: random.Random) -> str:
    atoms = ["x", "y", "alpha", "n", "1.5", "2", "-3", *WORDS]
    operators = [
        " + ",
        " * ",
        " - ",
        " / ",
        " ** ",
        " > ",
        " @ ",
        ", ",
        "(",
        ")",
        "\nz = ",
        "\n",
        ".T",
        "where(",
        "exp(",
    ]
    parts = ["z = "]
    for _ in range(rng.randrange(1, 14)):
        parts += [rng.choice(atoms), rng.choice(operators)]
    if rng.random() < 0.3:
        parts.insert(rng.randrange(len(parts)), rng.choice(PIECES))
    return "".join(parts)


@pytest.mark.parametrize("seed", range(2))
def test_expressions_made_at_random(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(500):
        text = expression(rng)
        try:
            spec = spec_from_options("Foo", ("x", "y"), compute=text, attrs=("alpha:float=1.0", "n:int=2"))
        except SpecError as error:
            assert all(problem.where is not None for problem in error.problems), text  # noqa: PT017
            error.render()
        else:
            assert parse_spec(print_spec(spec), None) == spec


def test_right_specs_of_every_kind_print_and_parse() -> None:
    seen: set[str] = set()

    @settings(QUIET, max_examples=120)
    @given(legal_texts())
    def read(text: str) -> None:
        spec = check(text, printed=True)
        assert spec is not None, text
        seen.update(*(kinds_of(op) for op in spec.ops))

    read()
    tensors = {"optional", "dynamic", "scalar", "value_depend", "formats", "inplace", "opdef", "strided"}
    assert seen == tensors | {"reference", "dtype_product", "overrides", "sources", "attrs"}


def kinds_of(op: OpSpec) -> set[str]:
    """What of a spec's kinds of arguments an op has."""
    found = {
        name for name in ("reference", "dtype_product", "overrides", "sources", "opdef", "attrs") if getattr(op, name)
    }
    for tensor in (*op.inputs, *op.outputs):
        kinds = ("optional", "dynamic", "scalar", "value_depend", "formats", "inplace", "opdef")
        found |= {name for name in kinds if getattr(tensor, name)}
        found |= set() if tensor.contiguous else {"strided"}
    return found


# Trees of the shapes that a spec is made of, with keys that it knows and values that it may not.
SCALARS = st.one_of(
    st.sampled_from(WORDS),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.text(max_size=8),
    st.sampled_from(list(DTYPES)),
)
LEAVES = st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(st.sampled_from(WORDS), SCALARS, max_size=3))


def mapping(keys: tuple[str, ...], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.dictionaries(st.sampled_from(keys), values, max_size=6), LEAVES)


NAMES = ("x", "y", "w", "Foo", "no", "X1")
TENSORS = mapping(NAMES, mapping((*TENSOR_FIELDS["input"], "inplace"), LEAVES))
OPS = mapping(("Foo", "Bar2", "foo", "Class"), mapping(OP_FIELDS, st.one_of(TENSORS, LEAVES)))
TREES = st.one_of(
    st.fixed_dictionaries({"edition": st.just(1), "project": mapping(PROJECT_FIELDS, LEAVES), "ops": OPS}),
    mapping(SPEC_FIELDS, LEAVES),
)


@settings(QUIET, max_examples=200)
@given(TREES)
def test_trees_made_at_random(tree: Any) -> None:
    check(yaml.safe_dump(tree, allow_unicode=True, sort_keys=False), printed=True)


@settings(QUIET, max_examples=200)
@given(st.text(max_size=60))
@example("---")
def test_any_text(text: str) -> None:
    check(text)
    check(f"{HEAD}  Foo:\n    inputs: {{x: {{dtype: [float32]}}}}\n    compute: {text}\n")


P = "edition: 1\nproject: {name: gates}\nops:\n  Foo:\n"
X = "    inputs: {x: {dtype: [float16]}}\n    outputs: {y: }\n"
LARGE = {
    "a large file": "# " + "x" * 2_000_000,
    "many lines": P + "\n" * 30_000,
    "many values": P + "    inputs: {x: {dtype: [" + "float16," * 90_000 + "]}}\n",
    "many wrong dtypes": P + "    inputs: {x: {dtype: [" + ",".join(f"flot{i}" for i in range(3_000)) + "]}}\n",
    "many unknown keys": P + "".join(f"    k{i}: 1\n" for i in range(9_000)),
    "many inputs": P
    + "    inputs: {x: {dtype: [int8]},"
    + ",".join(f"x{i}: " for i in range(9_000))
    + "}\n    compute: y = x",
    "a product of many": P
    + "    inputs: {"
    + ",".join(f"x{i}: {{dtype: [int8, int16, int32, int64]}}" for i in range(30))
    + "}\n    dtype_product: true\n    outputs: {y: }\n",
    "a word of many letters": P + "    inputs: {x: {dtype: [" + "f" * 900_000 + "]}}\n",
    "a dimension of many": P
    + "    inputs: {x: {shape: ["
    + "f+" * 400_000
    + "f], dtype: [int8]}}\n    outputs: {y: }\n",
    "a deep dimension": P + "    inputs: {x: {shape: [" + "(" * 90 + "f" + ")" * 90 + "], dtype: [int8]}}\n",
    "a long number": P + X + "    attrs: {a: {type: int, default: " + "1" * 900_000 + "}}\n",
    "a long float": P + X + "    attrs: {a: {type: float, default: " + "1" * 900_000 + "}}\n",
    "a long fact": P + X + "    opdef: {Comment: '" + "(" * 400_000 + "'}\n",
    "aliases of aliases": "a: &a [1,1,1,1,1,1,1]\n"
    + "".join(f"b{i}: &b{i} [*a,*a,*a,*a,*a,*a,*a]\n" for i in range(50)),
    "itself": P + "    inputs: &a {x: *a}\n",
    "a long license": "edition: 1\nproject: {name: gates, license: " + "a " * 400_000 + "b}\nops: {}\n",
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_what_is_too_large_is_refused_quickly(text: str) -> None:
    start = time.process_time()
    with pytest.raises(SpecError) as caught:
        parse_spec(text, FILE)
    shown = caught.value.render()
    assert time.process_time() - start < 10.0  # of CPU time; it takes a tenth of that
    assert len(shown) < 120_000
    assert all(problem.where is not None for problem in caught.value.problems)


def test_a_file_that_is_no_spec_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "opforge.yaml"
    path.write_bytes(b"x" * 5_000_000)
    with pytest.raises(ProjectError, match="is 5000000 bytes long; the limit for a spec is"):
        load_spec(path)
