"""Installations that are killed, run at once, or go into an environment that has two paths."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from workshop import Workshop, snapshot

from opforge.build.aclnn_programs import build_programs
from opforge.build.pipeline import Built, build
from opforge.build.plain_folder import SCRATCH, plain_scratch
from opforge.build.python_env import PythonEnv
from opforge.build.request import cache_folder
from opforge.build.state import State
from opforge.build.step_context import find_context
from opforge.build.vendor_tree import content_hash
from opforge.errors import BuildError, EnvironmentProblem, InstallError
from opforge.install.activation import custom_path
from opforge.install.environment_lock import LOCK, environment_lock
from opforge.install.installed_files import require_as_built
from opforge.install.installing import install
from opforge.install.receipts import Receipt, receipt_path, write_receipt
from opforge.install.removal import pip_command
from opforge.install.uninstalling import uninstall
from opforge.progress import Silent
from opforge.toolkit.process import Runner

pytestmark = pytest.mark.compiler


@pytest.fixture(autouse=True)
def _no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in torch has no ATen to build for, and calls no op."""
    monkeypatch.setattr("opforge.toolkit.aten_library.ensure_aten", lambda *_, **__: None)
    monkeypatch.setattr("opforge.install.installing.check_ops", lambda *_: None)


@pytest.fixture
def env(workshop: Workshop) -> Iterator[PythonEnv]:
    """The workshop's environment, as it was before when the test has ended."""
    found = find_context(workshop.request(Path("/")), State()).env
    before = things(found)
    yield found
    if receipt_path(found.receipts, "tiny_op").is_file():
        remove(workshop, found)
    assert things(found) == before


def things(env: PythonEnv) -> set[str]:
    return {name for name in snapshot(env.prefix) if "torch" not in name}


def remove(workshop: Workshop, env: PythonEnv) -> Receipt | None:
    return uninstall("tiny_op", env, Runner(), workshop.environ, Silent())


def put(workshop: Workshop, root: Path, built: Built, **changes: object) -> Receipt:
    request = workshop.request(root, **changes)
    return install(request, built, prefix=None, activate=False, soc_version=None).receipt


def killed(workshop: Workshop, monkeypatch: pytest.MonkeyPatch, project: tuple[Path, Built], function: str) -> None:
    """An installation in a process of its own that is killed where it calls ``function``."""
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(
            f"opforge.install.installing.{function}", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
        )
        try:
            put(workshop, *project)
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize(
    "moment",
    [
        "note_hash",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("pip_command", "write_receipt", "remove_vendor")),
    ],
)
def test_a_killed_installation_goes_with_the_next_command(
    workshop: Workshop,
    env: PythonEnv,
    built_project: tuple[Path, Built],
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    before = things(env)
    if moment == "remove_vendor":  # called where the vendor folder has moved
        old = put(workshop, *built_project)
        write_receipt(env.receipts, replace(old, vendor_dir=str(env.prefix / "before" / "vendors" / "tiny")))
    killed(workshop, monkeypatch, built_project, moment)
    assert (env.prefix / LOCK).is_file()
    assert things(env) > before
    assert remove(workshop, env) is None
    assert things(env) == before


@pytest.mark.slow
def test_what_pip_was_replacing_when_it_was_interrupted(
    workshop: Workshop, env: PythonEnv, built_project: tuple[Path, Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip renames a package that it replaces: the first letters become other characters, until the name is free."""
    before = things(env)

    def interrupted(env: PythonEnv, *_: str) -> None:
        for folder in [*env.purelib.glob("tiny_op*")]:
            folder.rename(folder.with_name(f"~-{folder.name[2:]}"))
        raise KeyboardInterrupt

    put(workshop, *built_project)
    with monkeypatch.context() as patch:
        patch.setattr("opforge.install.installing.pip_command", interrupted)
        with pytest.raises(KeyboardInterrupt):
            put(workshop, *built_project)
    assert (env.purelib / "~-ny_op" / "opp").is_dir()
    assert not [path for path in custom_path(env, {}) if "~" in path]
    assert remove(workshop, env) is None
    assert things(env) == before


def test_the_next_installation_takes_it_away_too(
    workshop: Workshop, env: PythonEnv, built_project: tuple[Path, Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    (env.opp / "vendors" / ".tiny.new.1234" / "op_api").mkdir(parents=True)
    (env.opp / f"{SCRATCH}killed" / "tmp").mkdir(parents=True)
    killed(workshop, monkeypatch, built_project, "write_receipt")
    request = workshop.request(built_project[0])
    install(request, built_project[1], prefix=None, activate=False, soc_version=None)
    assert "note removed the rest of an interrupted installation of tiny_op" in request.progress.lines
    assert [path.name for path in (env.opp / "vendors").iterdir()] == ["tiny"]
    assert not [name for name in things(env) if SCRATCH in name or LOCK in name or name.endswith(".begun")]


def test_of_two_at_once_the_second_waits(
    workshop: Workshop,
    env: PythonEnv,
    built_project: tuple[Path, Built],
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = project / "opforge.yaml"
    other.write_text(other.read_text().replace("version: 0.1.0", "version: 0.2.0"))
    newer = build(workshop.request(project))
    half, second = threading.Event(), workshop.request(project)

    def slowly(tree: Path, _version: str) -> str:
        half.set()
        deadline = time.monotonic() + 60
        while threading.current_thread() is first and not second.progress.lines and time.monotonic() < deadline:
            time.sleep(0.01)
        return content_hash(tree)

    monkeypatch.setattr("opforge.install.installing.note_hash", slowly)
    first = threading.Thread(target=put, args=(workshop, *built_project))
    first.start()
    assert half.wait(60)
    receipt = install(second, newer, prefix=None, activate=False, soc_version=None).receipt
    first.join()
    me = os.getpid()
    told = f"waiting for another opforge (process {me}) that installs into {env.prefix} or uninstalls there"
    assert second.progress.lines[0] == f"note {told}"
    assert receipt.version == "0.2.0+sim"
    require_as_built(env, newer.wheel, receipt)


def test_the_lock_is_gone_with_its_holder(tmp_path: Path) -> None:
    seen: list[str] = []
    with environment_lock(tmp_path, tmp_path / ".", tell=seen.append):
        (tmp_path / LOCK).unlink()  # as one that ends does; another process then has a lock of its own
    held = threading.Event()

    def hold() -> None:
        with environment_lock(tmp_path, tell=seen.append):
            held.set()
            while not seen:
                time.sleep(0.01)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    with environment_lock(tmp_path, tell=seen.append):
        assert not thread.is_alive() or thread.join() is None
        assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
    assert len(seen) == 1
    assert not list(tmp_path.iterdir())


def test_what_is_installed_is_compared_with_what_was_built(
    workshop: Workshop, env: PythonEnv, built_project: tuple[Path, Built]
) -> None:
    wheel = built_project[1].wheel
    receipt = put(workshop, *built_project)
    require_as_built(env, wheel, receipt)
    module, library = env.purelib / "tiny_op" / "__init__.py", env.opp / "vendors/tiny/op_api/lib/libcust_opapi.so"
    info = env.purelib / "tiny_op-0.1.0+sim.dist-info"
    for path, what in ((module, f"{module} has changed"), (library, f"{library.parents[2]} has changed")):
        text = path.read_bytes()
        path.write_bytes(text + b"#")
        refused(env, wheel, receipt, what)
        path.write_bytes(text)
    (env.purelib / "tiny_op-9.dist-info").mkdir()
    refused(env, wheel, receipt, f"{env.purelib} has {info.name} and tiny_op-9.dist-info of version 0.1.0+sim")
    (env.purelib / "tiny_op-9.dist-info").rmdir()
    refused(env, wheel, replace(receipt, wheel_sha256="0"), f"{wheel} has changed")
    refused(
        env, wheel, replace(receipt, soc="Ascend310P3"), f"the receipt in {env.receipts} is of another installation"
    )
    require_as_built(env, wheel, receipt)


def refused(env: PythonEnv, wheel: Path, receipt: Receipt, what: str) -> None:
    with pytest.raises(InstallError) as caught:
        require_as_built(env, wheel, receipt)
    assert caught.value.what == f"the contents of {env.prefix} differ from what was built: {what}"


@pytest.mark.slow
def test_an_environment_by_two_paths(
    workshop: Workshop, env: PythonEnv, built_project: tuple[Path, Built], tmp_path: Path
) -> None:
    put(workshop, *built_project)
    link = tmp_path / "link"
    link.symlink_to(env.prefix)
    built = replace(built_project[1], env=replace(env, prefix=link))
    request = workshop.request(built_project[0])
    receipt = install(request, built, prefix=None, activate=False, soc_version=None).receipt
    assert receipt.vendor_dir == str(link / "opp" / "vendors" / "tiny")
    assert (env.opp / "vendors" / "tiny" / "opforge.json").is_file()
    assert not [line for line in request.progress.lines if "warning" in line]


def test_an_environment_that_cannot_be_written_loses_nothing(
    workshop: Workshop, env: PythonEnv, built_project: tuple[Path, Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(workshop, *built_project)
    there = things(env)
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda path, _: Path(path) != env.purelib)
        with pytest.raises(InstallError) as caught:
            remove(workshop, env)
    assert caught.value.what == f"{env.purelib} is not writable"
    assert "--python" in str(caught.value.hint)
    assert things(env) == there


def test_scratch_folders_of_killed_processes_go(tmp_path: Path) -> None:
    with plain_scratch(tmp_path) as busy:
        left = tmp_path / f"{SCRATCH}left"
        left.mkdir()
        with plain_scratch(tmp_path) as mine:
            assert {path.name for path in tmp_path.iterdir()} == {busy.name, mine.name}
    assert not list(tmp_path.iterdir())


def test_a_note_that_was_not_finished(workshop: Workshop, env: PythonEnv) -> None:
    env.receipts.mkdir(parents=True)
    (env.receipts / "tiny_op.begun").write_text('{"vendor')
    (env.receipts / "tiny_op.new").write_text(json.dumps({})[:1])
    with pytest.raises(InstallError, match="tiny_op was not installed"):
        remove(workshop, env)


@pytest.mark.slow
def test_a_package_that_pip_alone_has_installed_is_found(
    workshop: Workshop, env: PythonEnv, built_project: tuple[Path, Built]
) -> None:
    wheel = built_project[1].wheel
    runner = Runner()
    words = pip_command(env, "install", "--no-deps", "--no-index", wheel.as_uri())
    runner.run(words, cwd=env.prefix, env=workshop.environ).require("pip")
    inside = env.purelib / "tiny_op" / "opp" / "vendors" / "tiny"
    assert (inside / "op_api" / "lib" / "libcust_opapi.so").is_file()
    elsewhere = {"ASCEND_CUSTOM_OPP_PATH": f"/else:{env.prefix / 'lib' / '..'}/{inside.relative_to(env.prefix)}"}
    assert custom_path(env, elsewhere) == [str(inside), "/else"]
    receipt = put(workshop, *built_project)
    assert custom_path(env, {}) == [receipt.vendor_dir]


@pytest.mark.parametrize("character", [";", ":"])
def test_paths_that_tools_split(tmp_path: Path, character: str) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        cache_folder({"OPFORGE_CACHE": f"{tmp_path}/a{character}b"})
    assert f"has `{character}` in its path" in caught.value.what


@pytest.mark.slow
def test_an_environment_with_a_colon(workshop: Workshop, env: PythonEnv, built_project: tuple[Path, Built]) -> None:
    with pytest.raises(InstallError, match="has `:` in its path, at which ASCEND_CUSTOM_OPP_PATH is split"):
        install(
            workshop.request(built_project[0]),
            built_project[1],
            prefix=env.prefix / "a:b",
            activate=False,
            soc_version=None,
        )


def test_an_environment_with_a_semicolon_builds_no_programs(workshop: Workshop, project: Path) -> None:
    (project / "aclnn").mkdir()
    (project / "aclnn" / "CMakeLists.txt").touch()
    with pytest.raises(BuildError, match="it has `;` in it"):
        build_programs(workshop.request(project), Path("/opp;2/vendors/tiny"), workshop.environ)
