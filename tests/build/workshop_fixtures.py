"""One workshop and one built project for all tests of a folder whose conftest.py imports these fixtures."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from workshop import Workshop, make_project, make_workshop

from opforge.build.pipeline import Built, build


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return make_workshop(tmp_path_factory.mktemp("workshop"), dict(os.environ))


def use_stand_in(patch: pytest.MonkeyPatch) -> None:
    """The simulated toolkit is the workshop's: the real one takes a minute, and other tests are about it."""
    patch.setattr("opforge.toolkit.simulator.ensure_simulator", lambda cache, **_: cache / "toolkit" / "stand-in")


@pytest.fixture(autouse=True)
def stand_in_toolkit(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch)


@pytest.fixture(scope="session")
def built_project(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Built]:
    """A project that was built once; tests that change it take a copy."""
    root = make_project(tmp_path_factory.mktemp("built") / "tiny; project ü")
    with pytest.MonkeyPatch.context() as patch:
        use_stand_in(patch)
        return root, build(workshop.request(root))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A fresh project of one's own, not built."""
    return make_project(tmp_path / "tiny")


@pytest.fixture
def rebuild(workshop: Workshop, project: Path) -> Callable[[], list[str]]:
    """Builds the project of this test and returns the steps that ran with their reasons."""

    def run() -> list[str]:
        request = workshop.request(project)
        build(request)
        return request.progress.reasons()

    return run


@pytest.fixture
def copied(built_project: tuple[Path, Built], tmp_path: Path) -> Path:
    """A copy of the dist/ folder of the built project."""
    shutil.copytree(built_project[0] / "dist", tmp_path / "dist")
    return tmp_path / "dist"
