"""The types of compiled and loaded ops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opforge.jit import loaded_ops
from opforge.jit.loaded_ops import free_type, loaded, remember
from opforge.jit.process_activation import PROCESS


def package(folder: Path, *ops: str) -> str:
    """An operator package that has these ops."""
    table = folder / "op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json"
    table.parent.mkdir(parents=True)
    table.write_text(json.dumps({op: {} for op in ops}))
    return str(folder)


def test_a_type_is_free_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded_ops, "_TYPES", set())
    monkeypatch.setattr(loaded_ops, "_FUNCTIONS", {})
    installed, parents = package(tmp_path / "vector_add", "VectorAdd"), package(tmp_path / "jit_soft_clip", "SoftClip")
    monkeypatch.setitem(PROCESS, "ASCEND_CUSTOM_OPP_PATH", f"{installed}:{parents}")
    assert free_type("SoftClip") == "SoftClip"  # the package of a parent process is replaced
    assert free_type("VectorAdd") == "VectorAddV2"
    remember("VectorAddV2", "c1", max)
    assert free_type("VectorAdd") == "VectorAddV3"
    assert loaded("c1") is max
    assert loaded("c2") is None
