"""torchair without a graph engine: uses the real Python code and replaces the parts that call CANN.

Tests on any machine can thus inspect the GE graph that torch.compile(backend="npu") would pass to CANN.
"""

from __future__ import annotations

import signal
import sys
from types import ModuleType
from typing import Any
from unittest import mock

import pytest

CORE = "torchair.core._torchair"
EXECUTOR = "torchair.core._npu_graph_executor"


class _Executor:
    """Replaces the function that runs a graph; it runs nothing."""

    def __init__(self, name: str) -> None:
        self.name = name


class _Names:
    """Replaces a C++ enumeration, of which only the names are used."""

    def __getattr__(self, name: str) -> str:
        return name


def import_torchair() -> Any:
    """torchair, with every op type registered. Skips the tests if torchair cannot be imported."""
    pytest.importorskip("google.protobuf", reason="torchair, of torch_npu, needs protobuf: pip install protobuf")
    for name in ("packaging", "scipy", "psutil", "attr"):
        pytest.importorskip(name, reason=f"torchair, of torch_npu, needs {name}: pip install {name}")
    if CORE not in sys.modules:
        core: Any = ModuleType(CORE)
        core.TorchNpuGraphBase, core.TorchDataType = _Executor, _Names()
        core.get_registered_ir_def = lambda _: ("SUCCESS", [], [], [])
        core.InitializeGraphEngine = lambda _: None
        core.FinalizeGraphEngine = lambda: None
        sys.modules |= {CORE: core, EXECUTOR: ModuleType(EXECUTOR)}
    # torchair installs a handler for Ctrl-C. Its import takes seconds, in which Ctrl-C would be lost.
    with mock.patch.object(signal, "signal"):
        import torchair
        import torchair.ge
    return torchair


def graph_of(compiled: Any, arguments: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The nodes of the GE graph that a compiled function would run."""
    from torchair._ge_concrete_graph.fx2ge_converter import GeConcreteGraph

    graphs = []

    class CompiledError(Exception):
        """Raised when the graph is complete, because CANN would run the rest."""

    def keep(graph: Any, *_: Any, **__: Any) -> None:
        graphs.append(graph._graph)
        raise CompiledError

    monkeypatch.setattr(GeConcreteGraph, "__call__", keep)
    with pytest.raises(CompiledError):
        compiled(*arguments)
    return list(graphs[0].op)
