"""Renders the project of each real signature, and says which ones opforge cannot render.

A definition that needs host or kernel sources of its own, such as an op type that is a function of C, counts as
rendered with ``sources``: opforge then writes everything except op_host and op_kernel.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence

from opforge.errors import OpforgeError, SpecError
from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.spec.model import ProjectSpec, Spec

from .foreign import Signature, spec_of

HEADING = "## Rendered"
PROJECT = ProjectSpec("signatures", "signatures", "signatures", "0.1.0", ("ascend910b",))


@dataclasses.dataclass(frozen=True)
class Rendering:
    """Why opforge cannot render a signature; empty if it can. ``sources``: it needs sources of its own."""

    why: str = ""
    sources: bool = False


def render(signature: Signature) -> Rendering:
    """Renders the whole project: op_host, kernel, aclnn programs, adapter, Meta function and tests."""
    why = _refused(dataclasses.replace(signature, sources=()))
    if not why:
        return Rendering()
    other = _refused(signature)
    return Rendering(other or why, sources=not other)


def row_of(op_type: str, repo: str, rendering: Rendering) -> str:
    """The row of a signature that is not rendered whole."""
    need = "`sources`" if rendering.sources else "no"
    return f"| {op_type} | {repo} | {need} | {rendering.why} |"


def section(names: Sequence[tuple[str, str]], renderings: Sequence[Rendering]) -> str:
    """The section of the page: counts, the reasons by frequency, and the signatures that are not rendered whole."""
    refused = [(name, made) for name, made in zip(names, renderings, strict=True) if made.why]
    sources = sum(made.sources for _, made in refused)
    whole = len(names) - len(refused)
    reasons = Counter(_reason(name[0], made.why) for name, made in refused if not made.sources)
    lines = [
        "",
        HEADING,
        "",
        f"**{whole} of {len(names)}** are rendered whole ({100 * whole / len(names):.1f} %): from such a spec opforge",
        "writes op_host with shape inference, the kernel's skeleton, aclnn programs, the PyTorch adapter, the Meta",
        f"function and the tests. {sources} more are rendered if `sources` names your own op_host and op_kernel.",
        "",
        "| why not, also with `sources` | definitions |",
        "|---|---|",
        *(f"| {reason} | {count} |" for reason, count in reasons.most_common()),
        "",
        "| op | repository | rendered | why not whole |",
        "|---|---|---|---|",
        *(row_of(*name, made) for name, made in refused),
    ]
    return "\n".join(lines) + "\n"


def _refused(signature: Signature) -> str:
    try:
        render_project(derive(Spec(PROJECT, (spec_of(signature),))))
    except SpecError as error:
        return "; ".join(dict.fromkeys(problem.what for problem in error.problems))
    except OpforgeError as error:
        return str(error).partition("\n")[0]
    return ""


def _reason(op_type: str, why: str) -> str:
    """The reason without the names of one definition."""
    first = why.partition(";")[0].removeprefix(f"{op_type}: ")
    first = re.sub(r"^(torch has no dtype \w+) of .*", r"\1", first)
    first = re.sub(r"^\w+ (has the formats|is complex128)", r"a tensor \1", first)
    return re.sub(r"`[^`]*`", "a name", first.replace(op_type, "the op"))
