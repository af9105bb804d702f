"""Which files the torch side of a project has, and what each is filled with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.fileset import File
from opforge.ir.differentiate import differentiate
from opforge.ir.graph import Graph
from opforge.plan.model import Plan
from opforge.render.forms import render_form
from opforge.render.torch.adapter import adapter_context
from opforge.render.torch.cases import benchmark_context, cases_context
from opforge.render.torch.package import init_context, ops_context
from opforge.render.torch.reference import reference_context
from opforge.render.torch.signature import Signature
from opforge.spec.model import Spec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_CSRC = ("aclnn_call.h", "argument_checks.h", "npu_glue.h", "npu_glue.cpp")
_PACKAGE = ("_checks.py", "_runtime.py", "py.typed")
_TESTS = (
    "precision.py",
    "test_forward.py",
    "test_backward.py",
    "test_registration.py",
    "test_bad_input.py",
)


@dataclass(frozen=True)
class PackageName:
    """Context of ``code/torch/tests/conftest.py``."""

    package: str


@dataclass(frozen=True)
class NoSlots:
    """Context of forms that are the same in every project."""


def render_torch(spec: Spec, graphs: Mapping[str, Graph], plans: Mapping[str, Plan]) -> tuple[File, ...]:
    """``csrc/``, ``python/<package>/``, ``tests/`` and ``benchmarks/`` of a project.

    ``graphs`` and ``plans`` are by op type. The same spec gives the same text.
    """
    package = spec.project.package
    signatures = tuple(Signature(op) for op in spec.ops)
    backwards = {op.type: differentiate(op, graphs[op.type]) for op in spec.ops if op.backward}
    reference = reference_context(package, signatures, graphs)
    ops = ops_context(package, signatures, backwards)
    same = NoSlots()

    files = [_form("csrc", "adapter.cpp", "csrc", adapter_context(package, signatures))]
    files += [_form("csrc", name, "csrc", same) for name in _CSRC]
    python = f"python/{package}"
    files.append(_form("python", "__init__.py", python, init_context(spec.project, signatures)))
    files.append(_form("python", "_ops.py", python, ops))
    files.append(_form("python", "_reference.py", python, reference))
    if reference.scalars or ops.scalars:
        files.append(_form("python", "_scalars.py", python, same))
    files += [_form("python", name, python, same) for name in _PACKAGE]
    files.append(_form("tests", "op_cases.py", "tests", cases_context(spec, signatures, plans)))
    files.append(_form("tests", "conftest.py", "tests", PackageName(package)))
    files += [_form("tests", name, "tests", same) for name in _TESTS]
    for signature in signatures:
        name = f"bench_{signature.function}.py"
        files.append(_form("benchmarks", "bench.py", "benchmarks", benchmark_context(package, signature), name))
    return tuple(files)


def _form(folder: str, name: str, target: str, context: DataclassInstance, rename: str | None = None) -> File:
    form = f"code/torch/{folder}/{name}"
    return File(PurePosixPath(target, rename or name), render_form(form, context), form)
