"""Every cause, in the order in which equal ranks on one line are shown."""

from __future__ import annotations

from opforge.explain.cause import Cause
from opforge.explain.causes.loading_causes import LOADING

CAUSES: tuple[Cause, ...] = (*LOADING,)
