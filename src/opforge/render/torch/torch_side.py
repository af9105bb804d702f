"""Renders the files of a project's torch side."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.fileset import OWNED_MODULES, File
from opforge.frozen import dataclass
from opforge.program import Derivative, Program
from opforge.render.forms import NoSlots
from opforge.render.torch.adapter import Adapter, adapter_context
from opforge.render.torch.autocast import autocast_context
from opforge.render.torch.benchmarks import measured_ops
from opforge.render.torch.converter import converter_context
from opforge.render.torch.fallback import fallback_context
from opforge.render.torch.fusion import fuse_context, fusible, fusible_context
from opforge.render.torch.modules import modules_context
from opforge.render.torch.native import native_context
from opforge.render.torch.package import checks_context, init_context, ops_context
from opforge.render.torch.reference import reference_context
from opforge.render.torch.shared_tests import PackageName, groups, shared_tests
from opforge.render.torch.signature import Signature, signature_of
from opforge.render.torch.torch_files import form_file as _form
from opforge.spec.model import Spec

_CSRC = ("aclnn_call.h", "argument_checks.h", "cann_runtime.h", "dtypes.h", "fallback.h", "npu_glue.h", "npu_glue.cpp")
_GLUE = "csrc/opforge"
_MODULES = ("_broadcast", "_by_hand", "_products", "_rows", "_scalars")  # only if generated modules use them
_FUSION = (
    *("calls.py", "canonical.py", "matching.py", "places.py", "rewriting.py", "row_functions.py", "spellings.py"),
    "tracing.py",
)
_NAMED = ("_in_place", "_shapes")


def render_torch(program: Program) -> tuple[File, ...]:
    """``csrc/``, ``python/<package>/``, ``tests/`` and ``benchmarks/`` of a project."""
    spec = program.spec
    package = spec.project.package
    ops = _operators(program)
    for signature in ops.all:
        signature.check()
    expressed = [signature for signature in ops.all if signature.kernel.expressed]
    reference = reference_context(package, expressed)
    registered = ops_context(package, ops.all, ops.derivatives, _reference_modules(program))
    adapter = adapter_context(package, spec.project.soc, ops.all)
    native = native_context(package, ops.public)
    modules = {*registered.owned.split(", "), *reference.owned.split(", ")}
    modules |= set(native.owned.split(", ")) if native is not None else set()
    same, named = NoSlots(), PackageName(package)

    files = [_form("csrc", "adapter.cpp", "csrc", adapter)]
    files += [_form("csrc", name, _GLUE, same) for name in (*_CSRC, *_headers(adapter))]
    python = f"python/{package}"
    owned = f"{python}/{OWNED_MODULES}"
    files.append(_form("python", "__init__.py", python, init_context(spec.project, ops.public)))
    files.append(_form("python", "_ops.py", python, registered))
    modules_form = modules_context(package, ops.public)
    if modules_form is not None:
        files.append(_form("python", "_modules.py", python, modules_form))
    if expressed:
        files.append(_form("python", "_reference.py", python, reference))
    files.append(_form("python", "py.typed", python, same))
    if spec.project.has("converter"):
        files.append(_form("python", "_ge.py", python, converter_context(package, ops.all)))
    files.append(_form("python/_opforge", "__init__.py", owned, same))
    if native is not None:
        files.append(_form("python", "_native.py", owned, native))
    files += _fusion(owned, package, ops)
    files.append(_form("python", "_checks.py", owned, checks_context(ops.all)))
    files += [_form("python", f"{name}.py", owned, same) for name in _MODULES if name in modules]
    files += [_form("python", f"{name}.py", owned, named) for name in _NAMED if name in modules]
    files.append(_form("python", "_fallback.py", owned, fallback_context(package, ops.all)))
    if "_autocast" in modules:
        rules = autocast_context(package, ops.all, ops.derivatives)
        files.append(_form("python", "_autocast.py", owned, rules))
    files.append(_form("python", "_runtime.py", owned, same))
    if spec.project.has("serving"):
        files.append(_form("python", "_serving.py", owned, same))
    return (*files, *_tests(program, ops), *_benchmarks(spec, ops))


def _headers(adapter: Adapter) -> tuple[str, ...]:
    """The headers that only some adapters include."""
    wanted = {
        "shape_checks.h": adapter.shapes,
        "in_place.h": adapter.in_place or adapter.lists,
        "host_shapes.h": adapter.host_shapes,
        "list_results.h": adapter.lists,
        "blocks.h": adapter.blocks,
    }
    return tuple(name for name, included in wanted.items() if included)


def _fusion(owned: str, package: str, ops: _Operators) -> list[File]:
    """The files of ``_fusion``; none if no op can be found in a model."""
    found, below = fusible(ops.public), f"{owned}/_fusion"
    if not found:
        return []
    return [
        _form("python/_fusion", "__init__.py", below, fuse_context(package, found)),
        _form("python/_fusion", "fusible.py", below, fusible_context(package, found)),
        *(_form("python/_fusion", name, below, NoSlots()) for name in _FUSION),
    ]


def _tests(program: Program, ops: _Operators) -> list[File]:
    files = shared_tests(program, ops.public, ops.all)
    for kind, kernels in groups(program).items():
        files += kind.test_files(program, kernels)
    return files


def _benchmarks(spec: Spec, ops: _Operators) -> list[File]:
    context = measured_ops(spec.project.package, ops.public, spec.project.soc[0])
    return [_form("benchmarks", "cases.py", "benchmarks", context)]


def _reference_modules(program: Program) -> list[str]:
    """The project's modules that contain references of ops."""
    having = (kernel for kernel in program.public if kernel.computable and not kernel.expressed)
    return list(dict.fromkeys((kernel.op.reference or "").partition(":")[0] for kernel in having))


@dataclass(frozen=True)
class _Operators:
    """All operators of a project. ``derivatives`` maps op types to derivatives."""

    all: tuple[Signature, ...]  # the spec's ops, each followed by the kernel of its derivative
    derivatives: Mapping[str, Derivative]

    @property
    def public(self) -> tuple[Signature, ...]:
        """The ops of the spec."""
        return tuple(signature for signature in self.all if signature.gradient_of is None)


def _operators(program: Program) -> _Operators:
    signatures = tuple(signature_of(program, kernel) for kernel in program.kernels)
    derivatives: dict[str, Derivative] = {}
    for kernel in program.public:
        derivatives |= kernel.torch.derivatives(program)
    return _Operators(signatures, derivatives)
