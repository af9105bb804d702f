"""Copies opforge.testing: into a project's tests/_opforge, and into its build folder for programs that opforge runs.

The project's environment need not have opforge, and a copy contains nothing else of opforge.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from opforge.fileset import File, FileSet
from opforge.release import __version__
from opforge.scaffold.disk import read_file, write_bytes

VENDORED = PurePosixPath("tests/_opforge")

_PACKAGE = Path(__file__).parents[1] / "testing"
_INIT = f'''"""opforge.testing of opforge {__version__}, copied by opforge. Do not edit it.

`opforge vendor testing` replaces the copy in tests/_opforge. SPDX-License-Identifier: Apache-2.0
"""

__version__ = "{__version__}"
'''


def package_files() -> FileSet:
    """The files of a folder for PYTHONPATH that contains only opforge.testing."""
    top = PurePosixPath("opforge")
    files = [File(top / "__init__.py", _INIT, "testing")]
    for path in sorted(_PACKAGE.rglob("*.py")):
        inside = path.relative_to(_PACKAGE).as_posix()
        files.append(File(top / "testing" / inside, path.read_text(encoding="utf-8"), "testing"))
    return FileSet.of(*files)


def with_testing(environ: Mapping[str, str], root: Path, build: Path) -> dict[str, str]:
    """The variables of a process that finds opforge.testing: the package's folder comes first on its path.

    Raises OSError.
    """
    paths = [str(package_folder(root, build)), environ.get("PYTHONPATH", "")]
    return {**environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def package_folder(root: Path, build: Path) -> Path:
    """The folder for PYTHONPATH: tests/_opforge of the project at ``root`` if it has one, else a copy in ``build``.

    Raises OSError.
    """
    vendored = root / VENDORED
    if (vendored / "opforge" / "testing" / "__init__.py").is_file():
        return vendored
    folder, files = build / "testing", package_files()
    for file in files:
        data = file.text.encode()
        if read_file(folder / file.path) != data:
            write_bytes(folder / file.path, data)
    for path in folder.rglob("*.py"):  # from another version of opforge
        if PurePosixPath(path.relative_to(folder).as_posix()) not in files.files:
            path.unlink()
    return folder
