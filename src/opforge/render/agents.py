"""The context of AGENTS.md, which tells coding assistants what a project is and how to work in it."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.program import Kernel, Program


@dataclass(frozen=True)
class AgentsOp:
    """An operator: a remark on its kernel, and the files that people edit."""

    type: str
    about: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Agents:
    """Context of ``code/AGENTS.md``."""

    name: str
    package: str
    ops: tuple[AgentsOp, ...]


def agents_of(program: Program) -> Agents:
    """The context for a project."""
    project = program.spec.project
    return Agents(project.name, project.package, tuple(_op(kernel) for kernel in program.public))


def _op(kernel: Kernel) -> AgentsOp:
    stem = snake(kernel.op.type)
    files = (f"op_kernel/{stem}_kernel.h", f"op_kernel/{stem}_tiling.h", f"op_host/{stem}_host_tiling.h")
    about = " (handwritten)" if kernel.authored else " (generated from its expression)"
    return AgentsOp(kernel.op.type, about, kernel.op.sources or files)
