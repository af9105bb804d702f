"""The tests that ops of all kinds share: their imports, and the tables of ops that they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from opforge.fileset import File
from opforge.frozen import dataclass
from opforge.program import Kernel, Program, TestTable
from opforge.render.torch.autocast import autocast_rule
from opforge.render.torch.fusion import fusible
from opforge.render.torch.parameters import is_module
from opforge.render.torch.signature import Signature
from opforge.render.torch.torch_files import form_of_tests


@dataclass(frozen=True)
class PackageName:
    """Context of ``code/torch/tests/conftest.py``, which needs only the name of the package."""

    package: str


@dataclass(frozen=True)
class SharedTest:
    """Context of ``code/torch/tests/test_bad_input.py``. ``every`` is an expression for all ops of the tables."""

    tables: tuple[TestTable, ...]
    every: str


@dataclass(frozen=True)
class PyTorchTest:
    """Context of ``code/torch/tests/test_pytorch.py``; ``checks`` are the modules of opforge.testing that it uses."""

    tables: tuple[TestTable, ...]
    every: str
    checks: str
    trained: bool
    references: bool
    autocast: bool
    modules: bool


@dataclass(frozen=True)
class FusionTest:
    """Context of ``code/torch/tests/test_fusion.py``."""

    package: str
    tables: tuple[TestTable, ...]
    every: str


@dataclass(frozen=True)
class ConverterTest:
    """Context of ``code/torch/tests/test_converter.py``; ``every`` is empty if no table has an op."""

    package: str
    tables: tuple[TestTable, ...]
    every: str
    attrs: bool


def groups(program: Program) -> Mapping[type[Kernel], Sequence[Kernel]]:
    """The kernels of the spec's ops, by kind."""
    found: dict[type[Kernel], list[Kernel]] = {}
    for kernel in program.public:
        found.setdefault(type(kernel), []).append(kernel)
    return dict(sorted(found.items(), key=lambda group: group[0].__name__))


def shared_tests(program: Program, public: Sequence[Signature], every: Sequence[Signature]) -> list[File]:
    """``tests/conftest.py`` and the tests that use all kinds' tables. ``every`` includes kernels of derivatives."""
    package = program.spec.project.package
    tables = {table: kind for kind in groups(program) if (table := kind.test_table()) is not None}
    ops = [signature for signature in public if type(signature.kernel) in tables.values()]
    imported = tuple(sorted(tables, key=attrgetter("module", "name")))
    listed = _together([*tables])
    files = [form_of_tests("conftest.py", PackageName(package))]
    if ops:
        files.append(form_of_tests("test_bad_input.py", SharedTest(imported, listed)))
        files.append(form_of_tests("test_pytorch.py", _pytorch(imported, listed, ops)))
    if fusible(ops):
        files.append(form_of_tests("test_fusion.py", FusionTest(package, imported, listed)))
    if program.spec.project.has("converter"):
        context = ConverterTest(package, imported, listed, any(signature.attrs for signature in every))
        files.append(form_of_tests("test_converter.py", context))
    return files


def _together(tables: Sequence[TestTable]) -> str:
    names = sorted(table.name for table in tables)
    return names[0] if len(names) == 1 else f"({', '.join(f'*{name}' for name in names)})" if names else ""


def _pytorch(tables: tuple[TestTable, ...], every: str, ops: Sequence[Signature]) -> PyTorchTest:
    trained = any(signature.op.backward and not signature.written for signature in ops)
    references = any(signature.op.reference is not None for signature in ops)
    used = {"authored": references, "captured": True, "many_processes": trained, "regions": trained}
    return PyTorchTest(
        tables=tables,
        every=every,
        checks=", ".join([*(name for name, needed in used.items() if needed), "registration"]),
        trained=trained,
        references=references,
        autocast=any(map(autocast_rule, ops)),
        modules=any(map(is_module, ops)),
    )
