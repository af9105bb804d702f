"""The workshop of the build's tests, for those of installing what it builds."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "build"))

from workshop_fixtures import built_project, copied, project, rebuild, stand_in_toolkit, workshop

__all__ = ["built_project", "copied", "project", "rebuild", "stand_in_toolkit", "workshop"]
