"""Installing only what is not installed: what commands do before they use a project's package."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from workshop import Workshop

from opforge.build.pipeline import build
from opforge.build.request import BuildRequest
from opforge.build.state import State
from opforge.build.step_context import find_context
from opforge.install.receipts import Receipt, read_receipt
from opforge.install.renewal import renew_installation
from opforge.install.uninstalling import uninstall
from opforge.progress import Silent
from opforge.toolkit.process import Completed, Runner

pytestmark = [pytest.mark.compiler, pytest.mark.slow]


class Counting(Runner):
    """Counts the processes that it starts."""

    started = 0

    def run(self, *words: object, **options: object) -> Completed:
        self.started += 1
        return super().run(*words, **options)  # type: ignore[arg-type]


@pytest.fixture
def request_(workshop: Workshop, project: Path) -> Iterator[BuildRequest]:
    """The request of a project that is not installed; the test may install it."""
    made = workshop.request(project, runner=Counting())
    yield made
    env = find_context(made, State()).env
    if (env.receipts / "tiny_op.json").is_file():
        uninstall("tiny_op", env, Runner(), workshop.environ, Silent())


def renewed(request: BuildRequest) -> tuple[Path, int]:
    """The vendor folder, and how many processes the installation started."""
    built = build(request)
    assert isinstance(request.runner, Counting)
    request.runner.started = 0
    return renew_installation(request, built), request.runner.started


def receipt_of(request: BuildRequest) -> Receipt:
    return read_receipt(find_context(request, State()).env.receipts / "tiny_op.json")


def test_only_another_build_is_installed(request_: BuildRequest, workshop: Workshop) -> None:
    vendor, started = renewed(request_)
    assert vendor == workshop.python.parents[1] / "opp" / "vendors" / "tiny"
    assert started == 2  # the installer of the run package and pip; a call of the ops would be a third
    assert renewed(request_) == (vendor, 0)
    first = receipt_of(request_)
    (request_.root / "python" / "tiny_op" / "__init__.py").write_text("VERSION = 2\n")
    assert renewed(request_)[1] > 0
    assert receipt_of(request_) != first
    package = workshop.python.parents[1] / "lib"
    assert [path.read_text() for path in package.glob("*/site-packages/tiny_op/__init__.py")] == ["VERSION = 2\n"]
    assert renewed(request_) == (vendor, 0)


@pytest.mark.parametrize("gone", ["opp/vendors/tiny", "lib/python3.*/site-packages/tiny_op-*.dist-info"])
def test_an_installation_that_somebody_removed(request_: BuildRequest, workshop: Workshop, gone: str) -> None:
    renewed(request_)
    (folder,) = workshop.python.parents[1].glob(gone)
    folder.rename(request_.root / "away")
    assert renewed(request_)[1] > 0
    assert folder.is_dir()


def test_prefix_chip_and_start_up_file_are_kept(request_: BuildRequest, tmp_path: Path) -> None:
    from opforge.install.installing import install

    options = {"prefix": tmp_path / "mine", "activate": True, "soc_version": "Ascend910B3"}
    install(request_, build(request_), **options, call_ops=False)
    before = receipt_of(request_)
    (request_.root / "python" / "tiny_op" / "__init__.py").write_text("")
    assert renewed(request_)[0] == tmp_path / "mine" / "vendors" / "tiny"
    after = receipt_of(request_)
    assert replace(after, wheel_sha256=before.wheel_sha256, content_hash=before.content_hash) == before
    assert after.wheel_sha256 != before.wheel_sha256


def test_a_chip_that_the_project_has_no_more(request_: BuildRequest) -> None:
    from opforge.install.installing import install

    install(request_, build(request_), prefix=None, activate=False, soc_version="Ascend910_9391", call_ops=False)
    spec = request_.root / "opforge.yaml"
    spec.write_text(spec.read_text().replace("[ascend910b, ascend910_93]", "[ascend910b]"))
    renewed(request_)
    assert receipt_of(request_).soc == "Ascend910B1"
