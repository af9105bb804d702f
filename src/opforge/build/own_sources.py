"""``sources`` of an op: where CANN's build looks for a file of another name or folder, it finds one that includes it.

Source of the rules: the public CMake functions of asc-devkit (npu_op_code_gen, npu_op_kernel_sources): op_host's files
lie in op_host itself, and the kernel of an op is ``op_kernel/<op>.cpp``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.errors import BuildError
from opforge.naming import snake
from opforge.spec.model import OpSpec


def forwarders(project: Path, ops: Sequence[OpSpec]) -> Mapping[Path, str]:
    """The files that include others, by their path below the project.

    Raises:
        BuildError: a listed file is not there.
    """
    made: dict[Path, str] = {}
    for op in ops:
        for source in map(Path, op.sources):
            if not (project / source).is_file():
                raise BuildError(
                    f"{op.type} names {source} among its sources, and there is no such file",
                    hint="write the file, or correct `sources` in opforge.yaml",
                )
            found = _looked_for(op, source)
            if found != source and str(found) not in op.sources and found not in made:
                made[found] = f'#include "{source.relative_to(found.parts[0]).as_posix()}"\n'
    return made


def _looked_for(op: OpSpec, source: Path) -> Path:
    """Where CANN's build looks for it; headers are found by whoever includes them."""
    if source.suffix != ".cpp":
        return source
    if source.parts[0] == "op_kernel":
        return Path("op_kernel") / f"{snake(op.type)}.cpp"
    return Path("op_host") / "_".join(source.parts[1:])
