"""Texts of specs, and what chance makes of them: plain Python, so that a second holds a thousand."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from opforge.errors import Problem, SpecError
from opforge.spec import catalog
from opforge.spec.model import Spec
from opforge.spec.read.parse import parse_spec
from opforge.spec.yaml_printer import print_spec

CASES = Path(__file__).parent / "cases"
HEAD = "edition: 1\nproject: {name: gates}\nops:\n"
FILE = Path("opforge.yaml")
_WORDS = """
edition project ops name package vendor version soc license doc inputs attrs outputs compute reference backward
dtype_product overrides sources opdef shape dtype format optional dynamic contiguous value_depend scalar inplace type
default true false yes no null ~ x y z w bias H N M ... float16 float32 bfloat16 int32 bool int8 hifloat8 flot32
ND NCHW FRACTAL_NZ ascend910b ascend310p ascend950 int float str list_int list_float required ignore InitValue
Follow Version SwiGlu Add2 Foo FooGrad 0 1 -1 3.5 1e-5 017 9223372036854775808 1e400 x:y m:f op_host/a.cpp
where present cast silu exp log pow max min sqrt clamp grad_y for class lambda self out executor N * @ // ** + - / %
"""
WORDS = tuple(_WORDS.split())
PIECES = [*"abZ09 #:-'\"\\{}[],&*!|>%@`?~.=()<\t\n", "\n\n", ": ", "- ", " #", "  ", "\r\n", "ä", "漢", "😀"]
PIECES += ["\x85", "\u2028", "\ufeff", "\x7f", "\x00", "\ud800", "<<", "[[[[", "{{{{", "((((", "&a ", "*a", "!!int "]
TOKEN = re.compile(r"[A-Za-z0-9_.]+|[^\sA-Za-z0-9_.]")


def seeds() -> list[str]:
    """Small texts to begin from: the catalog's ops and all cases, right and wrong."""
    entries = [path.read_text(encoding="utf-8") for path in sorted(Path(catalog.__file__).parent.glob("*.yaml"))]
    found = [HEAD + "".join(f"  {line}\n" for line in entry.splitlines()) for entry in entries]
    for path in sorted(CASES.glob("file_*.txt")):
        parts = re.split(r"^\[case \w+\]\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        found += [part.partition("[out]\n")[0] for part in parts]
    return [text for text in found if text]


def mutated(rng: random.Random, texts: Sequence[str]) -> str:
    """A text with one to four random changes."""
    text = rng.choice(texts)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = _changed(rng, text, texts)
    return text


def _changed(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    kind = rng.randrange(10)
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice((1, 2, 5, 20)))
    if kind == 0:
        return text[:start] + text[end:]
    if kind == 1:
        return text[:start] + text[start:end] * 2 + text[end:]
    if kind in {2, 3}:
        return text[:start] + rng.choice(PIECES) + text[start:]
    if kind in {4, 5, 6}:
        found = list(TOKEN.finditer(text))
        if found:
            token = rng.choice(found)
            return text[: token.start()] + rng.choice(WORDS) + text[token.end() :]
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    if kind == 7:
        lines[place] = rng.choice(("  ", "    ", " ", "")) + lines[place].strip()
    elif kind == 8:
        other = rng.choice(texts).split("\n")
        lines.insert(place, rng.choice(other))
    else:
        lines[place : place + 2] = reversed(lines[place : place + 2])
    return "\n".join(lines)


def read(text: str) -> tuple[Spec | None, tuple[Problem, ...]]:
    """The spec in a text, or what is wrong."""
    try:
        return parse_spec(text, FILE), ()
    except SpecError as error:
        return None, error.problems


def check(text: str, *, printed: bool = False) -> Spec | None:
    """Read a text: a spec, which goes through the printer if asked for; or errors, each with a place in the text."""
    spec, problems = read(text)
    if spec is None:
        assert problems
        last = (
            text.count("\n") + text.count("\r") + text.count("\x85") + text.count("\u2028") + text.count("\u2029") + 1
        )
        for problem in problems:
            assert problem.where is not None, problem
            assert problem.where.file == FILE
            assert 1 <= problem.where.line <= last, problem
            assert problem.where.column >= 1
            assert problem.what, problem
            problem.render()
        return None
    if printed:
        again = print_spec(spec)
        twice = parse_spec(again, FILE)
        assert twice == spec
        assert print_spec(twice) == again
    return spec
