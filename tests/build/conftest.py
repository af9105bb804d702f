"""The workshop of these tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from workshop_fixtures import built_project, copied, project, rebuild, stand_in_toolkit, workshop

__all__ = ["built_project", "copied", "project", "rebuild", "stand_in_toolkit", "workshop"]
