"""The schema takes every spec that the reader takes, and refuses what it refuses for its structure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from opforge.errors import SpecError
from opforge.spec import catalog
from opforge.spec.read.json_schema import json_schema
from opforge.spec.read.parse import parse_spec

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "cases"
SCHEMA: Any = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
HEAD = "edition: 1\nproject: {name: gates}\nops:\n"


def cases() -> list[tuple[str, str, bool]]:
    """The texts of all case files of whole specs, and whether the reader takes them."""
    found = []
    for path in sorted(CASES.glob("file_*.txt")):
        parts = re.split(r"^\[case (\w+)\]\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for name, body in zip(parts[::2], parts[1::2], strict=True):
            text, _, out = body.partition("[out]\n")
            found.append((f"{path.stem}-{name}", text, not out.startswith("error")))
    return found


def problems(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))]


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, t, accepted in cases() if accepted])
def test_it_takes_what_the_reader_takes(name: str, text: str) -> None:
    assert not problems(text), name


def test_it_takes_the_catalog_and_the_examples() -> None:
    folder = Path(catalog.__file__).parent
    for path in sorted(folder.glob("*.yaml")):
        op = "".join(f"  {line}\n" for line in path.read_text(encoding="utf-8").splitlines())
        assert not problems(HEAD + op), path.name
    specs = sorted(ROOT.glob("examples/**/opforge.yaml"))
    assert specs
    for path in specs:
        assert not problems(path.read_text(encoding="utf-8")), path


# Structure: keys and kinds. What it means together, the reader alone knows.
REFUSED = {
    "unknown key": HEAD + "  Foo: {input: {x: {dtype: [float32]}}, inputs: {x: {dtype: [float32]}}, compute: y = x}",
    "unknown key of a tensor": HEAD + "  Foo: {inputs: {x: {dtypes: [float32]}}, outputs: {y: }}",
    "unknown key of an attribute": HEAD + "  Foo: {inputs: {x: {dtype: [float32]}}, attrs: {a: {typ: int}}}",
    "unknown key of the project": "edition: 1\nproject: {name: a, nam: b}\nops: {}",
    "unknown key at the top": HEAD + "  Foo: {inputs: {x: {dtype: [float32]}}, outputs: {y: }}\nmore: 1",
    "no project": "edition: 1\nops: {Foo: {inputs: {x: {dtype: [float32]}}}}",
    "no name": "edition: 1\nproject: {}\nops: {Foo: {inputs: {x: {dtype: [float32]}}}}",
    "no ops": "edition: 1\nproject: {name: gates}\nops: {}",
    "no inputs": HEAD + "  Foo: {outputs: {y: }}",
    "empty inputs": HEAD + "  Foo: {inputs: {}, outputs: {y: }}",
    "a word for a list": HEAD + "  Foo: {inputs: {x: {dtype: float32}}, outputs: {y: }}",
    "a list for a mapping": HEAD + "  Foo: {inputs: [x], outputs: {y: }}",
    "a mapping for a word": HEAD + "  Foo: {inputs: {x: {dtype: [float32]}}, reference: {a: b}, outputs: {y: }}",
    "a dtype": HEAD + "  Foo: {inputs: {x: {dtype: [flot32]}}, outputs: {y: }}",
    "a format": HEAD + "  Foo: {inputs: {x: {dtype: [float32], format: [NZ]}}, outputs: {y: }}",
    "a SoC": "edition: 1\nproject: {name: a, soc: [a2]}\nops: {Foo: {inputs: {x: {dtype: [float32]}}, outputs: {y: }}}",
    "a SoC's override": HEAD + "  Foo: {inputs: {x: {dtype: [float32]}}, overrides: {a2: {x: {dtype: [int8]}}}}",
    "an attribute's type": HEAD + "  Foo: {inputs: {x: {dtype: [float32]}}, attrs: {a: {type: double}}}",
    "a truth value": HEAD + "  Foo: {inputs: {x: {dtype: [float32], optional: maybe}}, outputs: {y: }}",
    "a fact of OpDef": HEAD + "  Foo: {inputs: {x: {dtype: [float32], opdef: {InitValue: 0}}}, outputs: {y: }}",
    "contiguous": HEAD + "  Foo: {inputs: {x: {dtype: [float32], contiguous: auto}}, outputs: {y: }}",
    "scalar on an output": HEAD + "  Foo: {inputs: {x: {dtype: [float32]}}, outputs: {y: {scalar: true}}}",
    "another edition": "edition: 3\nproject: {name: a}\nops: {Foo: {inputs: {x: {dtype: [float32]}}}}",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_it_refuses_what_the_reader_refuses_for_its_structure(text: str) -> None:
    with pytest.raises(SpecError):
        parse_spec(text, None)
    assert problems(text)


def test_every_unknown_key_of_the_cases_is_refused() -> None:
    """Wherever the reader says that there is no such field, the schema says so too."""
    seen = 0
    for name, text, _ in cases():
        try:
            parse_spec(text, None)
        except SpecError as error:
            if any("has no field" in problem.what for problem in error.problems):
                try:
                    loaded = yaml.safe_load(text)
                except yaml.YAMLError:
                    continue
                assert list(VALIDATOR.iter_errors(loaded)), name
                seen += 1
    assert seen >= 5
