"""Finds op types whose names collide with CANN's built-in operators; they are valid, but users should know.

CANN names an op's C header, its include guard and its files after the op type in snake case. ``SwiGLU`` and the
built-in ``SwiGlu`` therefore both have ``aclnn_swi_glu.h`` with the same guard, and a compiler reads only the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from opforge.frozen import dataclass
from opforge.naming import snake

_LIST = Path(__file__).with_name("built_in.txt")  # names its source


@dataclass(frozen=True)
class Namesake:
    """An op type and the built-in op of the same name, ignoring case."""

    op_type: str
    built_in: str

    @property
    def header(self) -> str | None:
        """The header that both have; None if their headers differ."""
        stem = snake(self.op_type)
        return f"aclnn_{stem}.h" if stem == snake(self.built_in) else None


def namesakes(op_types: Iterable[str]) -> tuple[Namesake, ...]:
    """The op types whose name, ignoring case, is that of a built-in op, each with the closest one."""
    listed = _names()
    found = []
    for op_type in op_types:
        alike = listed.get(op_type.lower(), ())
        if alike:
            stem = snake(op_type)
            found.append(Namesake(op_type, min(alike, key=lambda name: (name != op_type, snake(name) != stem))))
    return tuple(found)


def describe(found: tuple[Namesake, ...]) -> str:
    """The warning about these names, in a few lines."""
    pairs = ", ".join(f"{n.op_type} (built in: {n.built_in})" for n in found)
    lines = [f"CANN has ops with nearly the same names: {pairs}"]
    headers = ", ".join(dict.fromkeys(n.header for n in found if n.header is not None))
    if headers:
        lines.append(
            f"  CANN and this project both have {headers}, with the same include guard: C++ files can include "
            "only one of the two; generated code includes this project's"
        )
    same = ", ".join(f"aclnn{n.op_type}" for n in found if n.op_type == n.built_in)
    if same:
        lines.append(
            f"  both export {same}: link only one of the libraries; generated code opens this project's by its path"
        )
    return "\n".join(lines)


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """The built-in names by their lower-case form."""
    names: dict[str, tuple[str, ...]] = {}
    for line in _LIST.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            names[line.lower()] = (*names.get(line.lower(), ()), line)
    return names
