"""Checks that the functions that ops name as `reference` exist, in the source, without importing it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from opforge.errors import BuildError
from opforge.plain_files import read_plain
from opforge.spec.model import OpSpec, Spec


def check_references(root: Path, spec: Spec, read: Callable[[str], bytes] | None = None) -> None:
    """Checks that every reference is defined in the project's Python package.

    ``read`` returns a file's bytes by its path in the project; without it, files are read from disk.

    Raises: BuildError: the module is missing or not valid Python, or does not define the function at its top level.
    """
    package = Path("python") / spec.project.package
    for op in spec.ops:
        if op.reference is not None:
            module, _, function = op.reference.partition(":")
            _check(read or (lambda name: read_plain(root / name)), package / f"{module}.py", function, op)


def _check(read: Callable[[str], bytes], file: Path, function: str, op: OpSpec) -> None:
    try:
        tree = ast.parse(read(file.as_posix()), filename=str(file))
    except OSError:
        parameters = ", ".join([*(tensor.name for tensor in op.inputs), *(attr.name for attr in op.attrs)])
        raise BuildError(
            f"{op.type} has `reference: {op.reference}`, but {file} does not exist",
            hint=f"write it, with a torch function `def {function}({parameters})` that computes {op.type}, "
            "or remove the reference from opforge.yaml",
        ) from None
    except (SyntaxError, ValueError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BuildError(
            f"{op.type} has `reference: {op.reference}`, but {file}{line} is not valid Python: {what}",
            hint="correct it",
        ) from None
    names = set(_names(tree.body))
    if function not in names and "*" not in names:
        raise BuildError(
            f"{op.type} has `reference: {op.reference}`, and {file} has no `{function}` at its top level",
            hint=f"define it there with `def {function}`, or correct the reference in opforge.yaml",
        )


def _names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that these statements define, import or assign; ``*`` for a star import."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name for alias in statement.names)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            yield from (
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )
        else:  # inside `if`, `try` and `with`
            for part in ("body", "orelse", "finalbody"):
                yield from _names(getattr(statement, part, ()))
            for handler in getattr(statement, "handlers", ()):
                yield from _names(handler.body)
