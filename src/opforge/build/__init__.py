"""Builds a project's run package and wheel: steps with keys; only steps whose key changed run."""
