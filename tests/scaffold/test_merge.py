"""Three versions of a file: what is taken from whom, and that no line of a user's is ever lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge.scaffold.merge import Merged, conflict_lines, merge

BASE = b"one\ntwo\nthree\nfour\nfive\n"


def merged(base: bytes | None, yours: bytes, new: bytes) -> Merged:
    return merge(base, yours, new, "opforge 1.2.3")


def test_what_one_side_changed_is_taken_from_it() -> None:
    yours = BASE.replace(b"one", b"mine")
    new = BASE.replace(b"five", b"rendered")
    assert merged(BASE, yours, new) == Merged(b"mine\ntwo\nthree\nfour\nrendered\n")


def test_what_both_changed_alike_is_no_conflict() -> None:
    both = BASE.replace(b"two", b"2")
    assert merged(BASE, both, both) == Merged(both)


def test_what_both_changed_stands_between_markers_and_their_line_is_told() -> None:
    result = merged(BASE, BASE.replace(b"two", b"mine"), BASE.replace(b"two", b"rendered"))
    assert result.data == b"one\n<<<<<<< yours\nmine\n=======\nrendered\n>>>>>>> opforge 1.2.3\nthree\nfour\nfive\n"
    assert result.conflicts == (2,) == conflict_lines(result.data)


def test_a_conflict_is_no_longer_than_it_must_be() -> None:
    result = merged(b"a\n", b"a\nx\nmine\nz\n", b"a\nx\nrendered\nz\n")
    assert result.data == b"a\nx\n<<<<<<< yours\nmine\n=======\nrendered\n>>>>>>> opforge 1.2.3\nz\n"


def test_without_a_base_every_difference_is_a_conflict() -> None:
    result = merged(None, b"a\nmine\nb\n", b"a\nb\nrendered\n")
    assert result.data == (
        b"a\n<<<<<<< yours\nmine\n=======\n>>>>>>> opforge 1.2.3\nb\n"
        b"<<<<<<< yours\n=======\nrendered\n>>>>>>> opforge 1.2.3\n"
    )
    assert result.conflicts == (2, 7)
    assert merged(None, BASE, BASE) == Merged(BASE)


def test_a_checkout_with_crlf_stays_one() -> None:
    crlf = BASE.replace(b"\n", b"\r\n")
    result = merged(BASE, crlf.replace(b"one", b"mine"), BASE.replace(b"five", b"rendered"))
    assert result == Merged(b"mine\r\ntwo\r\nthree\r\nfour\r\nrendered\r\n")
    conflict = merged(BASE, crlf.replace(b"one", b"mine"), BASE.replace(b"one", b"1"))
    assert conflict.data.count(b"\n") == conflict.data.count(b"\r\n")
    assert conflict_lines(conflict.data) == (1,)


@pytest.mark.parametrize(
    ("base", "yours", "new", "expected"),
    [
        (b"a\nb\n", b"a\nb", b"x\nb\n", b"x\nb"),  # the user took the last line's end away
        (b"a\nb", b"x\nb", b"a\nb\n", b"x\nb\n"),  # the rendering has got one
        (b"", b"", b"new\n", b"new\n"),
        (b"old\n", b"old\n", b"", b""),
        (b"a\n", b"a\n\xff\xfe latin\n", b"b\na\n", b"b\na\n\xff\xfe latin\n"),  # whatever its encoding
        (b"a\r b\nc\n", b"a\r b\nc\nd\n", b"a\r b\nC\n", None),
    ],
)
def test_odd_texts(base: bytes, yours: bytes, new: bytes, expected: bytes | None) -> None:
    result = merged(base, yours, new)
    if expected is None:
        assert result.conflicts
        assert result.data.startswith(b"a\r b\n<<<<<<< yours\n")
    else:
        assert result == Merged(expected)


def test_a_conflict_at_an_end_without_newline_keeps_its_markers_on_lines_of_their_own() -> None:
    result = merged(b"a", b"mine", b"rendered")
    assert result.data == b"<<<<<<< yours\nmine\n=======\nrendered\n>>>>>>> opforge 1.2.3\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (b"<<<<<<< yours\na\n=======\nb\n>>>>>>> opforge\n", (1,)),
        (b"x\n<<<<<<< HEAD\na\n", (2,)),  # git's own, and half resolved
        (b"a\n>>>>>>> opforge 1\n", (2,)),
        (b"=======\n", ()),  # a heading
        (b"std::cout <<<<<<< yours\n  <<<<<<< a\n<<<<<<<\n", ()),
        (b"\x00\xff", ()),
        (b"", ()),
    ],
)
def test_markers_are_found(text: bytes, lines: tuple[int, ...]) -> None:
    assert conflict_lines(text) == lines


# --- properties: random edits by both ---

LINES = st.lists(st.sampled_from([b"", b"}", b"{", b"int a;", b"return 0;", b"// c", b"x = 1", b"y = 2"]), max_size=14)


@st.composite
def edits(draw: st.DrawFn, base: list[bytes], who: bytes) -> tuple[list[bytes], set[int]]:
    """The base with some lines gone, changed or added; and which of its lines were touched, gaps as the line behind."""
    lines: list[bytes] = []
    touched: set[int] = set()
    for place in range(len(base) + 1):
        kind = draw(st.sampled_from(["keep"] * 6 + ["drop", "change", "add"]))
        if kind == "add":
            lines.append(who + b" adds %d" % place)
        if kind == "change" and place < len(base):
            lines.append(who + b" changes %d" % place)
        if kind in ("keep", "add") and place < len(base):
            lines.append(base[place])
        if kind != "keep":
            touched.add(place)
    return lines, touched


def text(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_line_of_either_side_is_lost(data: st.DataObject) -> None:
    base = data.draw(LINES)
    yours, _ = data.draw(edits(base, b"mine"))
    new, _ = data.draw(edits(base, b"rendered"))
    result = merged(text(base), text(yours), text(new))
    out = result.data.split(b"\n")
    for line in (*yours, *new):
        if line.startswith((b"mine", b"rendered")):
            assert line in out
    assert len(result.conflicts) == len(conflict_lines(result.data))
    # What stands outside of conflicts and in their first halves holds all of the user's lines that were not taken away
    # by the rendering; resolving every conflict for the user must give a text with the user's own lines in order.
    mine = [line for line in chosen(out, 0) if line.startswith(b"mine")]
    assert mine == [line for line in yours if line.startswith(b"mine")]
    theirs = [line for line in chosen(out, 1) if line.startswith(b"rendered")]
    assert theirs == [line for line in new if line.startswith(b"rendered")]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_edits_far_apart_never_conflict(data: st.DataObject) -> None:
    base = [b"line %d" % number for number in range(data.draw(st.integers(4, 30)))]
    middle = len(base) // 2
    mine = base[: middle - 1] + base[middle - 1 :]
    at = data.draw(st.integers(0, middle - 1))
    mine[at : at + data.draw(st.integers(0, 1))] = [b"mine"]
    new = list(base)
    behind = data.draw(st.integers(middle + 1, len(base)))
    new[behind : behind + data.draw(st.integers(0, 2))] = [b"rendered 1", b"rendered 2"]
    result = merged(text(base), text(mine), text(new))
    assert result.conflicts == ()
    assert result.data == text(mine[: len(mine) - len(base) + middle] + new[middle:])


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_side_that_did_nothing_changes_nothing(data: st.DataObject) -> None:
    base = data.draw(LINES)
    yours, _ = data.draw(edits(base, b"mine"))
    assert merged(text(base), text(yours), text(base)) == Merged(text(yours))
    assert merged(text(base), text(base), text(yours)) == Merged(text(yours))


def chosen(lines: list[bytes], side: int) -> list[bytes]:
    """The lines with every conflict resolved for one side."""
    out: list[bytes] = []
    within: int | None = None
    for line in lines:
        if line == b"<<<<<<< yours":
            within = 0
        elif line == b"=======":
            within = 1
        elif line.startswith(b">>>>>>> "):
            within = None
        elif within in (None, side):
            out.append(line)
    return out
