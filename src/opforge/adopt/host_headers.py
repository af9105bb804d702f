"""The headers that almost every op_host file includes, compiled once for each toolkit and C++ standard.

They take most of the time in which a file of op_host compiles. The compiler itself decides whether the result fits a
file, and reads the headers where it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.errors import ToolkitError
from opforge.toolkit.digests import damage, note_files
from opforge.toolkit.process import Runner
from opforge.toolkit.publish import published

HEADER = "op_host.h"
_INCLUDED = ("register/op_def_registry.h", "register/tilingdata_base.h")
_COMPILED = f"{HEADER}.gch"
_FILES = "files.json"
_SECONDS = 120.0


def precompiled(folder: Path, command: Sequence[str | Path], runner: Runner, environ: Mapping[str, str]) -> Path | None:
    """``folder`` with ``HEADER`` and its compiled form; None if it cannot be made, as in a toolkit that is read-only.

    ``command`` is the compiler with the options of op_host.
    """
    if (folder / _COMPILED).is_file() and damage(folder, folder / _FILES) is None:
        return folder
    try:
        with published(folder, _COMPILED, lambda _: None, lambda: damage(folder, folder / _FILES)) as made:
            if made is None:
                return folder
            root = made / "root"
            root.mkdir()
            header = root / HEADER
            header.write_text("".join(f'#include "{name}"\n' for name in _INCLUDED), encoding="utf-8")
            words = [*command, "-x", "c++-header", header, "-o", root / _COMPILED]
            done = runner.run(words, cwd=made, env=environ, timeout=_SECONDS)
            if done.ok:
                note_files(root, root / _FILES)
    except ToolkitError:
        return None
    return folder
