"""Which files the torch side of a project has, and what each is filled with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.fileset import File
from opforge.ir.backward import backward_of
from opforge.ir.differentiate import gradients
from opforge.ir.graph import Graph
from opforge.ir.shapes import ProductShape, product_shape
from opforge.plan.matmul_model import AnyPlan
from opforge.render.forms import NoSlots, render_form
from opforge.render.torch.adapter import adapter_context
from opforge.render.torch.autocast import autocast_context, autocast_test
from opforge.render.torch.benchmarks import measured_ops
from opforge.render.torch.by_hand import ByHandForm, by_hand_test
from opforge.render.torch.cases import (
    PrecisionForm,
    cases_context,
    product_cases_context,
)
from opforge.render.torch.converter import converter_context, converter_test
from opforge.render.torch.derivative import Derivative, derivative_of, reference_derivative
from opforge.render.torch.elementwise_derivative import elementwise_derivative
from opforge.render.torch.fallback import fallback_context
from opforge.render.torch.fusion import fuse_context, fusible, fusible_context, fusion_test
from opforge.render.torch.module_tests import module_checks, module_test
from opforge.render.torch.modules import modules_context
from opforge.render.torch.native import native_context
from opforge.render.torch.package import checks_context, init_context, ops_context
from opforge.render.torch.parameters import is_module
from opforge.render.torch.product_derivative import product_derivative
from opforge.render.torch.reference import reference_context
from opforge.render.torch.references import references_context
from opforge.render.torch.signature import Signature
from opforge.render.torch.training import training_context
from opforge.spec.model import Spec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_CSRC = ("aclnn_call.h", "argument_checks.h", "cann_runtime.h", "dtypes.h", "fallback.h", "npu_glue.h", "npu_glue.cpp")
_PACKAGE = ("_runtime.py", "py.typed")
_MODULES = ("_broadcast", "_by_hand", "_products")  # where _ops.py uses them
_FUSED = "test_fusion.py"  # where an op's expression can be found in models
_FUSION = ("calls.py", "canonical.py", "matching.py", "places.py", "rewriting.py", "spellings.py", "tracing.py")
_NAMED = ("_in_place", "_shapes")
_TESTS = ("test_forward.py", "test_backward.py", "test_registration.py", "test_bad_input.py")
_PRODUCT_TESTS = (
    "test_products.py",
    "test_products_backward.py",
    "test_products_registration.py",
    "test_products_bad_input.py",
)
_TRAINING = "test_training.py"  # where an op has a derivative
_AUTOCAST = "test_autocast.py"  # where it does something to an op
_MODULE = "test_module.py"  # where an op with an expression is a module
_REFERENCES = "test_references.py"  # where an op has an expression and a reference


@dataclass(frozen=True)
class PackageName:
    """Context of the forms that name the package and nothing else."""

    package: str


def render_torch(spec: Spec, graphs: Mapping[str, Graph], plans: Mapping[str, AnyPlan]) -> tuple[File, ...]:
    """``csrc/``, ``python/<package>/``, ``tests/`` and ``benchmarks/`` of a project.

    ``graphs``, of the spec's ops, and ``plans``, of every op that has a kernel (``ir.backward.kernel_ops``), are by op
    type. The same spec gives the same text.
    """
    package = spec.project.package
    ops = _operators(spec, graphs)
    for signature in ops.all:
        signature.check()
    compiled = [signature for signature in ops.all if not signature.op.handwritten]
    reference = reference_context(package, compiled, ops.graphs)
    registered = ops_context(package, ops.all, ops.derivatives, _reference_modules(spec))
    adapter = adapter_context(package, spec.project.soc, ops.all)
    native = native_context(package, ops.public)
    modules = registered.imports.split(", ") + (native.modules.split(", ") if native is not None else [])
    same, named = NoSlots(), PackageName(package)

    files = [_form("csrc", "adapter.cpp", "csrc", adapter)]
    files += [_form("csrc", name, "csrc", same) for name in _CSRC]
    if adapter.shapes:
        files.append(_form("csrc", "shape_checks.h", "csrc", same))
    if adapter.in_place:
        files.append(_form("csrc", "in_place.h", "csrc", same))
    python = f"python/{package}"
    files.append(_form("python", "__init__.py", python, init_context(spec.project, ops.public)))
    files.append(_form("python", "_ops.py", python, registered))
    modules_form = modules_context(package, ops.public, ops.graphs)
    if modules_form is not None:
        files.append(_form("python", "_modules.py", python, modules_form))
    if compiled:
        files.append(_form("python", "_reference.py", python, reference))
    if native is not None:
        files.append(_form("python", "_native.py", python, native))
    found = fusible(ops.public)
    if found:
        below = f"{python}/_fusion"
        files.append(_form("python/_fusion", "__init__.py", below, fuse_context(package, found)))
        files.append(_form("python/_fusion", "fusible.py", below, fusible_context(package, found)))
        files += [_form("python/_fusion", name, below, same) for name in _FUSION]
    files.append(_form("python", "_checks.py", python, checks_context(ops.all)))
    files.append(_form("python", "_ge.py", python, converter_context(package, ops.all)))
    if reference.scalars or "_scalars" in modules:
        files.append(_form("python", "_scalars.py", python, same))
    files += [_form("python", f"{name}.py", python, same) for name in _MODULES if name in modules]
    files += [_form("python", f"{name}.py", python, named) for name in _NAMED if name in modules]
    files.append(_form("python", "_fallback.py", python, fallback_context(package, ops.all)))
    if "_autocast" in modules:
        rules = autocast_context(package, ops.all, ops.derivatives)
        files.append(_form("python", "_autocast.py", python, rules))
    files += [_form("python", name, python, same) for name in _PACKAGE]
    return (*files, *_tests(spec, ops, plans), *_benchmarks(spec, ops))


def _tests(spec: Spec, ops: _Operators, plans: Mapping[str, AnyPlan]) -> list[File]:
    package, same = spec.project.package, NoSlots()
    files = [_form("tests", "conftest.py", "tests", PackageName(package))]
    tables = bool(ops.elementwise or ops.products)
    if tables:
        files.append(_form("tests", "operators.py", "tests", PackageName(package)))
    judged = PrecisionForm(bool(ops.elementwise), bool(ops.products), tables)
    files.append(_form("tests", "precision.py", "tests", judged))
    if ops.by_hand:
        shared = ByHandForm(package, any(map(is_module, ops.by_hand)))
        files.append(_form("tests", "by_hand.py", "tests", shared))
    converters = converter_test(package, ops.all, elementwise=bool(ops.elementwise), products=bool(ops.products))
    files.append(_form("tests", "test_converter.py", "tests", converters))
    files.append(_form("tests", "torchair_stub.py", "tests", same))
    taken = {file.path.name for file in files} | {*_TESTS, *_PRODUCT_TESTS, _AUTOCAST, _FUSED}
    taken |= {_MODULE, _REFERENCES, _TRAINING}
    for signature in ops.by_hand:
        name = f"test_{signature.function}.py"
        name = f"test_{signature.function}_kernel.py" if name in taken else name
        files.append(_form("tests", "test_by_hand.py", "tests", by_hand_test(signature, spec.project.soc[0]), name))
    if ops.elementwise:
        files.append(_form("tests", "op_cases.py", "tests", cases_context(spec, ops.elementwise, plans)))
        files += [_form("tests", name, "tests", same) for name in _TESTS]
    if ops.products:
        cases = product_cases_context(spec, ops.products, ops.shapes, ops.product_kernels, plans)
        files.append(_form("tests", "product_cases.py", "tests", cases))
        files += [_form("tests", name, "tests", same) for name in _PRODUCT_TESTS]
    further: dict[str, DataclassInstance | None] = {
        "module_checks.py": module_checks(package, ops.public, ops.graphs),
        _MODULE: module_test(ops.elementwise, ops.products),
        _AUTOCAST: autocast_test(ops.elementwise, ops.products),
        _FUSED: fusion_test(package, ops.public),
        _TRAINING: training_context(ops.elementwise, ops.products),
        _REFERENCES: references_context(package, ops.elementwise, ops.products),
    }
    files += [_form("tests", name, "tests", context) for name, context in further.items() if context is not None]
    return files


def _benchmarks(spec: Spec, ops: _Operators) -> list[File]:
    context = measured_ops(spec.project.package, ops.public, ops.shapes, spec.project.soc[0])
    return [_form("benchmarks", "cases.py", "benchmarks", context)]


def _reference_modules(spec: Spec) -> list[str]:
    """The project's own modules that hold references of ops."""
    named = (op.reference.partition(":")[0] for op in spec.ops if op.handwritten and op.reference is not None)
    return list(dict.fromkeys(named))


@dataclass(frozen=True)
class _Operators:
    """All operators of a project. ``graphs``, ``shapes`` and ``derivatives`` are by op type."""

    all: tuple[Signature, ...]  # the spec's, each followed by its derivative's kernel
    graphs: Mapping[str, Graph]  # of those that are not written by hand
    shapes: Mapping[str, ProductShape]
    derivatives: Mapping[str, Derivative]

    @property
    def public(self) -> tuple[Signature, ...]:
        """Those of the spec."""
        return tuple(signature for signature in self.all if signature.gradient_of is None)

    @property
    def elementwise(self) -> tuple[Signature, ...]:
        """Those of the spec that a kernel was generated for, without products."""
        return tuple(s for s in self.public if not s.products and not s.op.handwritten)

    @property
    def products(self) -> tuple[Signature, ...]:
        """Those with products."""
        return tuple(signature for signature in self.public if signature.products)

    @property
    def by_hand(self) -> tuple[Signature, ...]:
        """Those with kernels written by hand."""
        return tuple(signature for signature in self.public if signature.op.handwritten)

    @property
    def product_kernels(self) -> tuple[Signature, ...]:
        """The kernels of the derivatives of those with products."""
        functions = {signature.function for signature in self.products}
        return tuple(signature for signature in self.all if signature.gradient_of in functions)


def _operators(spec: Spec, graphs: Mapping[str, Graph]) -> _Operators:
    package = spec.project.package
    signatures: list[Signature] = []
    known = dict(graphs)
    shapes: dict[str, ProductShape] = {}
    derivatives: dict[str, Derivative] = {}
    for op in spec.ops:
        if op.handwritten:
            signatures.append(Signature(op, package))
            if op.backward and op.reference is not None:
                derivatives[op.type] = reference_derivative(signatures[-1])
            continue
        graph = graphs[op.type]
        shape, backward = product_shape(op, graph), backward_of(op, graph)
        signature = Signature(op, package, products=shape is not None, whole_attrs=graph.whole_attrs)
        signatures.append(signature)
        kernel = None
        if backward is not None and backward.kernel is not None and backward.graph is not None:
            kernel = Signature(
                backward.kernel, package, gradient_of=signature.function, whole_attrs=backward.graph.whole_attrs
            )
            signatures.append(kernel)
            known[backward.kernel.type] = backward.graph
        if shape is not None:
            shapes[op.type] = shape
            if backward is not None:
                derivatives[op.type] = product_derivative(signature, graph, shape, backward, kernel)
            continue
        if op.backward:
            derivatives[op.type] = elementwise_derivative(signature, graph, backward, kernel)
        if kernel is not None:
            second = gradients(kernel.op, known[kernel.op.type])
            if second is not None:
                derivatives[kernel.op.type] = derivative_of(kernel, second)
    return _Operators(tuple(signatures), known, shapes, derivatives)


def _form(folder: str, name: str, target: str, context: DataclassInstance, rename: str | None = None) -> File:
    form = f"code/torch/{folder}/{name}"
    return File(PurePosixPath(target, rename or name), render_form(form, context), form)
