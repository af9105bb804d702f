"""Reads benchmarks/cases.py of a project: its operators, the sizes for timing, and its own limits."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from opforge.testing.interface import refuse
from opforge.testing.measuring.case import Case, Op
from opforge.testing.measuring.standards import RELATIVES, TOLERANCES, Limits

MODULE = "opforge_benchmarks_cases"  # the name in sys.modules, which no other module uses


@dataclass(frozen=True)
class Measured:
    """A project's cases.py.

    ``timed`` returns the cases of an operator for a size, small or full; ``counted`` those at which a simulated device
    only counts, none if the file does not define it.
    """

    root: Path
    ops: tuple[Op, ...]
    timed: Callable[[Op, str], tuple[Case, ...]]
    counted: Callable[[Op], tuple[Case, ...]]
    limits: Limits


def load_cases(file: Path) -> Measured:
    """Runs the file, which ``interface.cases_of`` has found. The file may import modules in its folder.

    Ends the process if a package that it imports is missing.
    """
    spec = importlib.util.spec_from_file_location(MODULE, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module  # dataclasses look up their module there
    sys.path.append(str(file.parent))
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        refuse(
            f"benchmarks/cases.py: {error}",
            "`opforge build && opforge install` puts the project's package into the environment",
        )
    own = Limits(getattr(module, "TOLERANCES", {}), getattr(module, "RELATIVES", {}))
    limits = Limits({**TOLERANCES, **own.tolerances}, {**RELATIVES, **own.relatives})
    counted = getattr(module, "counted", lambda _: ())
    return Measured(file.parents[1], tuple(module.OPS), module.timed, counted, limits)
