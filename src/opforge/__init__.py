"""opforge: one spec in, a complete Ascend C operator project for PyTorch out."""

__version__ = "0.1.0"
