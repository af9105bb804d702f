"""``opforge export``: writes a project's ops in another project's form."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.groups import SuggestingGroup
from opforge.cli.shared.options import make_request, project_option, python_option, toolchain_option
from opforge.errors import OpforgeError, UsageError

if TYPE_CHECKING:
    from opforge.toolkit.detect import Request

_PREFIX = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*_")


@click.group(cls=SuggestingGroup, short_help="Write the ops in another project's form.")
def command() -> None:
    """Write the project's ops in another project's form."""


@command.command("op-plugin")
@project_option
@click.option(
    "--out", type=click.Path(path_type=Path), help="The folder to write; default: the project's build/op-plugin."
)
@click.option("--prefix", default="npu_", show_default=True, help="Prefix of all function names.")
@click.option("--force", is_flag=True, help="Also replace files that were edited or that opforge did not write.")
@python_option("look for torch_npu's own functions in")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def op_plugin_command(
    *, start: Path, out: Path | None, prefix: str, force: bool, python: Path | None, as_json: bool
) -> None:
    """Write the project's ops as a contribution to op-plugin, the operators inside torch_npu.

    Writes the entries of its YAML files, the C++ that these cannot express, Meta functions and tests, in op-plugin's
    folders. README.md says where each file goes.
    """
    from opforge.install.op_plugin_names import names_taken  # noqa: PLC0415
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.render.torch.op_plugin import names_of, render_op_plugin  # noqa: PLC0415
    from opforge.scaffold.exported_files import write_export  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.spec.read.parse import load_spec  # noqa: PLC0415

    if not _PREFIX.fullmatch(prefix):
        hint = "expected lower-case letters and digits, with an underscore after each word: npu_ or npu_custom_"
        raise UsageError(f"`{prefix}` is not a valid prefix of function names", hint=hint)
    root = find_root(start)
    spec = load_spec(root / "opforge.yaml")
    files = render_op_plugin(derive(spec), prefix)
    export = write_export(files, out or root / "build" / "op-plugin", force=force)
    taken = names_taken(_torch_npu(start, python), names_of(files))
    console = current()
    if as_json:
        written, removed = [str(path) for path in export.written], [str(path) for path in export.removed]
        functions = list(names_of(files))
        console.json(
            {
                "folder": str(export.folder),
                "files": written,
                "removed": removed,
                "functions": functions,
                "taken": list(taken),
            }
        )
    if taken:
        are = "is" if len(taken) == 1 else "are"
        console.warning(f"{', '.join(taken)} {are} already in op-plugin: use another --prefix, such as npu_custom_")
    if not as_json:
        for path in export.written:
            console.result(str(path))
        console.note(f"{len(export.written)} files in {export.folder}: README.md there says where each goes")


@command.command("cann")
@project_option
@click.argument("out", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--generation",
    type=click.Choice(("8", "9")),
    help="CMake functions: 8, the project template of CANN 8.x; 9, find_package(ASC). Default: those of the toolkit.",
)
@click.option("--force", is_flag=True, help="Also replace files that were edited or that opforge did not write.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def cann_command(*, start: Path, out: Path, generation: str | None, force: bool, as_json: bool) -> None:
    """Write op_host and op_kernel to DIR as a project that CANN builds without opforge.

    It has the files that `msopgen gen` writes: CMake files, CMakePresets.json and build.sh. The Python package and the
    PyTorch adapter are not part of it.
    """
    from opforge.build.exported_cann import cann_project  # noqa: PLC0415
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.exported_files import write_export  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.spec.read.parse import load_spec  # noqa: PLC0415
    from opforge.toolkit.toolkit_parts import interface_name  # noqa: PLC0415

    root, console = find_root(start), current()
    chosen = int(generation) if generation else _generation(root)
    files = cann_project(root, derive(load_spec(root / "opforge.yaml")), chosen, console.note)
    export = write_export(files, out, force=force, instead="give another folder")
    if as_json:
        written, removed = [str(path) for path in export.written], [str(path) for path in export.removed]
        console.json({"folder": str(export.folder), "generation": chosen, "files": written, "removed": removed})
        return
    for path in export.written:
        console.result(str(path))
    how = interface_name(chosen)
    console.note(f"{len(export.written)} files in {export.folder}, for CANN with {how}: build.sh there builds them")


@command.command("wheel")
@click.argument("out", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--also",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="Another environment, for whose PyTorch the wheel gets an adapter; give it once for each.",
)
@project_option
@toolchain_option
@python_option("build for")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def wheel_command(
    *, out: Path, also: tuple[Path, ...], start: Path, toolchain: Request, python: Path | None, as_json: bool
) -> None:
    """Write one wheel for several versions of PyTorch to DIR.

    Builds the project, then compiles the adapter and the torch_npu glue for each environment of --also. The package
    loads those for the PyTorch that imports it. Kernels are the same for all.
    """
    from opforge.build.exported_wheel import export_wheel  # noqa: PLC0415

    console = current()
    made = export_wheel(make_request(start, toolchain, python, None), also, out)
    if as_json:
        console.json({"wheel": str(made.path), "torch": list(made.torch)})
        return
    console.result(os.path.relpath(made.path))
    console.note(f"for torch {', '.join(made.torch)}")


def _generation(root: Path) -> int:
    """The generation of the toolkit that builds of the project take."""
    from opforge.toolkit.detect import choose  # noqa: PLC0415
    from opforge.toolkit.protocol import FIND_PACKAGE  # noqa: PLC0415
    from opforge.toolkit.toolkit_parts import generation_of  # noqa: PLC0415

    choice = choose("auto", os.environ, root)
    return (generation_of(choice.root) if choice.root else None) or FIND_PACKAGE


def _torch_npu(start: Path, python: Path | None) -> Path | None:
    """The folder of torch_npu in the environment that a build would use; None if unknown."""
    from opforge.build.python_env import find_env  # noqa: PLC0415
    from opforge.build.state import load_state  # noqa: PLC0415

    request = make_request(start, "auto", python, None)
    try:
        return find_env(request.python, request.environ, load_state(request.state_file), request.runner).torch_npu
    except OpforgeError:
        if python is not None:
            raise
        return None
