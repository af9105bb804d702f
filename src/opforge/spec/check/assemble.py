"""Makes a spec from a draft; ``assemble_op`` does it for one op. The draft may come from a file or the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opforge.errors import Problem
from opforge.naming import snake
from opforge.soc import DEFAULT
from opforge.spec.check import names
from opforge.spec.check.assemble_op import assemble_op
from opforge.spec.check.named_backward import check_named_backwards
from opforge.spec.check.narrowing import without_dtypes
from opforge.spec.check.values import read_socs, read_truth
from opforge.spec.draft import OpDraft, ProjectDraft
from opforge.spec.features import read_features
from opforge.spec.language import PARTS
from opforge.spec.model import OpSpec, ProjectSpec
from opforge.spec.op_sources import read_define, read_host_cpp, read_include
from opforge.spec.source import Token

__all__ = ["assemble_op", "assemble_ops", "assemble_project", "check_socs"]


def assemble_project(draft: ProjectDraft, problems: list[Problem]) -> ProjectSpec | None:
    """The project block, or None if its name is missing or wrong."""
    if draft.name is None:
        return None
    problems += names.check_project(draft.name)
    for word, check in (
        (draft.package, names.check_package),
        (draft.vendor, names.check_vendor),
        (draft.version, names.check_version),
        (draft.license, names.check_license),
    ):
        if word is not None:
            problems += check(word)
    package = draft.package.text if draft.package else draft.name.text
    if draft.package is None:
        problems += names.check_package(draft.name)
    return ProjectSpec(
        name=draft.name.text,
        package=package,
        vendor=draft.vendor.text if draft.vendor else package,
        version=draft.version.text if draft.version else "0.1.0",
        soc=read_socs(draft.soc, problems) if draft.soc is not None else DEFAULT,
        license=draft.license.text if draft.license else None,
        host_cpp=read_host_cpp(draft.host_cpp, problems),
        allow_multiple_definition=read_truth(draft.allow_multiple_definition, problems),
        define=read_define(draft.define, problems),
        include=read_include(draft.include, problems),
        features=read_features(draft.features, problems),
    )


def assemble_ops(drafts: Sequence[OpDraft], problems: list[Problem]) -> tuple[OpSpec, ...]:
    """The ops that could be read."""
    problems += names.check_op_types_distinct(draft.type for draft in drafts)
    made = [assemble_op(draft, problems) for draft in drafts]
    ops = tuple(op for op in made if op is not None)
    problems += check_named_backwards(drafts, ops)
    derived = {snake(f"{op.type}Grad"): op for op in ops if op.backward and op.gradient is None}
    for draft in drafts:
        owner = derived.get(snake(draft.type.text))
        if owner is not None:
            what = f"the name `{draft.type.text}` is reserved for the backward of `{owner.type}`"
            hint = f"rename it, or turn that backward off: `backward: false` in `{owner.type}`"
            if owner.handwritten:
                hint += f"; or say that this op computes it: `backward: {draft.type.text}`"
            problems.append(draft.type.problem(what, hint))
    problems += _check_parts(drafts, ops)
    return ops


def _check_parts(drafts: Sequence[OpDraft], ops: Sequence[OpSpec]) -> list[Problem]:
    """No op has the name of a part of another op's kernel, whose files are named after the parts."""
    parts = {
        snake(f"{op.type}{suffix}"): op for op in ops if op.tree is not None and op.tree.totals for suffix in PARTS
    }
    problems = []
    for draft in drafts:
        owner = parts.get(snake(draft.type.text))
        if owner is not None:
            what = f"`{draft.type.text}` is the name of a part of the kernel of `{owner.type}`, with files of its own"
            problems.append(draft.type.problem(what, "rename one of the two"))
    return problems


def check_socs(ops: Sequence[OpSpec], types: Iterable[Token], socs: Sequence[str]) -> list[Problem]:
    """Check that each op supports a dtype on each SoC; ``types`` are the places of the op types."""
    places = {token.text: token for token in types}
    problems = []
    for op in ops:
        for soc in without_dtypes(op, tuple(socs)):
            what = f"{soc} supports none of the dtype combinations of `{op.type}`"
            hint = (
                f"list the dtypes for that SoC: `overrides: {{{soc}: {{{op.inputs[0].name}: {{dtype: [float16]}}}}}}`"
            )
            problems.append(places[op.type].problem(what, hint))
    return problems
