"""Headers of other packages: an operator's repository does not have them, and a user of it does.

CANN has the first, the repository's build downloads the second, its submodule is the third. They are checkouts beside
the repositories, ``CHECKOUTS/opbase``; an entry of ``cases/`` names the folders that its operator needs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PACKAGES = {
    "opbase": "hicann/opbase at aa3cd74b7f, with `--define OPBASE_API=`",
    "nlohmann-json": "nlohmann/json 3.11.2",
    "catlass": "hicann/catlass at 41bf90da65",
}
# The parts of a package that are copied; the simulated toolkit has opbase's other headers.
_EXPORT = "include/op_common/op_host/util/opbase_export.h"
PARTS = {"opbase": ("pkg_inc", "src/op_common", _EXPORT), "nlohmann-json": ("include",), "catlass": ("include",)}
# The macro of that header, which CANN's log.h includes, and the simulated toolkit's does not.
DEFINED = {"opbase": ("OPBASE_API=",)}
ATVOSS = ("opbase/pkg_inc", "opbase/pkg_inc/op_common")
JSON = ("nlohmann-json/include",)
CATLASS = ("catlass/include",)
PLACE = "third_party"


@contextmanager
def added(checkouts: Path, root: Path, folders: Sequence[str]) -> Iterator[list[str]]:
    """Links the packages of ``folders`` (``opbase/pkg_inc``) into the project at ``root`` and removes them at the end.

    Gives the options for adopt. A checkout that is missing raises OSError.
    """
    packages = list(dict.fromkeys(map(package_of, folders)))
    outer = (root / PLACE).is_dir()
    try:
        for package in packages:
            for part in PARTS[package]:
                _linked(checkouts / package / part, root / PLACE / package / part)
        given = [("--include", f"{PLACE}/{folder}") for folder in folders]
        given += [("--define", text) for package in packages for text in DEFINED.get(package, ())]
        yield [word for option in given for word in option]
    finally:
        for package in packages:
            shutil.rmtree(root / PLACE / package, ignore_errors=True)
        if packages and not outer:
            shutil.rmtree(root / PLACE, ignore_errors=True)


def package_of(folder: str) -> str:
    """``opbase`` of ``opbase/pkg_inc``."""
    return folder.partition("/")[0]


def _linked(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True)
        os.link(source, target)
    else:
        shutil.copytree(source, target, copy_function=os.link, symlinks=True)
