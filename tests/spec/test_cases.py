"""Messages and canonical forms, verbatim: each file in ``cases/`` is a document of cases and what they give.

``[case NAME]`` is followed by the input, ``[out]`` by the outcome. ``pytest --update-golden`` rewrites the outcomes.

* ``file_*.txt``: an opforge.yaml; out: all its errors, or the canonical form.
* ``compute_*.txt``: a compute text over inputs x and y and attributes alpha (float), n (int), flag (bool), mode (str).
* ``options_*.txt``: the arguments of ``opforge new``.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from opforge.errors import OpforgeError
from opforge.ir.op_graphs import build_graphs
from opforge.spec.model import Spec
from opforge.spec.read.command_line import spec_from_options
from opforge.spec.read.parse import parse_spec
from opforge.spec.yaml_printer import print_spec

FOLDER = Path(__file__).parent / "cases"
HEADER = re.compile(r"^\[case (\w+)\]\n", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    out: str


def read(path: Path) -> list[Case]:
    _, *parts = HEADER.split(path.read_text(encoding="utf-8"))
    cases = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        text, _, out = body.partition("[out]\n")
        cases.append(Case(name, text, out.rstrip("\n")))
    assert len({case.name for case in cases}) == len(cases), f"{path.name} has a name twice"
    return cases


def write(path: Path, cases: list[Case]) -> None:
    path.write_text("\n\n".join(f"[case {c.name}]\n{c.text}[out]\n{c.out}" for c in cases) + "\n", encoding="utf-8")


def outcome(path: Path, case: Case) -> str:
    kind = path.stem.partition("_")[0]
    try:
        spec = {"file": from_file, "compute": from_compute, "options": from_options}[kind](case.text)
        build_graphs(spec)
    except OpforgeError as error:
        return error.render()
    assert parse_spec(print_spec(spec), None) == spec
    return print_spec(spec).rstrip("\n")


def from_file(text: str) -> Spec:
    return parse_spec(text, Path("opforge.yaml"))


def from_compute(text: str) -> Spec:
    attrs = ("alpha:float=1.0", "n:int=2", "flag:bool=true", "mode:str=fast")
    return spec_from_options("Example", ("x", "y"), compute=text.removesuffix("\n"), attrs=attrs, dtypes=("float32",))


def from_options(text: str) -> Spec:
    name, *words = shlex.split(text)
    given: dict[str, list[str]] = {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        given.setdefault(option, []).append(value)

    def listed(option: str) -> tuple[str, ...] | None:
        return tuple(given[option][0].split(",")) if option in given else None

    return spec_from_options(
        name,
        listed("--inputs") or (),
        compute=given.get("--compute", [None])[0],
        attrs=tuple(given.get("--attr", ())),
        dtypes=listed("--dtype"),
        outputs=listed("--outputs"),
        like=given.get("--like", [None])[0],
        shapes=tuple(given.get("--shape", ())),
        values=tuple(given.get("--values", ())),
        pattern=given.get("--pattern", [None])[0],
        socs=listed("--soc"),
        package=given.get("--package", [None])[0],
        license=given.get("--license", [None])[0],
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_cases(path: Path, request: pytest.FixtureRequest) -> None:
    cases = read(path)
    assert cases
    found = [Case(case.name, case.text, outcome(path, case)) for case in cases]
    if request.config.getoption("--update-golden"):
        write(path, found)
    else:
        for case, now in zip(cases, found, strict=True):
            assert now.out == case.out, f"{path.name}, case {case.name}"
