"""Runs pytest on a project that is ready, for ``opforge test`` and ``watch``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.cli.shared.console import Json, current, jsonable_fields
from opforge.cli.shared.ready import Ready
from opforge.cli.shared.rules_option import collected_warnings, warning_rows
from opforge.progress import step

if TYPE_CHECKING:
    from opforge.toolkit.device_warnings import Collection

_UNCAPTURED = ("-s", "--capture=no")  # pytest's options that show output at once


def run_pytest(
    ready: Ready,
    arguments: Sequence[str],
    rules: str | None,
    *,
    variables: Mapping[str, str] | None = None,
    as_json: bool,
    said: Mapping[str, Json] | None = None,
    npus: Sequence[int] = (),
) -> int:
    """Runs the project's tests on this terminal, or with ``as_json`` with a report; returns pytest's exit status.

    ``variables`` override the environment's; ``said`` is added to the report. Warnings of the simulated device are
    summed up at the end. With ``npus``, there is a process for each of them.
    """
    from opforge.scaffold.vendoring import with_testing  # noqa: PLC0415

    shown = any(word in _UNCAPTURED for word in arguments)
    with collected_warnings(ready.environ, rules, shown=shown) as warnings:
        environ = {**ready.environ, **(variables or {}), **warnings.variables}
        environ = with_testing(environ, ready.request.root, ready.request.folder)
        words: list[str | Path] = [ready.python, "-m", "pytest", *arguments]
        if npus:
            from opforge.cli.shared.npu_runs import run_on_npus  # noqa: PLC0415

            return run_on_npus(ready, words, environ, npus, warnings, as_json=as_json)
        if as_json:
            return _run_counted(ready, words, environ, warnings, said or {})
        return _run_explained(ready, words, environ)


def _run_explained(ready: Ready, words: Sequence[str | Path], environ: Mapping[str, str]) -> int:
    """Runs pytest on this terminal; then explains the known causes of its failures."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    from opforge.cli.shared.explained_errors import failed_texts_explained  # noqa: PLC0415
    from opforge.install import failed_texts  # noqa: PLC0415

    name = "opforge_failed_texts"
    with failed_texts_explained() as texts, TemporaryDirectory(prefix="opforge-test-") as folder:
        Path(folder, f"{name}.py").write_bytes(Path(failed_texts.__file__).read_bytes())
        path = os.pathsep.join(part for part in (folder, environ.get("PYTHONPATH", "")) if part)
        command = [*words[:3], "-p", name, *words[3:]]
        return ready.request.runner.attach(
            command, cwd=ready.request.root, env={**environ, **texts, "PYTHONPATH": path}
        )


def _run_counted(
    ready: Ready,
    command: Sequence[str | Path],
    environ: Mapping[str, str],
    warnings: Collection,
    said: Mapping[str, Json],
) -> int:
    """Runs pytest with its output in a log, and prints the reports of pytest and the simulated device."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    from opforge.install.pytest_report import leave_asked, read_report  # noqa: PLC0415
    from opforge.toolkit.device_reports import VARIABLE, read_device_reports  # noqa: PLC0415

    request = ready.request
    log, console = request.log("test"), current()
    log.unlink(missing_ok=True)
    with TemporaryDirectory(prefix="opforge-test-") as folder:  # only for this run: others may run at the same time
        report, refused = Path(folder, "report.xml"), Path(folder, "refused.jsonl")
        with step(console, "test", "pytest"):
            words = [*command, f"--junitxml={report}"]
            done = request.runner.run(words, cwd=request.root, env={**environ, VARIABLE: str(refused)}, log=log)
        leave_asked([report], command, request.root)
        told = {**jsonable_fields(read_report(report)), "refused": read_device_reports(refused)}
    code = done.code if done.code >= 0 else 128 - done.code  # a shell's exit code for signals
    console.json({**said, "exit_code": code, **told, "warnings": warning_rows(warnings), "log": str(log)})
    return code
