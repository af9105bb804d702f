"""The projects of compiled and loaded ops, in the cache: one for each content, built when it is first used."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from opforge import __version__
from opforge.build.editable import FOLDER, lay_out
from opforge.build.pipeline import Built, build
from opforge.build.project_lock import project_lock
from opforge.build.request import BuildRequest, cache_folder
from opforge.cli.shared.console import Console
from opforge.jit.loaded_ops import Op
from opforge.jit.process_activation import activate, add_package
from opforge.naming import snake, torch_function
from opforge.scaffold.project_root import SPEC_FILE
from opforge.toolkit.publish import published

PREFIX = "jit_"  # of packages, which must not have the names of installed ones


def package_of(op_type: str) -> str:
    """The Python package of a compiled or loaded op."""
    return f"{PREFIX}{snake(op_type)}"


def content_of(*parts: object) -> str:
    """The key of an op: everything that it is made of, and this opforge."""
    text = json.dumps([__version__, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def make_op(op_type: str, content: str, write: Callable[[Path], None], console: Console) -> Op:
    """The function of an op: its project is written by ``write`` if it is new, built, and loaded into this process.

    Raises OpforgeError.
    """
    package = package_of(op_type)
    cache = cache_folder(os.environ)
    root = cache / "jit" / f"{snake(op_type)}-{content}"
    with published(root, str(SPEC_FILE), console.note) as scratch:
        if scratch is not None:
            write(scratch / "root")
    request = BuildRequest(
        root=root,
        environ=dict(os.environ),
        cache=cache,
        python=Path(sys.executable),
        jobs=os.cpu_count() or 2,
        progress=console,
    )
    built = build(request)
    place = _laid_out(request, built)
    activate(built.toolkit, built.env, console)
    (vendor,) = (place / package / "opp" / "vendors").iterdir()
    add_package(vendor, built.toolkit)
    sys.path.insert(0, str(place))
    module = importlib.import_module(package)
    function: Op = getattr(module, torch_function(op_type, package))
    return function


def _laid_out(request: BuildRequest, built: Built) -> Path:
    """The folder to import the package from, laid out anew after a build that did something."""
    place = request.folder / FOLDER
    with project_lock(request.folder):
        if built.ran or not place.is_dir():
            lay_out(built.wheel, request.root)
    return place
