"""Installs built packages into a Python environment and removes them: receipts, activation, name checks."""
