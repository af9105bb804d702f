"""Checks whether this machine can build, and whether a team's template is correct."""
