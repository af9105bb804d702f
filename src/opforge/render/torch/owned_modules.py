"""The modules below python/<package>/_opforge that generated modules import."""

from __future__ import annotations

ALWAYS = ("_checks", "_fallback", "_runtime")  # _ops.py of every project imports them
_SOME = ("_autocast", "_broadcast", "_by_hand", "_in_place", "_products", "_rows", "_scalars", "_shapes")
OWNED = tuple(sorted((*ALWAYS, *_SOME)))
