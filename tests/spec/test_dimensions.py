"""Dimensions as trees: what they print as, and what they come to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.spec.dimensions import (
    DOTS,
    Apply,
    Dim,
    DimError,
    Operator,
    Size,
    Symbol,
    evaluate_dim,
    names_of,
    parse_dim,
    print_dim,
)

OPERATORS: tuple[Operator, ...] = ("add", "sub", "mul", "floordiv", "min", "max")
ATOMS: st.SearchStrategy[Dim] = st.one_of(
    st.integers(0, 9).map(Size), st.sampled_from(("H", "min", "max_2", "no")).map(Symbol)
)
DIMS = st.recursive(
    ATOMS, lambda dims: st.builds(Apply, st.sampled_from(OPERATORS), st.tuples(dims, dims)), max_leaves=8
)
PYTHON = {"H": 7, "min": 2, "max_2": 5, "no": 3}


@settings(deadline=None, derandomize=True, database=None)
@given(DIMS)
def test_what_is_printed_is_read_as_the_same_tree(dim: Dim) -> None:
    text = print_dim(dim)
    assert parse_dim(text) == dim
    assert print_dim(parse_dim(text)) == text
    assert parse_dim(text.replace(" ", "")) == dim
    assert set(names_of(dim)) <= set(PYTHON)


@settings(deadline=None, derandomize=True, database=None)
@given(DIMS)
def test_the_text_means_to_python_what_the_tree_means(dim: Dim) -> None:
    """Precedence is Python's; names that are also functions stand for themselves there."""
    text = print_dim(dim)
    names = {f"{name}_": value for name, value in PYTHON.items()}
    for name in PYTHON:
        text = text.replace(f"{name} ", f"{name}_ ").replace(f"{name},", f"{name}_,").replace(f"{name})", f"{name}_)")
        text = f"{name}_" if text == name else text
        text = text[: -len(name)] + f"{name}_" if text.endswith(f" {name}") else text
    try:
        wanted = eval(text, {"min": min, "max": max}, names)  # noqa: S307 - what the strategy made
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            evaluate_dim(dim, PYTHON)
    else:
        assert evaluate_dim(dim, PYTHON) == wanted


@pytest.mark.parametrize(
    ("text", "size"),
    [("2 * H - 1", 13), ("2 * (H - 1)", 12), ("H // 2 * 2", 6), ("H // (2 * 2)", 1), ("max(H, 9) - min(1, H)", 8)],
)
def test_sizes(text: str, size: int) -> None:
    assert evaluate_dim(parse_dim(text), PYTHON) == size


def test_dots_have_no_size() -> None:
    assert parse_dim("...") == DOTS
    with pytest.raises(TypeError, match="has no size"):
        evaluate_dim(DOTS, {})


@pytest.mark.parametrize(
    ("text", "what", "start"),
    [
        ("", "ends too early", 0),
        ("H +", "ends too early", 0),
        ("H / 2", "`/` is not a valid operator", 2),
        ("H ** 2", "not a valid operator", 2),
        ("3 4", "unexpected `4`", 2),
        ("-1", "unexpected `-`", 0),
        ("a..", r"unexpected `\.`", 1),
        ("max(A, B, C)", "takes two values", 8),
        ("max(A", "ends too early", 0),
        ("07", "begins with 0", 0),
        ("99999999999", "does not fit in 32 bits", 0),
        ("²", "unexpected `²`", 0),
        ("(" * 30 + "H" + ")" * 30, "the limit is 20 levels", 21),
        ("H" * 201, "is 201 characters long", 0),
    ],
)
def test_what_is_no_dimension(text: str, what: str, start: int) -> None:
    with pytest.raises(DimError, match=what) as caught:
        parse_dim(text)
    assert caught.value.start == start
    assert caught.value.hint
