"""What kinds of kernels put into the tests that ops of all kinds share: imports, and texts by the places they go to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.frozen import dataclass
from opforge.program import Kernel, Program, TestPart
from opforge.render.layout import COLUMNS, python_collection


@dataclass(frozen=True)
class SharedParts:
    """The parts of all kinds that a project has ops of, in the order of their names."""

    parts: tuple[Mapping[str, TestPart], ...]

    def has(self, test: str) -> bool:
        """Whether some kind takes part in a test."""
        return any(test in parts for parts in self.parts)

    def texts(self, test: str, place: str) -> tuple[str, ...]:
        """What stands at a place of a test, of each kind that has something there."""
        texts = (parts[test].texts.get(place) for parts in self.parts if test in parts)
        return tuple(text for text in texts if text is not None)

    def imports(self, test: str, own: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """The imports of modules beside the test, its own among them, sorted as linters ask."""
        names = {module: set(given) for module, given in own.items()}
        for parts in self.parts:
            for module, given in parts[test].imports.items() if test in parts else ():
                names.setdefault(module, set()).update(given)
        return tuple(import_line(module, sorted(given, key=_order)) for module, given in sorted(names.items()))


def groups(program: Program) -> Mapping[type[Kernel], Sequence[Kernel]]:
    """The kernels of the spec's ops by their kinds."""
    found: dict[type[Kernel], list[Kernel]] = {}
    for kernel in program.public:
        found.setdefault(type(kernel), []).append(kernel)
    return dict(sorted(found.items(), key=lambda group: group[0].__name__))


def shared_parts(program: Program) -> SharedParts:
    """The parts for all shared tests."""
    return SharedParts(tuple(kind.test_parts(program, kernels) for kind, kernels in groups(program).items()))


def _order(name: str) -> tuple[bool, bool, str]:
    """Constants, classes, functions."""
    return not name.isupper(), not name[0].isupper(), name


def import_line(module: str, names: Sequence[str]) -> str:
    """``from module import names``, on several lines where it is long."""
    head = f"from {module} import "
    flat = head + ", ".join(names)
    return flat if len(flat) <= COLUMNS else python_collection(f"{head}(", names, ")")
