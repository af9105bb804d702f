"""A project's test of graphs is skipped where nothing can be captured, with the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
captured = pytest.importorskip("opforge.testing.checks.captured")

pytestmark = pytest.mark.torch
RECORDING = Path(__file__).parents[2] / "src" / "opforge" / "simulator" / "device" / "aten" / "recording.cpp"


def refuse(monkeypatch: pytest.MonkeyPatch, error: RuntimeError) -> None:
    """Lets each capture fail as on a device that says so."""

    @contextmanager
    def capturing(_: object) -> Iterator[None]:
        raise error
        yield

    npu = SimpleNamespace(NPUGraph=object)
    monkeypatch.setattr(captured, "torch", SimpleNamespace(ones=lambda *_, **__: torch.ones(1), npu=npu))
    monkeypatch.setattr(captured, "capturing", capturing)
    captured._without_graphs.cache_clear()


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    captured._without_graphs.cache_clear()


def checked() -> None:
    def called(_: Any) -> Any:
        pytest.fail("the operator was called")

    captured.check_replays("op", called, [[]], captured.assert_close)


def test_an_older_pytorch_has_no_graphs_on_the_simulated_device(monkeypatch: pytest.MonkeyPatch) -> None:
    (said,) = re.findall(r'NOT_IMPLEMENTED\(false, "([^"]+)"', RECORDING.read_text(encoding="utf-8"))
    refuse(monkeypatch, NotImplementedError(said))
    with pytest.raises(pytest.skip.Exception, match="no graphs here: the simulated device captures"):
        checked()


def test_other_errors_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, RuntimeError("107027"))
    with pytest.raises(RuntimeError, match="107027"):
        checked()
