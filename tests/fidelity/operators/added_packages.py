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
    "opbase": "hicann/opbase at aa3cd74b7f",
    "nlohmann-json": "nlohmann/json 3.11.2",
    "catlass": "hicann/catlass at 41bf90da65",
}
# The parts of a package that are copied; the simulated toolkit has opbase's other headers.
PARTS = {"opbase": ("pkg_inc", "src/op_common"), "nlohmann-json": ("include",), "catlass": ("include",)}
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
                target = root / PLACE / package / part
                shutil.copytree(checkouts / package / part, target, copy_function=os.link, symlinks=True)
        yield [word for folder in folders for word in ("--include", f"{PLACE}/{folder}")]
    finally:
        for package in packages:
            shutil.rmtree(root / PLACE / package, ignore_errors=True)
        if packages and not outer:
            shutil.rmtree(root / PLACE, ignore_errors=True)


def package_of(folder: str) -> str:
    """``opbase`` of ``opbase/pkg_inc``."""
    return folder.partition("/")[0]
