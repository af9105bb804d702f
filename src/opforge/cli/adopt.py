"""``opforge adopt``: turns an existing operator project into an opforge project and keeps its sources unchanged."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.adopted_prototype import Prototype, adopt_json
from opforge.cli.shared.console import current
from opforge.cli.shared.new_ops import check_names, next_steps, signature, tell_of_dtypes_and_zeros, warn_of_namesakes
from opforge.cli.shared.op_options import names
from opforge.errors import ProjectError, UsageError

if TYPE_CHECKING:
    from opforge.adopt.adoption import Adoption
    from opforge.spec.source import Passage


_OF_OP = re.compile(r"([A-Z][A-Za-z0-9]*):\s*")
_CORE = re.compile(r"(?:ai_core|vector_core)-(.+)")


def compute_units(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """The values of ``--soc``: compute units, or values of msOpGen's ``-c`` such as ``ai_core-Ascend910B1``."""
    from opforge.soc import soc_of_version  # noqa: PLC0415

    words = names(ctx, param, values)
    if words is None:
        return None
    units = []
    for word in words:
        match = _CORE.fullmatch(word)
        chip = soc_of_version(match[1] if match else word)
        units.append(chip.name if chip is not None else match[1].lower() if match else word)
    return tuple(dict.fromkeys(units))


@click.command(short_help="Turn an operator project into an opforge project.")
@click.argument("folder", metavar="DIR|JSON", type=click.Path(path_type=Path))
@click.option("--package", metavar="NAME", help="Name of the Python package, instead of the folder's name.")
@click.option("--vendor", metavar="NAME", help="Vendor of the package, instead of the one in CMakePresets.json.")
@click.option(
    "--soc",
    multiple=True,
    callback=compute_units,
    metavar="S,S",
    help="Compute units, such as ascend910b or Ascend910B1.",
)
@click.option("--license", "licence", metavar="SPDX", help="Put an SPDX line at the top of each written file.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="[OP=]MODULE:FUNCTION",
    help="What an op computes: a torch function in python/PACKAGE/MODULE.py. Repeatable.",
)
@click.option(
    "--compute",
    "computes",
    multiple=True,
    metavar="[OP:]EXPR",
    help="What an op computes, such as `z = x + y`: its golden. For JSON, also generates the kernel. Repeatable.",
)
@click.option(
    "--include", multiple=True, metavar="DIR", help="Another folder of headers, relative to the folder. Repeatable."
)
@click.option(
    "--define",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="A macro for the compilers of op_host; those of CMake files are found. Repeatable.",
)
@click.option(
    "--only",
    multiple=True,
    callback=names,
    metavar="OP,OP",
    help="Adopt only these folders of a repository, such as norm/rms_norm.",
)
@click.option("--path", type=click.Path(path_type=Path), help="For JSON: the folder to create, instead of ./PACKAGE.")
@click.option("--keep-going", is_flag=True, help="Skip ops that cannot be adopted, and adopt the others.")
@click.option("--dry-run", is_flag=True, help="Print the spec and the number of files; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was adopted as JSON.")
def command(
    *,
    folder: Path,
    package: str | None,
    vendor: str | None,
    soc: tuple[str, ...] | None,
    licence: str | None,
    references: tuple[str, ...],
    computes: tuple[str, ...],
    include: tuple[str, ...],
    define: tuple[str, ...],
    only: tuple[str, ...] | None,
    path: Path | None,
    keep_going: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Turn DIR into an opforge project: a folder with op_host and op_kernel, or one with several such folders.

    From msOpGen's JSON it creates a new project; you write the kernels.

    The sources in DIR stay unchanged. The signatures come from the definitions, compiled and read back. opforge adds
    opforge.yaml, the Python package, the adapter and the tests, as `opforge new` writes them.

    The code of op_host is compiled and run on this machine, with your rights: definitions, InferShape and
    InferDataType. Adopt only operators whose authors you trust; --dry-run runs the code too.

    \b
    opforge adopt AddCustom
    opforge adopt AddCustom --reference golden:add_custom
    opforge adopt ops-nn/activation --package activation --keep-going
    opforge adopt ops-nn --only norm/rms_norm,norm/add_rms_norm --package norms
    opforge adopt add_custom.json --soc ai_core-Ascend910B1
    """  # noqa: D301  (click's mark for lines to keep)
    from opforge.adopt.adoption import Wanted, adopt  # noqa: PLC0415
    from opforge.adopt.definitions import host_compiler  # noqa: PLC0415
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.adopted_files import place, write_adopted  # noqa: PLC0415
    from opforge.scaffold.project_root import SPEC_FILE  # noqa: PLC0415

    root = Path(os.path.normpath(Path.cwd() / folder))
    if root.is_file() and root.suffix == ".json":
        if vendor is not None or references or keep_going or include or define or only:
            what = "--vendor, --reference, --include, --define, --only and --keep-going are for a folder"
            raise UsageError(what, hint="leave them out")
        options = Prototype(root, package, soc, licence, _computes(computes), path)
        adopt_json(options, dry_run=dry_run, as_json=as_json)
        return
    if path is not None:
        raise UsageError("--path is for msOpGen's JSON", hint="a folder is adopted in place; copy it first")
    if not root.is_dir():
        what = f"{root} is neither a folder nor a .json file" if root.exists() else f"{root} does not exist"
        raise ProjectError(what, hint="expected the folder of an operator project")
    wanted = Wanted(
        package=package,
        vendor=vendor,
        socs=soc,
        license=licence,
        references=_references(references),
        computes=_computes(computes),
        keep_going=keep_going,
        include=include,
        define=define,
        only=only or (),
    )
    adopted = adopt(root, wanted, host_compiler(dict(os.environ), new_runner(), current()))
    check_names(adopted.spec)
    placed = place(adopted.files(), root)
    if not dry_run:
        write_adopted(placed, adopted.spec, root, adopted.extra)
    warn_of_namesakes(derive(adopted.spec))
    tell_of_dtypes_and_zeros(adopted.spec)
    console = current()
    for name, why in adopted.refused.items():
        console.warning(f"{name} was skipped: {why}")
    if as_json:
        console.json(
            {
                "root": str(root),
                "written": not dry_run,
                "ops": [op.type for op in adopted.spec.ops],
                "refused": dict(adopted.refused),
                "notes": list(adopted.notes),
                "kept": [str(path) for path in placed.kept],
                "files": [str(file.path) for file in (*placed.written, *adopted.extra)],
            }
        )
    elif dry_run:
        console.result(placed.written.files[SPEC_FILE].text)
        for note in adopted.notes:
            console.note(f"note: {note}")
        console.note(f"{len(placed.written)} files would be written in {root}; nothing was written")
    else:
        console.note(_told(adopted, root, [str(path) for path in placed.kept]))


def _references(options: tuple[str, ...]) -> dict[str, str]:
    made = {}
    for option in options:
        op, equals, reference = option.rpartition("=")
        made[op if equals else ""] = reference
    return made


def _computes(options: tuple[str, ...]) -> dict[str, Passage]:
    """Expressions by op type; ``""`` means the only op."""
    from opforge.spec.source import option_passage  # noqa: PLC0415

    made = {}
    for option in options:
        match = _OF_OP.match(option)
        made[match[1] if match else ""] = option_passage("--compute", option[match.end() :] if match else option)
    return made


def _told(adopted: Adoption, root: Path, kept: list[str]) -> str:
    spec = adopted.spec
    ops = "".join(f"  {signature(op)}\n" for op in spec.ops)
    own = f"kept unchanged: {', '.join(kept)}\n" if kept else ""
    notes = "".join(f"note: {note}\n" for note in adopted.notes)
    shown = os.path.relpath(root)
    return f"adopted {shown}, for {', '.join(spec.project.soc)}\n{ops}{own}{notes}{next_steps(root)}"
