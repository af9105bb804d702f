"""The projects of compiled and loaded ops, in the cache: one for each content, built when it is first used."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from opforge.build.editable import FOLDER, lay_out
from opforge.build.pipeline import build
from opforge.build.request import BuildRequest, cache_folder
from opforge.cli.shared.console import Console
from opforge.frozen import dataclass
from opforge.jit.loaded_ops import PREFIX, Op
from opforge.jit.process_activation import PROCESS, add_package
from opforge.naming import snake, torch_function
from opforge.release import __version__
from opforge.scaffold.project_root import SPEC_FILE
from opforge.toolkit.protocol import Toolkit
from opforge.toolkit.publish import published, wait_for

_KEPT_SECONDS = 30 * 24 * 3600.0  # after its last use; a project has 2 to 9 MB


def package_of(op_type: str) -> str:
    """The Python package of a compiled or loaded op."""
    return f"{PREFIX}{snake(op_type)}"


def content_of(*parts: object) -> str:
    """The key of an op: everything that it is made of, and this opforge."""
    text = json.dumps([__version__, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class KeptProject:
    """The project of an op type and a content."""

    op_type: str
    content: str

    @property
    def root(self) -> Path:
        """Its folder."""
        return cache_folder(PROCESS) / "jit" / f"{snake(self.op_type)}-{self.content}"

    def write(self, write: Callable[[Path], None], console: Console) -> None:
        """Calls ``write`` with the folder to create, if there is no project yet. Removes long unused projects."""
        with published(self.root, str(SPEC_FILE), console.note) as scratch:
            if scratch is not None:
                write(scratch / "root")
        os.utime(self.root)  # its last use
        for project in self.root.parent.glob("*-*"):
            with suppress(OSError):
                if time.time() - project.stat().st_mtime > _KEPT_SECONDS and not project.name.startswith("."):
                    shutil.rmtree(project)

    def function(self, toolkit: Toolkit, console: Console) -> Op:
        """The op's function, after a build if one is necessary, and after loading it into this process.

        Raises OpforgeError.
        """
        package = package_of(self.op_type)
        place = self._built(console)
        (vendor,) = (place / package / "opp" / "vendors").iterdir()
        add_package(vendor, toolkit)
        sys.path.insert(0, str(place))
        function: Op = getattr(importlib.import_module(package), torch_function(self.op_type, package))
        return function

    def _built(self, console: Console) -> Path:
        """The folder to import the package from, laid out again after a build that did something.

        The processes of a distributed program build the same op at the same time: one builds, the others wait.
        """
        request = BuildRequest(
            root=self.root,
            environ=dict(PROCESS),
            cache=cache_folder(PROCESS),
            python=Path(sys.executable),
            jobs=os.cpu_count() or 2,
            progress=console,
        )
        place = request.folder / FOLDER
        with self.root.with_name(f".{self.root.name}-use").open("w") as lock:
            wait_for(lock.fileno(), self.root, console.note)
            built = build(request)
            if built.ran or not place.is_dir():
                lay_out(built.wheel, request.root)
        return place
