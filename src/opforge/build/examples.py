"""The gallery: handwritten operators with their specs, references and tests, which new projects can begin with."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from opforge.errors import UsageError
from opforge.fileset import File, FileSet
from opforge.frozen import dataclass
from opforge.spec.read.parse import load_spec
from opforge.spec.source import closest

if TYPE_CHECKING:
    from opforge.spec.model import OpSpec, Spec

_TEST = "test_example.py"  # beside the examples: the test of each of them


@dataclass(frozen=True)
class Example:
    """An operator of the gallery: its folder, and its spec, with one op."""

    folder: Path
    spec: Spec

    @property
    def name(self) -> str:
        """The name of the example, of its package and of its function."""
        return self.folder.name

    @property
    def op(self) -> OpSpec:
        """The only op."""
        return self.spec.ops[0]

    @property
    def is_precise(self) -> bool:
        """Whether each shape is made of named dimensions, so that the generated test can draw their sizes.

        A named group of dimensions, as in ``[...gamma]``, says only that the shapes of two tensors differ.
        """
        return all(re.fullmatch(r"\.\.\.|[^.]+", dim) for given in self.op.inputs for dim in given.dims)

    def files(self) -> FileSet:
        """The author's files of a project: sources, reference, cases and the test of the cases.

        The last one replaces the generated test of an op whose signature is not precise.
        """
        sources = sorted(path for folder in ("op_host", "op_kernel") for path in (self.folder / folder).rglob("*.*"))
        places = {path: str(path.relative_to(self.folder)) for path in sources if path.is_file()}
        module, _, _ = (self.op.reference or "").partition(":")
        places[self.folder / "reference.py"] = f"python/{self.name}/{module}.py"
        places[self.folder / "cases.py"] = "tests/example_cases.py"
        places[self.folder.parent / _TEST] = f"tests/test_{self.name}{'_cases' if self.is_precise else ''}.py"
        return FileSet.of(
            *(File(PurePosixPath(place), path.read_text(encoding="utf-8"), "gallery") for path, place in places.items())
        )


def gallery() -> Path:
    """The folder of all examples: inside an installed opforge, or in a checkout."""
    installed = Path(__file__).resolve().parents[1] / "gallery"
    return installed if installed.is_dir() else installed.parents[2] / "examples" / "gallery"


def example_names() -> tuple[str, ...]:
    """The names of the examples, in alphabetical order."""
    return tuple(sorted(path.parent.name for path in gallery().glob("*/opforge.yaml")))


def example(name: str) -> Example:
    """An example. Raises UsageError for an unknown name."""
    names = example_names()
    if name not in names:
        meant = closest(name, names)
        hint = f"did you mean `{meant}`? " if meant else ""
        raise UsageError(f"`{name}` is not an example", hint=f"{hint}`opforge list --examples` lists them")
    folder = gallery() / name
    return Example(folder, load_spec(folder / "opforge.yaml"))


def examples() -> tuple[Example, ...]:
    """All examples."""
    return tuple(map(example, example_names()))
