"""``opforge port``: what handwritten Ascend C has to change for another chip."""

from __future__ import annotations

from pathlib import Path

import click

from opforge.cli.shared.console import current

BREAKS = 1  # the exit code if something certainly breaks


@click.command(short_help="List what breaks on another chip.")
@click.argument("path", metavar="[FILE|FOLDER]", default=".", type=click.Path(path_type=Path))
@click.option("--to", "soc", required=True, metavar="SOC", help="The chip: ascend950.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, path: Path, soc: str, as_json: bool) -> None:
    """List the uses in handwritten Ascend C (op_kernel, op_host, CMake files) that another chip lacks or has otherwise.

    Each has its lines, the reason, what to write instead, and the page of the documentation. `breaks` does not compile
    or is wrong there; `check` depends on what the text does not tell. The files are read as text: macros and includes
    are not followed. The exit code is 1 if something breaks, otherwise 0.
    """
    from opforge.port.change import Effect  # noqa: PLC0415
    from opforge.port.findings import findings  # noqa: PLC0415

    count, found = findings(path, soc)
    breaks = sum(each.change.effect is Effect.BREAKS for each in found)
    console = current()
    if as_json:
        rows = [
            {
                "file": str(each.file),
                "line": each.line,
                "use": each.use,
                "effect": each.change.effect.value,
                "why": each.change.why,
                "instead": each.change.instead,
                "page": each.change.page,
            }
            for each in found
        ]
        console.json({"to": soc, "files": count, "breaks": breaks, "findings": [*rows]})
    else:
        lines = []
        for change in dict.fromkeys(each.change for each in found):
            lines += [f"{change.effect.value}: {change.why}", f"  instead: {change.instead}"]
            lines.append(f"  page: docs/zh/{change.page}.md")
            lines += [f"  {each.file}:{each.line}: {each.use}" for each in found if each.change is change]
        read = "1 file" if count == 1 else f"{count} files"
        lines.append(f"{read} read for {soc}: {breaks} uses break, {len(found) - breaks} to check")
        console.result("\n".join(lines))
    if breaks:
        raise SystemExit(BREAKS)
