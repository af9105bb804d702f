"""An op into the text of an opforge.yaml: where it goes, and that nothing else moves."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.errors import ProjectError, SpecError
from opforge.scaffold.insertion import declared_ops, insert_op
from opforge.spec.model import OpSpec
from opforge.spec.read.parse import parse_ops, parse_spec

FILE = Path("opforge.yaml")
HEAD = "edition: 1\nproject: {name: p}\n"
ABS = "  Abs1:\n    inputs:\n      x: {dtype: [float32]}\n    compute: y = abs(x)\n"
FLOW = 'Abs1: {inputs: {x: {dtype: [float32]}}, compute: "y = abs(x)"}'


def new_op() -> OpSpec:
    (op,) = parse_ops(
        """Difference:
  doc: "The rest: x, # y"
  inputs:
    x: {shape: [...], dtype: [float16, float32]}
    y: {shape: [...]}
  attrs:
    mode: {type: str, default: "5"}
    alpha: {type: float, default: 1.5}
  compute: |
    rest = (x
            - y)
    z = rest * alpha
""",
        None,
    )
    return op


BLOCK = """  Difference:
    doc: "The rest: x, # y"
    inputs:
      x: {shape: [...], dtype: [float16, float32]}
      y: {shape: [...]}
    attrs:
      mode:  {type: str, default: 5}
      alpha: {type: float, default: 1.5}
    compute: |
      rest = (x
              - y)
      z = rest * alpha
"""

TEXTS = {
    "plain": HEAD + "ops:\n" + ABS,
    "comments around": "# top\n"
    + HEAD
    + "ops:  # all of them\n  # first\n"
    + ABS
    + "    # of Abs1\n  # old ones\n\n# end\n",
    "ops first": "ops:\n" + ABS + "\n# of the project\n" + HEAD,
    "blank lines between": HEAD + "ops:\n" + ABS + "\n" + ABS.replace("Abs1", "Abs2"),
    "four columns": HEAD + "ops:\n    Abs1:\n        inputs:\n            x: {dtype: [float32]}\n        compute: |\n"
    "            # in the text\n            y = abs(x)\n",
    "end of document": HEAD + "ops:\n" + ABS + "...\n",
    "no final newline": (HEAD + "ops:\n" + ABS).rstrip("\n"),
    "crlf": ("# ünï 算子\n" + HEAD + "ops:\n" + ABS).replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + HEAD + "ops:\n" + ABS,
    "nothing": HEAD + "ops:\n",
    "nothing, first": "ops:\n" + HEAD,
    "nothing, no newline": HEAD + "ops:  # none yet",
    "braces": HEAD + "ops: {" + FLOW + "}\n",
    "braces over lines": HEAD + "ops: {\n  " + FLOW + ", # one\n}\n# end\n",
    "empty braces with a comment in them": HEAD + "ops: { # none\n}\n",
    "everything in braces": "{edition: 1, project: {name: p}, ops: {" + FLOW + "}}",
    "everything in braces, no op": "{edition: 1, project: {name: p}, ops: {}}\n",
    "quoted keys": "'edition': 1\n\"project\": {name: p}\n'ops':\n" + ABS,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_character_that_was_there_stays(text: str) -> None:
    made = insert_op(text, new_op(), FILE)
    assert added(text, made.text), "more than an insertion"
    spec = parse_spec(made.text, FILE)
    assert spec.ops[-1] == new_op()
    assert [op.type for op in spec.ops] == [*declared_ops(text, FILE), "Difference"]
    shown = made.text.splitlines()[made.first - 1 : made.last]
    assert "Difference" in shown[0]
    assert "z = rest * alpha" in shown[-1]
    assert ("\r\n" in text) == ("\r\n" in made.text)
    assert made.text.count("\r\n") in (0, made.text.count("\n"))


def added(before: str, after: str) -> bool:
    """Whether ``after`` is ``before`` with one piece put in."""
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    return len(after) > len(before) and after.endswith(before[start:])


def test_empty_braces_go_and_their_comment_stays() -> None:
    made = insert_op(HEAD + "ops: {}  # none yet\n# end\n", new_op(), FILE)
    assert made.text == HEAD + "ops:  # none yet\n" + BLOCK + "# end\n"
    assert insert_op(HEAD + "ops: {}", new_op(), FILE).text == HEAD + "ops:\n" + BLOCK.rstrip("\n")


def test_the_op_goes_behind_what_belongs_to_the_last_one() -> None:
    made = insert_op(TEXTS["comments around"], new_op(), FILE)
    assert made.text == TEXTS["comments around"].replace("\n\n# end\n", "\n" + BLOCK + "\n# end\n")
    made = insert_op(TEXTS["ops first"], new_op(), FILE)
    assert made.text == "ops:\n" + ABS + BLOCK + "\n# of the project\n" + HEAD


def test_ops_that_stand_apart_get_another_that_does() -> None:
    assert insert_op(TEXTS["blank lines between"], new_op(), FILE).text.endswith("y = abs(x)\n\n" + BLOCK)


def test_the_indentation_is_the_texts() -> None:
    made = insert_op(TEXTS["four columns"], new_op(), FILE)
    lines = made.text.splitlines()[made.first - 1 : made.last]
    assert lines[:4] == [
        "    Difference:",
        '        doc: "The rest: x, # y"',
        "        inputs:",
        "            x: {shape: [...], dtype: [float16, float32]}",
    ]
    assert lines[-2:] == ["                    - y)", "            z = rest * alpha"]


def test_ops_come_with_their_lines() -> None:
    assert declared_ops(TEXTS["blank lines between"], FILE) == {"Abs1": 4, "Abs2": 9}
    assert declared_ops(HEAD + "ops:\n", FILE) == declared_ops(HEAD, FILE) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "opforge.yaml has no `ops:`"),
        (HEAD + "ops: [a]\n", "opforge.yaml:3:6: `ops:` is not a mapping of ops"),
        (HEAD + "ops: later\n", "opforge.yaml:3:6: `ops:` is not a mapping of ops"),
    ],
)
def test_what_has_no_place_for_ops_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProjectError) as caught:
        insert_op(text, new_op(), FILE)
    assert caught.value.what == message


def test_what_is_no_yaml_is_refused_with_its_place() -> None:
    with pytest.raises(SpecError) as caught:
        insert_op("ops: {\n", new_op(), FILE)
    assert caught.value.problems[0].where is not None


def test_a_long_text_differs_by_the_new_lines_alone() -> None:
    text = HEAD + "ops:\n" + "".join(ABS.replace("Abs1", f"Op{n}") + f"  # {n}\n" for n in range(200))
    made = insert_op(text, new_op(), FILE)
    lines = [line for line in difflib.ndiff(text.splitlines(), made.text.splitlines()) if line[0] != " "]
    assert [line[2:] for line in lines] == BLOCK.splitlines()


NOISE = st.sampled_from(["", "  ", "# left", "  # in", "      # deep", "\t# tab", "# ü 算子"])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), NOISE), max_size=8),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_comments_and_blank_lines_anywhere_stay(
    noise: list[tuple[int, str]], ops_first: bool, final_newline: bool, eol: str
) -> None:
    ops, head = ["ops:", *ABS.splitlines(), *ABS.replace("Abs1", "Abs2").splitlines()], HEAD.splitlines()
    lines = [*ops, *head] if ops_first else [*head, *ops]
    for place, text in noise:
        lines.insert(min(place, len(lines)), text)
    whole = eol.join(lines) + (eol if final_newline else "")
    try:
        before = parse_spec(whole, FILE)
    except SpecError:  # a tab, where YAML wants none
        with pytest.raises(SpecError):
            insert_op(whole, new_op(), FILE)
        return
    made = insert_op(whole, new_op(), FILE)
    assert added(whole, made.text)
    assert parse_spec(made.text, FILE).ops == (*before.ops, new_op())
    assert ("\n" in made.text.replace("\r\n", "")) == (eol == "\n")
