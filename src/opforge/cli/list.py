"""``opforge list``: the ops that opforge knows by name, those of the project, and the installed packages."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import Console, Json, current
from opforge.cli.shared.new_ops import signature
from opforge.cli.shared.options import project_option, python_option
from opforge.errors import ProjectError

if TYPE_CHECKING:
    from opforge.build.python_env import PythonEnv
    from opforge.install.receipts import Receipt
    from opforge.program import Kernel
    from opforge.spec.model import OpSpec


@click.command(short_help="List known, own and installed ops.")
@python_option("look into")
@project_option
@click.option("--examples", "of_gallery", is_flag=True, help="List what `opforge new --example` can begin with.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, python: Path | None, start: Path, of_gallery: bool, as_json: bool) -> None:
    """List the ops that `opforge new` knows by name, the project's ops, and what is installed in the environment.

    Outside of a project, the second list is missing.
    """
    if of_gallery:
        _show_examples(current(), as_json=as_json)
        return
    from opforge.build.python_env import find_env  # noqa: PLC0415
    from opforge.build.state import State  # noqa: PLC0415
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.install.receipts import all_receipts  # noqa: PLC0415
    from opforge.kinds import kernel_alone  # noqa: PLC0415
    from opforge.spec import catalog  # noqa: PLC0415

    known = [kernel_alone(op) for op in map(catalog.entry, catalog.names()) if op is not None]
    own = _of_project(start)
    env = find_env(python, dict(os.environ), State(), new_runner())
    receipts = all_receipts(env.receipts)
    console = current()
    if as_json:
        console.json(
            {
                "known": [_row(kernel) for kernel in known],
                "project": None if own is None else [_row(kernel) for kernel in own],
                "environment": str(env.prefix),
                "installed": [
                    {
                        "package": receipt.package,
                        "version": receipt.version,
                        "vendor_dir": receipt.vendor_dir,
                        "toolkit": receipt.toolkit_kind,
                        "soc": receipt.soc,
                        "ops": _ops_of(env, receipt),
                    }
                    for receipt in receipts
                ],
            }
        )
        return
    _show(console, known, own, env, receipts)


def _show_examples(console: Console, *, as_json: bool) -> None:
    from opforge.build.examples import examples  # noqa: PLC0415
    from opforge.cli.shared.tables import show_table  # noqa: PLC0415
    from opforge.measure.table import Table, left  # noqa: PLC0415

    found = examples()
    if as_json:
        rows = [
            {"example": each.name, "op": each.op.type, "doc": each.op.doc, "folder": str(each.folder)} for each in found
        ]
        console.json({"examples": rows})
        return
    table = Table("For `opforge new --example`", left("example", "op"), tuple((e.name, e.op.doc or "") for e in found))
    show_table(console, table)


def _of_project(start: Path) -> Sequence[Kernel] | None:
    """The kernels of the project's ops, or None outside of a project."""
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.spec.read.parse import load_spec  # noqa: PLC0415

    try:
        root = find_root(start)
    except ProjectError:
        return None
    return derive(load_spec(root / "opforge.yaml")).public


def _row(kernel: Kernel) -> Json:
    return {
        "op": kernel.op.type,
        "kind": kernel.label,
        "dtypes": _dtypes(kernel.op),
        "signature": signature(kernel.op),
        "doc": kernel.op.doc,
    }


def _dtypes(op: OpSpec) -> list[str]:
    """Every dtype of its tensors, once."""
    return list(dict.fromkeys(dtype for tensor in (*op.inputs, *op.outputs) for dtype in tensor.dtypes))


def _ops_of(env: PythonEnv, receipt: Receipt) -> list[str]:
    """The ops with a kernel in an installed package; none if the package is damaged."""
    try:
        note = json.loads((env.purelib / receipt.package / "_build.json").read_text(encoding="utf-8"))
        return list(note["ops"])
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _show(
    console: Console,
    known: Sequence[Kernel],
    own: Sequence[Kernel] | None,
    env: PythonEnv,
    receipts: Sequence[Receipt],
) -> None:
    from opforge.cli.shared.tables import show_table  # noqa: PLC0415
    from opforge.measure.table import Table, left  # noqa: PLC0415

    rows = tuple((kernel.label, signature(kernel.op)) for kernel in known)
    show_table(console, Table("Known to `opforge new`", left("kind", "op"), rows))
    if own is not None:
        rows_of_own = tuple((k.label, ", ".join(_dtypes(k.op)), signature(k.op)) for k in own)
        show_table(console, Table("In this project", left("kind", "dtypes", "op"), rows_of_own))
    if not receipts:
        console.note(f"nothing is installed in {env.prefix}")
        return
    installed = tuple((r.package, r.version, r.soc, ", ".join(_ops_of(env, r)), r.vendor_dir) for r in receipts)
    heads = left("package", "version", "chip", "ops", "operators")
    show_table(console, Table(f"Installed in {env.prefix}", heads, installed))
