"""Which files the torch side of a project has, and what each is filled with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.fileset import File
from opforge.ir.backward import backward_of
from opforge.ir.differentiate import differentiate
from opforge.ir.graph import Graph
from opforge.ir.shapes import ProductShape, product_shape
from opforge.plan.matmul_model import AnyPlan
from opforge.render.forms import render_form
from opforge.render.torch.adapter import adapter_context
from opforge.render.torch.cases import (
    PrecisionForm,
    benchmark_context,
    cases_context,
    product_benchmark_context,
    product_cases_context,
)
from opforge.render.torch.derivative import Derivative, derivative_of
from opforge.render.torch.package import checks_context, init_context, ops_context
from opforge.render.torch.product_derivative import product_derivative
from opforge.render.torch.reference import reference_context
from opforge.render.torch.signature import Signature
from opforge.spec.model import Spec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_CSRC = ("aclnn_call.h", "argument_checks.h", "npu_glue.h", "npu_glue.cpp")
_PACKAGE = ("_runtime.py", "py.typed")
_TESTS = ("test_forward.py", "test_backward.py", "test_registration.py", "test_bad_input.py")
_PRODUCT_TESTS = (
    "test_products.py",
    "test_products_backward.py",
    "test_products_registration.py",
    "test_products_bad_input.py",
)


@dataclass(frozen=True)
class PackageName:
    """Context of the forms that name the package and nothing else."""

    package: str


@dataclass(frozen=True)
class NoSlots:
    """Context of forms that are the same in every project."""


def render_torch(spec: Spec, graphs: Mapping[str, Graph], plans: Mapping[str, AnyPlan]) -> tuple[File, ...]:
    """``csrc/``, ``python/<package>/``, ``tests/`` and ``benchmarks/`` of a project.

    ``graphs``, of the spec's ops, and ``plans``, of every op that has a kernel (``ir.backward.kernel_ops``), are by op
    type. The same spec gives the same text.
    """
    package = spec.project.package
    ops = _operators(spec, graphs)
    kinds = checks_context(ops.all)
    reference = reference_context(package, ops.all, ops.graphs)
    registered = ops_context(package, ops.all, ops.derivatives)
    same = NoSlots()

    files = [_form("csrc", "adapter.cpp", "csrc", adapter_context(package, ops.all))]
    files += [_form("csrc", name, "csrc", same) for name in _CSRC]
    python = f"python/{package}"
    files.append(_form("python", "__init__.py", python, init_context(spec.project, ops.public)))
    files.append(_form("python", "_ops.py", python, registered))
    files.append(_form("python", "_reference.py", python, reference))
    files.append(_form("python", "_checks.py", python, kinds))
    if reference.scalars or registered.scalars:
        files.append(_form("python", "_scalars.py", python, same))
    files += [_form("python", name, python, same) for name in _PACKAGE]
    files.append(_form("tests", "conftest.py", "tests", PackageName(package)))
    files.append(_form("tests", "operators.py", "tests", PackageName(package)))
    files.append(_form("tests", "precision.py", "tests", PrecisionForm(bool(ops.elementwise), bool(ops.products))))
    if ops.elementwise:
        files.append(_form("tests", "op_cases.py", "tests", cases_context(spec, ops.elementwise, plans)))
        files += [_form("tests", name, "tests", same) for name in _TESTS]
    if ops.products:
        files.append(_form("csrc", "product_checks.h", "csrc", same))
        files.append(_form("python", "_autocast.py", python, PackageName(package)))
        cases = product_cases_context(spec, ops.products, ops.shapes, ops.kernels, plans)
        files.append(_form("tests", "product_cases.py", "tests", cases))
        files += [_form("tests", name, "tests", same) for name in _PRODUCT_TESTS]
    if registered.folds:
        files.append(_form("python", "_products.py", python, same))
    for signature in ops.elementwise:
        name = f"bench_{signature.function}.py"
        files.append(_form("benchmarks", "bench.py", "benchmarks", benchmark_context(package, signature), name))
    for signature in ops.products:
        name = f"bench_{signature.function}.py"
        op = signature.op.type
        bench = product_benchmark_context(package, signature, ops.shapes[op], ops.graphs[op])
        files.append(_form("benchmarks", "bench_products.py", "benchmarks", bench, name))
    return tuple(files)


@dataclass(frozen=True)
class _Operators:
    """All operators of a project. ``graphs``, ``shapes`` and ``derivatives`` are by op type."""

    all: tuple[Signature, ...]  # the spec's, each followed by its derivative's kernel
    graphs: Mapping[str, Graph]
    shapes: Mapping[str, ProductShape]
    derivatives: Mapping[str, Derivative]

    @property
    def public(self) -> tuple[Signature, ...]:
        """Those of the spec."""
        return tuple(signature for signature in self.all if signature.gradient_of is None)

    @property
    def elementwise(self) -> tuple[Signature, ...]:
        """Those of the spec without products."""
        return tuple(signature for signature in self.public if not signature.products)

    @property
    def products(self) -> tuple[Signature, ...]:
        """Those with products."""
        return tuple(signature for signature in self.public if signature.products)

    @property
    def kernels(self) -> tuple[Signature, ...]:
        """The kernels of derivatives."""
        return tuple(signature for signature in self.all if signature.gradient_of is not None)


def _operators(spec: Spec, graphs: Mapping[str, Graph]) -> _Operators:
    package = spec.project.package
    signatures: list[Signature] = []
    known = {op.type: graphs[op.type] for op in spec.ops}
    shapes: dict[str, ProductShape] = {}
    derivatives: dict[str, Derivative] = {}
    for op in spec.ops:
        graph = graphs[op.type]
        shape, backward = product_shape(op, graph), backward_of(op, graph)
        signature = Signature(op, package, products=shape is not None)
        signatures.append(signature)
        if shape is None:
            if op.backward:
                derivatives[op.type] = derivative_of(signature, differentiate(op, graph))
            continue
        shapes[op.type] = shape
        if backward is None:
            continue
        kernel = None
        if backward.kernel is not None and backward.graph is not None:
            kernel = Signature(backward.kernel, package, gradient_of=signature.function)
            signatures.append(kernel)
            known[backward.kernel.type] = backward.graph
        derivatives[op.type] = product_derivative(signature, graph, shape, backward, kernel)
    return _Operators(tuple(signatures), known, shapes, derivatives)


def _form(folder: str, name: str, target: str, context: DataclassInstance, rename: str | None = None) -> File:
    form = f"code/torch/{folder}/{name}"
    return File(PurePosixPath(target, rename or name), render_form(form, context), form)
