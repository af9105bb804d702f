"""Runs a command for a project on another machine, through ssh."""
