"""``opforge.load``: an op from handwritten sources, as ``opforge adopt`` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from opforge.adopt.adoption import Wanted, adopt
from opforge.adopt.definitions import host_compiler
from opforge.cli.shared.console import Console
from opforge.errors import ProjectError
from opforge.jit.call_options import unit
from opforge.jit.kept_projects import package_of
from opforge.jit.loaded_ops import Op
from opforge.jit.process_activation import PROCESS
from opforge.jit.requested_op import RequestedOp, made
from opforge.jit.source_files import ANY_ENCODING, REFERENCE, Texts, defined_op, read_sources, renamed
from opforge.naming import snake
from opforge.scaffold.adopted_files import place, write_adopted
from opforge.scaffold.disk import write_bytes
from opforge.toolkit.process import Runner


def load_op(name: str, sources: str | Path | Sequence[str | Path], *, soc: str | None, verbose: bool) -> Op:
    """See ``opforge.load``, whose arguments these are."""

    def request() -> RequestedOp:
        texts = read_sources(sources)
        defined = defined_op(name, texts)
        unit_name = unit(soc, PROCESS)

        def write(root: Path, op_type: str) -> None:
            _write_project(root, op_type, renamed(texts, defined, op_type), unit_name, Console(quiet=not verbose))

        return RequestedOp(defined, (unit_name, {str(path): text for path, text in texts.items()}), write)

    return made("opforge.load", request, verbose=verbose)


def _write_project(root: Path, op_type: str, texts: Texts, unit_name: str, console: Console) -> None:
    """Writes the sources, and the files that ``opforge adopt`` adds to them."""
    root.mkdir()
    for path, text in texts.items():
        target = path if path != REFERENCE else Path("references", f"{snake(op_type)}.py")
        write_bytes(root / target, text.encode(errors=ANY_ENCODING))
    package = package_of(op_type)
    adopted = adopt(root, Wanted(package, package, (unit_name,)), host_compiler(PROCESS, Runner(), console))
    unknown = [f"{name}: {why}" for name, why in adopted.open.get(op_type, {}).items()]
    if unknown:
        raise ProjectError(
            "the shape of an output cannot be inferred",
            detail="\n".join(unknown),
            hint="make a project of it with `opforge adopt`, and write the shape in opforge.yaml",
        )
    project = replace(adopted.spec.project, features=())
    adopted = replace(adopted, spec=replace(adopted.spec, project=project))
    write_adopted(place(adopted.files(), root), adopted.spec, root, adopted.extra)
