"""Statements of Python break where ruff format breaks them, at any depth."""

from __future__ import annotations

import subprocess
import sys
import textwrap

from opforge.render.torch.statements import Statements

LONG = ["a" * 40, "b" * 35, "c" * 30]


def filled(*, long: bool) -> Statements:
    """A body with one statement of each sort."""
    names = [*LONG, "d" * 20] if long else ["a", "b"]
    body = Statements()
    body.unpack(names, "inputs")
    body.unpack(names[:1], "rest")
    body.assign("x", f"f({', '.join(names)})")
    body.run(f"g.keep({', '.join(names)})")
    with body.when("x is None"):
        body.assign_sum("total", names)
        with body.when(""):
            body.assign_results(names, "made", names)
        with body.when("total"):
            body.raise_error("ValueError", "no" * (45 if long else 1))
    body.extend(["y = x"])
    with body.when("y"):
        body.return_call("first", names, first=True)
    body.return_values(names)
    return body


def function(body: Statements) -> str:
    """As a form writes it."""
    return "def f(inputs):\n" + "".join(f"    {line}\n" for line in body.lines)


def test_statements() -> None:
    assert function(filled(long=False)) == textwrap.dedent("""\
        def f(inputs):
            a, b = inputs
            (a,) = rest
            x = f(a, b)
            g.keep(a, b)
            if x is None:
                total = a + b
                a, b = made(a, b)
                if total:
                    raise ValueError("no")
            y = x
            if y:
                return first(a, b)[0]
            return a, b
    """)


def test_ruff_changes_nothing_in_long_statements() -> None:
    text = function(filled(long=True))
    assert max(map(len, text.splitlines())) <= 120
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=120", "-"]
    assert subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout == text


def test_the_last_value_is_returned_itself() -> None:
    body = Statements()
    body.assign("x", "a + b")
    body.return_value("x")
    assert body.lines == ["return a + b"]


def test_a_value_of_a_condition_is_returned_by_name() -> None:
    body = Statements()
    body.assign("x", "a")
    with body.when("b"):
        body.assign("x", "b")
    body.return_value("x")
    assert body.lines == ["x = a", "if b:", "    x = b", "return x"]


def test_another_value_is_returned_as_it_is() -> None:
    body = Statements()
    body.assign("x", "a")
    body.return_value("x.to(dtype)")
    assert body.lines == ["x = a", "return x.to(dtype)"]
