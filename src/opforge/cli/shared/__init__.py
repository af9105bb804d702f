"""Shared by several commands: the printer, options, and common work. Imports no command."""
