"""Real operators' signatures as specs: each goes through the parser and the printer, and says the same as before.

``data/opdef_signatures.jsonl`` has facts from the operator definitions of public repositories: names, kinds, dtypes,
formats, attributes. ``docs/signatures.md`` is the table; ``pytest --update-golden`` rewrites it.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from opforge.errors import SpecError
from opforge.naming import snake
from opforge.spec.model import OpSpec, ProjectSpec, Spec
from opforge.spec.read.parse import parse_ops, parse_spec
from opforge.spec.yaml_printer import print_spec

from . import rendered_signatures
from .foreign import ForeignAttr, ForeignTensor, Signature, meaning_of, meaning_of_spec, spec_of
from .rendered_signatures import Rendering

DATA = Path(__file__).parent / "data" / "opdef_signatures.jsonl"
TABLE = Path(__file__).parents[2] / "docs" / "signatures.md"
PROJECT = ProjectSpec("signatures", "signatures", "signatures", "0.1.0", ("ascend910b",))
ENUMERATOR = re.compile(r"[A-Z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Row:
    """One definition and where it is from."""

    repo: str
    signature: Signature


def known(words: str) -> tuple[str, ...]:
    """A list of enumerators; the name of a constant that holds one says nothing."""
    read = tuple(words.split())
    return read if all(ENUMERATOR.fullmatch(word) for word in read) else ()


def tensor(entry: Mapping[str, object]) -> ForeignTensor:
    calls = [re.fullmatch(r"(\w+)\((.*)\)", str(text), re.DOTALL) for text in entry.get("mods", ())]  # type: ignore[attr-defined]
    methods = {call[1]: call[2] for call in calls if call}
    opdef_calls = tuple(
        (name, text) for name, text in methods.items() if name in {"Follow", "InitValue", "Version", "To"}
    )
    opdef_calls = tuple(
        (name, text) for name, text in opdef_calls if text.count("{") == text.count("}")
    )  # cut off in the data
    opdef_calls += tuple((name, "") for name in methods if name == "OutputShapeDependOnCompute")
    value_depend = entry.get("value_depend")
    return ForeignTensor(
        name=str(entry["name"]),
        kind=str(entry.get("kind", "REQUIRED")),
        dtypes=known(str(entry.get("dtype", entry.get("list", "")))),
        formats=known(str(entry.get("format", ""))),
        crossed="list" in entry,
        scalar=bool({"Scalar", "ScalarList"} & set(methods)),
        value_depend=str(value_depend) if value_depend else None,
        strided="IgnoreContiguous" in methods,
        calls=opdef_calls,
    )


def read_rows() -> list[Row]:
    rows = []
    for line in DATA.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        host = Path(entry["file"]).with_suffix(".cpp").name
        signature = Signature(
            entry["op"],
            tuple(map(tensor, entry["inputs"])),
            tuple(map(tensor, entry["outputs"])),
            tuple(ForeignAttr(*attr) for attr in entry.get("attrs", ())),
            aicpu=entry.get("aicpu", False),
            sources=(f"op_host/{host}", f"op_kernel/{snake(entry['op'])}.cpp"),
        )
        rows.append(Row(entry["repo"], signature))
    return rows


def round_trip(signature: Signature) -> tuple[OpSpec | None, str]:
    """The spec, or None and why there is none."""
    try:
        op = spec_of(signature)
    except SpecError as error:
        return None, "; ".join(dict.fromkeys(problem.what for problem in error.problems))
    printed = print_spec(Spec(PROJECT, (op,)))
    assert parse_ops(textwrap.dedent(printed.split("ops:\n", 1)[1]), None) == (op,)
    meant, said = meaning_of(signature), meaning_of_spec(op, signature)
    assert said == meant, signature.op_type
    return op, ""


def features(op: OpSpec) -> list[str]:
    tensors = (*op.inputs, *op.outputs)
    found = {
        "optional inputs": any(t.optional for t in op.inputs),
        "lists of tensors": any(t.dynamic and not t.scalar for t in tensors),
        "scalars": any(t.scalar for t in op.inputs),
        "values read on the host": any(t.value_depend for t in op.inputs),
        "in-place outputs": any(t.inplace for t in op.outputs),
        "several outputs": len(op.outputs) > 1,
        "formats other than ND": any(t.formats for t in tensors),
        "strided inputs": any(not t.contiguous for t in tensors),
        "attributes": bool(op.attrs),
        "list attributes": any(a.type.startswith("list_") for a in op.attrs),
        "dtype_product": op.dtype_product,
        "other OpDef methods": any(t.opdef for t in tensors),
    }
    return [name for name, there in found.items() if there]


def expressible_part(rows: list[Row], results: list[tuple[OpSpec | None, str]]) -> str:
    """The page's first part: which definitions a spec can express."""
    made = [op for op, _ in results if op is not None]
    refused = [(row, why) for row, (op, why) in zip(rows, results, strict=True) if op is None]
    counts = Counter(feature for op in made for feature in features(op))
    share = 100 * len(made) / len(rows)
    lines = [
        "# Signatures of real operators",
        "",
        "Do not edit: `tests/spec/test_signatures.py` generates this page from public operator definitions.",
        "",
        f"**{len(made)} of {len(rows)}** are expressible ({share:.1f} %). *Expressible* means: the",
        "definition becomes a valid spec, and the printed spec parses to the same spec. Spec and definition agree",
        "on the op type; the names, kinds and order of inputs and outputs; scalars; values read on the host;",
        "in-place outputs; strided inputs; `Follow`, `InitValue`, `Version` and data-dependent shapes; the set of",
        "combinations of dtypes and formats; and the names, types, order and defaults of attributes.",
        "",
        "Not compared, because the definition or the data does not contain it: shapes; columns of a single",
        "SoC, and the SoCs themselves, which belong to the project in opforge; `AutoContiguous`, which opforge",
        "always requests; the functions that infer and tile; dtypes, formats and defaults that the definition",
        "gives as the name of a constant. A list of results has `shape: handwritten` if no input is a list.",
        "",
        "The last section counts which of them opforge can render.",
        "",
        "## Features in use",
        "",
        "| | definitions |",
        "|---|---|",
        *(f"| {name} | {count} |" for name, count in counts.most_common()),
        "",
        "## Not expressible",
        "",
        "| op | repository | why |",
        "|---|---|---|",
        *(f"| {row.signature.op_type} | {row.repo} | {why} |" for row, why in refused),
    ]
    return "\n".join(lines) + "\n"


def rendered_part(rows: list[Row], renderings: list[Rendering]) -> str:
    """The page's second part: which definitions become projects."""
    return rendered_signatures.section([(row.signature.op_type, row.repo) for row in rows], renderings)


def test_signatures_of_real_operators(request: pytest.FixtureRequest) -> None:
    rows = read_rows()
    assert len(rows) == 675
    results = [round_trip(row.signature) for row in rows]
    assert sum(op is not None for op, _ in results) >= 0.95 * len(rows)
    now = expressible_part(rows, results)
    page = TABLE.read_text(encoding="utf-8")
    if request.config.getoption("--update-golden"):
        page = now + rendered_part(rows, [rendered_signatures.render(row.signature) for row in rows])
        TABLE.write_text(page, encoding="utf-8")
    assert page.startswith(now), "docs/signatures.md is not what the test finds: --update-golden"


def test_a_sample_of_the_signatures_is_rendered_as_the_page_says() -> None:
    """Every fortieth; the slow test renders all. A count that falls is a change of the page that a reader sees."""
    page = TABLE.read_text(encoding="utf-8")
    for row in read_rows()[::40]:
        made = rendered_signatures.render(row.signature)
        said = rendered_signatures.row_of(row.signature.op_type, row.repo, made)
        named = f"| {row.signature.op_type} | {row.repo} |" in page.partition(rendered_signatures.HEADING)[2]
        assert said in page if made.why else not named, f"{row.signature.op_type}: --update-golden"


@pytest.mark.slow
def test_every_signature_is_rendered_as_the_page_says() -> None:
    rows = read_rows()
    now = rendered_part(rows, [rendered_signatures.render(row.signature) for row in rows])
    page = TABLE.read_text(encoding="utf-8")
    assert page.endswith(now), "docs/signatures.md is not what the test finds: --update-golden"


def test_what_is_not_said_the_same_is_noticed() -> None:
    """The comparison sees each difference: otherwise the table would say nothing."""
    x = ForeignTensor("x", "REQUIRED", ("FLOAT", "FLOAT16"))
    y = ForeignTensor("y", "REQUIRED", ("FLOAT", "FLOAT16"))
    signature = Signature("Foo", (x,), (y,), (ForeignAttr("n", "Int", False, "3"),))
    meant = meaning_of(signature)
    assert meaning_of_spec(spec_of(signature), signature) == meant
    others = [
        Signature("Foo", (x,), (ForeignTensor("y", "REQUIRED", ("FLOAT16", "FLOAT")),), signature.attrs),
        Signature("Foo", (ForeignTensor("x", "OPTIONAL", x.dtypes),), (y,), signature.attrs),
        Signature("Foo", (ForeignTensor("x", "REQUIRED", x.dtypes, ("ND", "NCHW")),), (y,), signature.attrs),
        Signature("Foo", (x,), (y,), (ForeignAttr("n", "Int", False, "4"),)),
        Signature("Foo", (x,), (y,), (ForeignAttr("n", "Int", True, ""),)),
        Signature("Foo", (x,), (ForeignTensor("x", "REQUIRED", x.dtypes),), signature.attrs),
    ]
    for other in others:
        assert meaning_of(other) != meant
        assert meaning_of_spec(spec_of(other), other) == meaning_of(other)


def test_a_printed_signature_is_a_whole_spec() -> None:
    op = spec_of(next(row.signature for row in read_rows() if row.signature.op_type == "ForeachMulScalarList"))
    spec = Spec(PROJECT, (op,))
    assert parse_spec(print_spec(spec), None) == spec


def test_the_aclnn_function_of_the_highest_version_takes_all_arguments() -> None:
    def op(input_: str, attr: str) -> OpSpec:
        text = f"""edition: 1
project: {{name: gates}}
ops:
  AddMany:
    inputs:
      x: {{dtype: [float16]}}
      bias: {{optional: true{input_}}}
    attrs:
      mode: {{type: int, default: 2{attr}}}
    outputs:
      y: {{shape: [...]}}
"""
        return parse_spec(text, "opforge.yaml").ops[0]

    plain = op("", "")
    assert (plain.aclnn, plain.aclnn_header) == ("aclnnAddMany", "aclnn_add_many.h")
    both = op(", opdef: {Version: 1}", ", opdef: {Version: 12}")
    assert (both.aclnn, both.aclnn_header) == ("aclnnAddManyV12", "aclnn_add_many_v12.h")
