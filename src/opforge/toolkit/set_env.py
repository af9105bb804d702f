"""Activates a CANN toolkit that this shell has not activated: sources its set_env.sh in a child and reads the result.

CANN 8.x has set_env.sh in ascend-toolkit/, and it names ascend-toolkit/latest whichever version is wanted. The
variables therefore have the place that the script names replaced by the toolkit's own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from opforge.errors import ToolkitError

_SCRIPT = "set_env.sh"
_OF_THE_SHELL = ("_", "SHLVL", "PWD", "OLDPWD")
_SECONDS = 60.0


def with_cann(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` with the variables of the toolkit at ``root``; those of another activated toolkit are replaced.

    Unchanged if ASCEND_HOME_PATH is ``root`` already. Raises ToolkitError if the toolkit's set_env.sh fails.
    """
    active = environ.get("ASCEND_HOME_PATH")
    if active and Path(active).resolve() == root.resolve():
        return dict(environ)
    return dict(_sourced(root, tuple(sorted(environ.items()))))


def find_set_env(root: Path) -> Path | None:
    """The toolkit's set_env.sh: in its own folder, or in the one above, which versions share."""
    return next((place for place in (root / _SCRIPT, root.parent / _SCRIPT) if place.is_file()), None)


@lru_cache(maxsize=8)
def _sourced(root: Path, environ: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    from opforge.toolkit.process import Runner  # noqa: PLC0415  (only for a toolkit that is not activated)

    before = dict(environ)
    before.pop("ASCEND_TOOLKIT_HOME", None)
    script = find_set_env(root)
    if script is None:
        return _without_script(root, before)
    command = f". {shlex.quote(str(script))} >/dev/null 2>&1; env -0"
    done = Runner().run(["bash", "-c", command], cwd=Path("/"), env=before, timeout=_SECONDS)
    after = dict(part.split("=", 1) for part in done.output.split("\0") if "=" in part)
    home = after.get("ASCEND_HOME_PATH") or after.get("ASCEND_TOOLKIT_HOME")
    if not done.ok or home is None:
        hint = f"source it in a shell to see why, and start opforge there: source {script}"
        raise ToolkitError(f"{script} does not set ASCEND_HOME_PATH", detail=done.tail(), hint=hint)
    named = re.compile(re.escape(home) + r"(?=[/:]|$)")  # not another toolkit whose path begins alike
    changed = {
        name: named.sub(str(root).replace("\\", r"\\"), value)
        for name, value in after.items()
        if name not in _OF_THE_SHELL and before.get(name) != value
    }
    return {**before, **changed, "ASCEND_HOME_PATH": str(root)}


def _without_script(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """The least that CANN's own set_env.sh sets, for a toolkit that was copied without it."""
    front = {
        "PATH": (f"{root}/bin", f"{root}/compiler/ccec_compiler/bin"),
        "LD_LIBRARY_PATH": (f"{root}/lib64",),
        "PYTHONPATH": (f"{root}/python/site-packages", f"{root}/opp/built-in/op_impl/ai_core/tbe"),
    }
    lists = {name: ":".join([*folders, *filter(None, [environ.get(name)])]) for name, folders in front.items()}
    return {
        **environ,
        **lists,
        "ASCEND_HOME_PATH": str(root),
        "ASCEND_OPP_PATH": f"{root}/opp",
        "TOOLCHAIN_HOME": f"{root}/toolkit",
    }
