"""Lines of forms that hold an argument list break where the formatters would break them."""

from __future__ import annotations

import json

import pytest

from opforge.render.layout import COLUMNS, comment, lay_out, wrap

LONG = [f"argument{'x' * 20}{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("before", "behind", "broken_before", "aligned_with"),
    [
        ("    Function(", ");", "", "    Function("),
        ("    Check(Function(", "),", "", "    Check(Function("),
        ("    { ", " },", "", "    {"),
        ("    const T name = Function(", ");", "    const T name =\n", "        Function("),
        ("template <", ">", "", "template <"),
    ],
)
def test_a_long_list_goes_on_behind_its_bracket(
    before: str, behind: str, broken_before: str, aligned_with: str
) -> None:
    lines = lay_out(before + wrap(LONG) + behind).removeprefix(broken_before).split("\n")
    assert lines[0].startswith(f"{aligned_with}{LONG[0]}, ")
    assert lines[1].startswith(" " * len(aligned_with) + LONG[lines[0].count(",")])
    assert lines[-1].endswith(LONG[-1] + behind.lstrip())
    assert all(len(line) <= COLUMNS for line in lines)


def test_a_short_list_stays_in_its_line() -> None:
    text = f"a\n    f({wrap(['x', 'y'])});\n    g({wrap([])});\n    {{ {wrap(['1'])} }},\n    T x = f({wrap(['x'])});\n"
    assert lay_out(text) == "a\n    f(x, y);\n    g();\n    {1},\n    T x = f(x);\n"


def test_where_a_bracket_is_too_far_to_the_right_the_list_starts_below() -> None:
    function = "f" * 100
    assert lay_out(f"    {function}({wrap(LONG[:3])});") == f"    {function}(\n        {', '.join(LONG[:3])});"
    inner = lay_out(f"    Check({function}({wrap(LONG[:3])}),")
    assert inner == f"    Check({function}(\n              {', '.join(LONG[:3])}),"


def test_a_variable_stands_behind_a_type_of_several_lines() -> None:
    lines = lay_out(f"    Kernel<{wrap(LONG)}> op;").split("\n")
    assert lines[-2].endswith(f"{LONG[-1]}>")
    assert lines[-1] == "        op;"
    assert lay_out(f"    Kernel<{wrap(LONG[:2])}> op;") == f"    Kernel<{', '.join(LONG[:2])}> op;"


def test_a_comment_has_lines_of_its_own() -> None:
    assert comment("y = x\n  z = y\n") == "// y = x\n// z = y"
    lines = comment(" + ".join(LONG)).split("\n")
    assert len(lines) == 2
    assert all(line.startswith("// ") and len(line) <= COLUMNS for line in lines)


def test_the_shortest_way_to_break_an_assignment_is_taken() -> None:
    assert lay_out(f"    T x = f({wrap([LONG[0], *LONG])});").count("\n") == 2
    beside = lay_out(f"    const auto status = launch({wrap(LONG[:4])});").split("\n")
    assert beside[0] == f"    const auto status = launch({LONG[0]}, {LONG[1]},"
    assert beside[1].startswith(" " * len("    const auto status = launch(") + LONG[2])


def test_a_value_goes_below_its_name_and_there_between_its_arguments() -> None:
    assert lay_out(f"    T x = {wrap('a + b')};") == "    T x = a + b;"
    assert lay_out(f"    T x = {wrap('y' * 110)};") == f"    T x =\n        {'y' * 110};"
    braces = f"    T x = {wrap('{' + ', '.join(LONG) + '}')};".split("\n")
    assert lay_out(braces[0]).split("\n")[1].startswith(" " * len("    T x = {") + "argument")
    call = f"    T x = {wrap('f(' + ', '.join(LONG[:4]) + ', g(y, z))')};"
    assert lay_out(call).endswith(f", {LONG[2]},\n            {LONG[3]}, g(y, z));")
    assert lay_out(f"    T x = {wrap('f(' + ', '.join(LONG) + ') + 1')};").count("\n") == 1


def test_a_chain_has_a_call_a_line_where_it_is_too_long() -> None:
    calls = [".First(a)", ".Second({x, y})"]
    assert lay_out(f'    this->Input("x"){wrap(calls)};') == '    this->Input("x").First(a).Second({x, y});'
    long = [".First(a)", f".Second({{{', '.join(LONG)}}})"]
    items = "".join(f"            {item},\n" for item in LONG)
    assert lay_out(f"    this->Input(){wrap(long)};") == (
        f"    this->Input()\n        .First(a)\n        .Second({{\n{items}        }});"
    )


def test_a_long_text_is_cut_behind_its_commas() -> None:
    text = ", ".join(LONG)
    lines = lay_out(f"    library.def({wrap(json.dumps(text))});").split("\n")
    assert lines[0] == "    library.def("
    assert "".join(json.loads(line.strip().removesuffix(");")) for line in lines[1:]) == text


@pytest.mark.parametrize(
    ("line", "laid_out"),
    [
        (f"    f({wrap(['a', 'b'])})", "    f(a, b)"),
        (f"x = {{ {wrap(['a: b'])} }},", "x = {a: b},"),
        (f"x = ({wrap(['a'])})", "x = (a,)"),
        (f"{'f' * 40}({wrap(LONG[:3])})", f"{'f' * 40}(\n    {', '.join(LONG[:3])}\n)"),
        (f"x = [{wrap(LONG[:4])}]", "x = [\n" + "".join(f"    {item},\n" for item in LONG[:4]) + "]"),
        (f"ROWS = ({wrap(['(a, b)', '(c, d)'])})", "ROWS = (\n    (a, b),\n    (c, d),\n)"),
        (f"    return {wrap(['a', 'b'])}", "    return a, b"),
        (f"    return f({wrap([])})", "    return f()"),
        (f"from a import {wrap(LONG[:4])}", "from a import (\n" + "".join(f"    {item},\n" for item in LONG[:4]) + ")"),
        (f"    {wrap(['a', 'b'])} = inputs", "    a, b = inputs"),
        (f"f({wrap(['x={a: b}', *LONG[:4]])})", "f(\n" + "".join(f"    {i},\n" for i in ["x={a: b}", *LONG[:4]]) + ")"),
    ],
)
def test_lists_of_python_break_as_ruff_breaks_them(line: str, laid_out: str) -> None:
    assert lay_out(line, python=True) == laid_out


def test_brackets_around_one_value_do_not_become_a_tuple() -> None:
    value = f"a * ({' + '.join(LONG)})"
    assert lay_out(f"x = f({wrap([value])})", python=True) == f"x = f(\n    {value},\n)"


def test_an_item_of_python_that_is_too_long_is_broken_itself() -> None:
    inner = f"inputs={{{', '.join(LONG)}}}"
    items = "".join(f"        {item},\n" for item in LONG)
    assert lay_out(f"S = f({wrap([inner, 'rows=True'])})", python=True) == (
        f"S = f(\n    inputs={{\n{items}    }},\n    rows=True,\n)"
    )


def test_names_that_do_not_fit_before_a_call_have_lines_of_their_own() -> None:
    laid_out = lay_out(f"    {', '.join(LONG)} = f({wrap(['x'])})", python=True)
    assert laid_out == "    (\n" + "".join(f"        {name},\n" for name in LONG) + "    ) = f(x)"
