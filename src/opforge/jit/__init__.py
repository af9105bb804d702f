"""Ops from Python, for trying them in a notebook: ``opforge.compile`` and ``opforge.load``."""
