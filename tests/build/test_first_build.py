"""A project's first build, on a machine that may have no simulated toolkit yet."""

from collections.abc import Callable
from pathlib import Path

import pytest

from opforge.errors import SpecError


def test_the_spec_is_read_before_the_toolkit_is_built(
    project: Path, rebuild: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ensure(*_: object, **__: object) -> Path:
        raise AssertionError("the toolkit takes a minute")

    monkeypatch.setattr("opforge.toolkit.simulator.ensure_simulator", ensure)
    with pytest.raises(AssertionError, match="takes a minute"):
        rebuild()
    (project / "opforge.yaml").write_text("edition: 1\n")
    with pytest.raises(SpecError, match="the spec has no `project`"):
        rebuild()
