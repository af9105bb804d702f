"""The project of many ops, rendered and compiled once, and imported as users do."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from torch_projects import GATE_OPS, KINDS, LOSS_OPS, PRODUCT_OPS, adapter, render, site, spec_of, write


@pytest.fixture(scope="session")
def gate_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(render(spec_of(GATE_OPS)), tmp_path_factory.mktemp("gates"))


@pytest.fixture(scope="session")
def gate_site(gate_project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site(gate_project, spec_of(GATE_OPS), tmp_path_factory.mktemp("site"), adapter(gate_project))


@pytest.fixture(scope="session")
def gate_ops(gate_site: Path) -> ModuleType:
    """The imported package: torch.ops.gate_ops is registered from here on."""
    sys.path.insert(0, str(gate_site))
    return importlib.import_module("gate_ops")


@pytest.fixture(scope="session")
def product_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(render(spec_of(PRODUCT_OPS)), tmp_path_factory.mktemp("products"))


@pytest.fixture(scope="session")
def product_site(product_project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site(product_project, spec_of(PRODUCT_OPS), tmp_path_factory.mktemp("site"), adapter(product_project))


@pytest.fixture(scope="session")
def product_ops(product_site: Path) -> ModuleType:
    """The imported package of ops with products."""
    sys.path.insert(0, str(product_site))
    return importlib.import_module("product_ops")


@pytest.fixture(scope="session")
def loss_ops(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The imported package of ops whose results are made of all rows."""
    spec = spec_of(LOSS_OPS)
    project = write(render(spec), tmp_path_factory.mktemp("losses"))
    sys.path.insert(0, str(site(project, spec, tmp_path_factory.mktemp("site"), adapter(project))))
    return importlib.import_module("loss_ops")


@pytest.fixture(scope="session")
def kinds_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(render(spec_of(KINDS)), tmp_path_factory.mktemp("kinds"))


@pytest.fixture(scope="session")
def kinds_site(kinds_project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site(kinds_project, spec_of(KINDS), tmp_path_factory.mktemp("site"), adapter(kinds_project))


@pytest.fixture(scope="session")
def kinds_ops(kinds_site: Path) -> ModuleType:
    """The imported package of ops written by hand."""
    sys.path.insert(0, str(kinds_site))
    return importlib.import_module("kinds_ops")
