"""The version of this opforge."""

__version__ = "0.1.0"
