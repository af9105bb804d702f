"""Builds a project on another machine, through ssh."""
