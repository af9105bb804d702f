"""``build/editable``: the installed package of a project, with links to the project's own Python files.

The editable wheel contains a path file that points there (PEP 660). Each build that packs a new wheel recreates the
folder, so that kernels and libraries are up to date as well.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from opforge.build.wheel_file import pack
from opforge.plain_files import is_leaving

FOLDER = "editable"  # below build/
PATH_FILE = "_opforge_editable_{package}.pth"


def editable_wheel(wheel: Path, root: Path, folder: Path) -> Path:
    """Creates ``build/editable`` from ``wheel``, and writes a wheel that points to it into ``folder``."""
    package = wheel.name.partition("-")[0]
    place = lay_out(wheel, root)
    target = folder / wheel.name
    with zipfile.ZipFile(wheel) as file:
        about = {name: file.read(name) for name in file.namelist() if ".dist-info/" in name}
    record = next(name for name in about if name.endswith("/RECORD"))
    del about[record]
    entries = [(PATH_FILE.format(package=package), f"{place}\n".encode(), False)]
    pack(target, [*entries, *((name, data, False) for name, data in about.items())], record)
    return target


def renew(wheel: Path, root: Path) -> None:
    """Recreates ``build/editable`` if the project has one."""
    if (root / "build" / FOLDER).is_dir():
        lay_out(wheel, root)


def lay_out(wheel: Path, root: Path) -> Path:
    """Unpacks ``wheel`` with links to the files of ``python/<package>``; returns the folder to import from."""
    package = wheel.name.partition("-")[0]
    place, source = root / "build" / FOLDER, root / "python" / package
    scratch = place.with_name(f".{FOLDER}.{os.urandom(4).hex()}")
    own = {path.name for path in source.iterdir() if not is_leaving(path.name)}
    try:
        with zipfile.ZipFile(wheel) as file:
            for entry in file.infolist():
                top, _, below = entry.filename.partition("/")
                if top != package or below.partition("/")[0] in own:
                    continue
                target = Path(file.extract(entry, scratch))
                target.chmod(entry.external_attr >> 16 & 0o777)
        for name in own:
            (scratch / package / name).symlink_to(os.path.relpath(source / name, place / package))
        if place.is_dir():
            old = place.rename(place.with_name(f".{FOLDER}.{os.urandom(4).hex()}"))
            scratch.rename(place)
            shutil.rmtree(old, ignore_errors=True)
        else:
            scratch.rename(place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return place
