"""The names that benchmarks/cases.py of a project uses."""

from opforge.testing.measuring.case import Case, Input, Op
from opforge.testing.measuring.drawing import Values
from opforge.testing.measuring.sizes import Size
from opforge.testing.measuring.standards import Relative, Tolerance

__all__ = ["Case", "Input", "Op", "Relative", "Size", "Tolerance", "Values"]
