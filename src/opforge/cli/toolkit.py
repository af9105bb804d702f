"""``opforge toolkit``: lists the machine's toolkits, describes one, and records the one to build with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.build.request import cache_folder
from opforge.cli.shared.console import Console, Json, current
from opforge.cli.shared.groups import SuggestingGroup
from opforge.errors import OpforgeError, ToolkitError, UsageError
from opforge.toolkit import detect
from opforge.toolkit.recorded_choice import AUTO, Record, project_file, user_file, write_record

if TYPE_CHECKING:
    from opforge.toolkit.toolkit_parts import ToolkitParts

_SIMULATOR = detect.SIMULATOR
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_project_option = click.option(
    "--project",
    "start",
    type=click.Path(exists=True, path_type=Path),
    default=".",
    help="Any folder; a project around it may have a toolkit of its own.",
)


@click.group(cls=SuggestingGroup, short_help="List the toolkits of this machine; choose one.")
def command() -> None:
    """List the toolkits of this machine, look at one, and choose the one to build with."""


@command.command("list")
@_project_option
@_json_option
def list_command(*, start: Path, as_json: bool) -> None:
    """List every CANN toolkit and the simulated one: version, CMake interface, path, and how it was found.

    `*` marks the one that builds take. Looks at ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME,
    /etc/Ascend/ascend_cann_install.info, /usr/local/Ascend and ~/Ascend.
    """
    from opforge.scaffold.project_root import find_project  # noqa: PLC0415
    from opforge.toolkit.cann import identity  # noqa: PLC0415
    from opforge.toolkit.installed_cann import installed_cann  # noqa: PLC0415
    from opforge.toolkit.toolkit_parts import generation_of, interface_name  # noqa: PLC0415

    environ = dict(os.environ)
    console = current()
    refused: OpforgeError | None = None
    used: detect.Choice | None = None
    try:
        used = detect.choose("auto", environ, find_project(start))
    except ToolkitError as error:
        refused = error
    taken = identity(used.root) if used and used.root else None
    rows: list[dict[str, Json]] = [
        {
            "kind": "cann",
            "version": one.version,
            "generation": generation_of(one.root),
            "path": str(one.root),
            "found": one.reason,
            "used": identity(one.root) == taken,
        }
        for one in installed_cann(environ)
    ]
    simulator = _simulator_root()
    rows.append(
        {
            "kind": "simulator",
            "version": _simulator_version(simulator),
            "generation": 9,
            "path": str(simulator) if simulator else None,
            "found": "it comes with opforge" if simulator else "it comes with opforge; the first build compiles it",
            "used": used is not None and used.kind == "simulator",
        }
    )
    if as_json:
        reason = used.reason if used else None
        console.json({"toolkits": list(rows), "reason": reason, "error": refused.what if refused else None})
        return
    for row in rows:
        mark = "*" if row["used"] else " "
        generation = row["generation"]
        how = interface_name(generation if isinstance(generation, int) else None)
        name = "simulated" if row["kind"] == "simulator" else f"CANN {row['version']}"
        console.result(f"{mark} {name:16} {how:19} {row['path'] or '(not built yet)'}  ({row['found']})")
    if refused is not None:
        console.warning(str(refused))
    elif used is not None:
        console.note(f"builds take the one marked *: {used.reason}")


@command.command("info")
@click.argument("named", required=False, metavar="[PATH|VERSION|simulator]")
@_project_option
@_json_option
def info_command(*, named: str | None, start: Path, as_json: bool) -> None:
    """Describe a toolkit: version, SoCs, CMake interface, programs, and parts that a build would miss.

    Without an argument: the toolkit that builds take.
    """
    from opforge.scaffold.project_root import find_project  # noqa: PLC0415
    from opforge.toolkit.toolkit_parts import parts_of  # noqa: PLC0415

    environ = dict(os.environ)
    choice = detect.choose("auto", environ, find_project(start)) if named is None else _resolved(_plain(named))
    root = choice.root or _simulator_root()
    console = current()
    if root is None:
        raise ToolkitError("the simulated toolkit is not built yet", hint="the first `opforge build` compiles it")
    parts = parts_of(root)
    if as_json:
        console.json(_fields(parts, choice))
        return
    _show(console, parts, choice)


@command.command("use")
@click.argument("named", metavar="PATH|VERSION|simulator|auto")
@click.option("--user", is_flag=True, help="For every project of this user that has no choice of its own.")
@_project_option
@_json_option
def use_command(*, named: str, user: bool, start: Path, as_json: bool) -> None:
    """Build this project with a toolkit: a folder, a version such as 8.1 or 9.0.0, or `simulator`.

    The choice is a line in .opforge/toolkit of the project, or, with --user, in ~/.config/opforge/toolkit. All
    commands follow it. An activated toolkit (ASCEND_HOME_PATH) and --toolchain go before it. `auto` removes it.
    """
    from opforge.scaffold.project_root import find_project, find_root  # noqa: PLC0415

    environ = dict(os.environ)
    file = user_file(environ) if user else project_file(find_root(start))
    if file is None:
        raise UsageError("--user needs a home folder, and HOME is not set", hint="export HOME, or XDG_CONFIG_HOME")
    text = _plain(named)
    if text != AUTO:
        _resolved(text)
    write_record(file, text)
    choice = detect.choose("auto", environ, find_project(start))
    console = current()
    if as_json:
        root = str(choice.root) if choice.root else None
        fields: dict[str, Json] = {"file": str(file), "named": None if text == AUTO else text}
        console.json({**fields, "used": {"kind": choice.kind, "path": root, "reason": choice.reason}})
        return
    console.note(f"{file}: {'removed' if text == AUTO else text}")
    what = f"CANN at {choice.root}" if choice.root else "the simulated toolkit"
    console.note(f"builds take {what}: {choice.reason}")


def _plain(named: str) -> str:
    """A folder as an absolute path; versions, ``simulator`` and ``auto`` as they are."""
    if named in (_SIMULATOR, AUTO):
        return named
    return str(Path(named).expanduser().absolute()) if "/" in named or Path(named).is_dir() else named


def _resolved(text: str) -> detect.Choice:
    """The named toolkit. Raises ToolkitError if this machine does not have it."""
    from opforge.toolkit.cann import is_simulator  # noqa: PLC0415

    if text.startswith("/") and is_simulator(Path(text)):
        hint = f"name it `{_SIMULATOR}`: opforge keeps it up to date"
        raise ToolkitError(f"{text} is a simulated toolkit", hint=hint)
    return detect.resolve(Record(text, Path("the command line")), dict(os.environ))


def _simulator_root() -> Path | None:
    """The simulated toolkit of this opforge and compiler, if it is built."""
    from opforge.toolkit.simulator_key import STAMP, simulator_key  # noqa: PLC0415

    environ = dict(os.environ)
    try:
        root = cache_folder(environ) / "toolkit" / simulator_key(environ).digest
    except OpforgeError:  # a missing compiler, which doctor reports
        return None
    return root if (root / STAMP).is_file() else None


def _simulator_version(root: Path | None) -> str | None:
    from opforge.toolkit.cann import read_version  # noqa: PLC0415

    return read_version(root) if root else None


def _fields(parts: ToolkitParts, choice: detect.Choice) -> dict[str, Json]:
    from opforge.cli.shared.console import jsonable_fields  # noqa: PLC0415

    programs = {name: str(path) if path else None for name, path in parts.programs.items()}
    return {**jsonable_fields(parts), "programs": dict(programs), "reason": choice.reason}


def _show(console: Console, parts: ToolkitParts, choice: detect.Choice) -> None:
    from opforge.toolkit.toolkit_parts import interface_name  # noqa: PLC0415

    found = f"{interface_name(parts.generation)}" + (f", {parts.cmake}" if parts.cmake else "")
    rows = [
        ("path", str(parts.root)),
        ("version", f"{parts.version}{', simulated' if parts.simulated else ''}"),
        ("because", choice.reason),
        ("CMake", found),
        ("SoCs", ", ".join(parts.socs) or "unknown: it has no platform_config"),
        ("set_env.sh", str(parts.set_env or "none")),
        *((name, str(path or "none")) for name, path in parts.programs.items()),
        *(("missing", text) for text in parts.missing),
    ]
    for name, text in rows:
        console.result(f"{name:11} {text}")
