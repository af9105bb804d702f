"""``opforge install``: installs run package and wheel into an environment, calls each op, and writes a receipt."""

from __future__ import annotations

import errno
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from opforge.build.pipeline import Built
from opforge.build.python_env import PythonEnv
from opforge.build.request import BuildRequest
from opforge.build.simulator_note import simulator_note, write_simulator_note
from opforge.build.vendor_tree import note_hash, run_installer
from opforge.errors import InstallError
from opforge.frozen import dataclass
from opforge.install import load_check
from opforge.install.activation import activated, prepare
from opforge.install.environment_lock import environment_lock, require_writable
from opforge.install.installed_files import require_as_built
from opforge.install.op_owners import HIDDEN_OP_HINT, hidden_ops, look_up
from opforge.install.receipts import Receipt, all_receipts, read_receipt, receipt_path, write_receipt
from opforge.install.removal import pip_command, pip_environment, remove_vendor
from opforge.install.sample_calls import sample_calls
from opforge.install.startup_file import write_pth
from opforge.install.unfinished import noted, take_away, take_away_unfinished
from opforge.kinds import derive
from opforge.program import Program
from opforge.soc import SOCS, soc_of_version
from opforge.spec.model import Spec
from opforge.spec.read.parse import load_spec

_CALL_SECONDS = 300.0


@dataclass(frozen=True)
class Installed:
    """The installed package, and the files to source for using it without ``opforge run``."""

    receipt: Receipt
    sources: tuple[str, ...]
    untried: tuple[str, ...]  # handwritten ops: only their authors know valid arguments

    @property
    def tried(self) -> str:
        """A sentence on the calls of the ops."""
        if not self.untried:
            return "every op was called and agrees with its golden"
        shown = ", ".join(self.untried[:3]) + (", ..." if len(self.untried) > 3 else "")
        return f"handwritten ops ({shown}) were not called: use `opforge test`"


def install(
    request: BuildRequest,
    built: Built,
    *,
    prefix: Path | None,
    activate: bool,
    soc_version: str | None,
    device: Mapping[str, str] | None = None,
    call_ops: bool = True,
) -> Installed:
    """Installs the packages of ``built``. After a failure, removes what this call installed and reports the cause.

    ``device`` has the simulated device's variables for the calls of the ops; without ``call_ops`` none is called.

    Raises InstallError: no write permission, no space, another package's vendor folder, an error of pip, a failing op.
    """
    spec = load_spec(request.spec_as_built)
    env = built.env
    target = (prefix or env.opp).absolute()
    if ":" in str(target):
        raise InstallError(
            f"{target} has `:` in its path, at which ASCEND_CUSTOM_OPP_PATH is split", hint="give another with --prefix"
        )
    require_writable(env.purelib, env.prefix, target)
    folders = [env.prefix]
    if not target.resolve().is_relative_to(env.prefix.resolve()):
        target.mkdir(parents=True, exist_ok=True)
        folders.append(target)
    with environment_lock(*folders, tell=request.progress.note):
        for package in take_away_unfinished(env, target, request.runner, request.environ):
            request.progress.note(f"removed the rest of an interrupted installation of {package}")
        done = _install(request, built, spec, target, activate=activate, soc_version=soc_version)
        if call_ops:
            prepare(built.toolkit, env, request.environ, request.runner, request.progress)
            active = activated(built.toolkit, env, request.environ, done.receipt.soc)
            check_ops(request, built, derive(spec), done.receipt.soc, {**active, **(device or {})})
        require_as_built(env, built.wheel, done.receipt)
    return done


def _install(
    request: BuildRequest,
    built: Built,
    spec: Spec,
    target: Path,
    *,
    activate: bool,
    soc_version: str | None,
) -> Installed:
    project, program = spec.project, derive(spec)
    env, toolkit = built.env, built.toolkit
    vendor_dir = target / "vendors" / project.vendor
    _check_owner(spec, env, vendor_dir)
    chip = soc_version or SOCS[project.soc[0]].default_version.name
    old_path = receipt_path(env.receipts, project.package)
    old = read_receipt(old_path) if old_path.is_file() else None
    with noted(env, project.package, vendor_dir):
        receipt = _put(request, built, program, vendor_dir, old, activate=activate, chip=chip)
        write_receipt(env.receipts, receipt)
        if old is not None and Path(old.vendor_dir).resolve() != vendor_dir.resolve():
            remove_vendor(Path(old.vendor_dir), request.runner, request.environ)
    for hidden in hidden_ops(look_up(activated(toolkit, env, request.environ, chip))):
        if vendor_dir.resolve() in (hidden.first.resolve(), hidden.by.resolve()):
            request.progress.note(f"warning: {hidden}\n  {HIDDEN_OP_HINT}")
    sources = (str(toolkit.root / "set_env.sh"), str(vendor_dir / "bin" / "set_env.bash"))
    return Installed(receipt, sources, tuple(kernel.op.type for kernel in program.public if kernel.authored))


def _put(
    request: BuildRequest,
    built: Built,
    program: Program,
    vendor_dir: Path,
    old: Receipt | None,
    *,
    activate: bool,
    chip: str,
) -> Receipt:
    """Installs run package, wheel and start-up files; removes the package if one of them fails."""
    spec = program.spec
    env, toolkit, package = built.env, built.toolkit, spec.project.package
    target = vendor_dir.parents[1]
    log = request.log("install")
    log.unlink(missing_ok=True)
    try:
        wheel_sha256 = hashlib.sha256(built.wheel.read_bytes()).hexdigest()
        done = run_installer(request.runner, built.run_package, target, toolkit.activation(request.environ), log)
        done.require(f"{built.run_package.name} does not install into {target}", InstallError)
        digest = note_hash(vendor_dir, toolkit.version)
        if toolkit.simulated:
            write_simulator_note(vendor_dir, simulator_note(spec, program.ops))
        wheel = built.wheel.as_uri()  # not a path, which pip would split at ";" like a requirement
        command = pip_command(env, "install", "--no-deps", "--no-index", "--force-reinstall", wheel)
        environ = pip_environment(request.environ)
        done = request.runner.run(command, cwd=request.root, env=environ, log=log, timeout=600)
        done.require(f"{built.wheel.name} does not install into {env.prefix}", InstallError, _pip_hint(done.output))
        files = [] if old is None else [f for f in old.files if Path(f).is_file()]
        if activate:
            files = [str(path) for path in write_pth(env.purelib, package, toolkit, vendor_dir)]
    except OSError as e:
        take_away(env, package, vendor_dir, request.runner, request.environ)
        if e.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InstallError(f"no space left at {e.filename or target}", hint="free some space and try again") from e
        raise InstallError(f"cannot install into {e.filename or target}: {e.strerror}") from e
    except InstallError:
        take_away(env, package, vendor_dir, request.runner, request.environ)
        raise
    return Receipt(
        package=package,
        version=built.wheel.name.split("-")[1],
        vendor=spec.project.vendor,
        vendor_dir=str(vendor_dir),
        content_hash=digest,
        wheel_sha256=wheel_sha256,
        toolkit_kind=toolkit.kind,
        toolkit_root=str(toolkit.root),
        soc=chip,
        files=tuple(files),
    )


def check_ops(request: BuildRequest, built: Built, program: Program, chip: str, environ: Mapping[str, str]) -> None:
    """Imports the package in the environment activated for a chip, and calls each op against its golden."""
    soc = soc_of_version(chip)
    project = program.spec.project
    package = project.package
    unit = soc.name if soc is not None else project.soc[0]
    tried = [
        kernel.op for kernel in program.kernels if not kernel.authored
    ]  # other kernels have valid arguments that only their authors know
    calls = [call for op in tried for call in sample_calls(op, package, unit)]
    asked = {"package": package, "ops": calls}
    script = Path(load_check.__file__).read_text(encoding="utf-8")
    done = request.runner.run(
        [built.env.executable, "-c", script, json.dumps(asked)],
        cwd=request.folder,
        env=environ,
        log=request.log("check"),
        timeout=_CALL_SECONDS,
    )
    done.require(
        f"{package} is installed, but does not run",
        InstallError,
        hint="`opforge test` shows more; `opforge uninstall` removes it",
    )


def _check_owner(spec: Spec, env: PythonEnv, vendor_dir: Path) -> None:
    for other in all_receipts(env.receipts):
        if other.package != spec.project.package and Path(other.vendor_dir).resolve() == vendor_dir.resolve():
            raise InstallError(
                f"{vendor_dir} belongs to the package {other.package}",
                hint=f"give this project another vendor in opforge.yaml, or run: opforge uninstall {other.package}",
            )


def _pip_hint(output: str) -> str | None:
    if "externally-managed-environment" in output:
        return "this Python belongs to the system: make an environment (python3 -m venv .venv) and activate it"
    if "surrogates not allowed" in output:
        return "pip requires a UTF-8 path: rename the folder, or move the project"
    if "No module named pip" in output:
        return f"{sys.executable} -m pip install pip"
    return None
