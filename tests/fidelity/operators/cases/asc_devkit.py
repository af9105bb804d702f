"""How operators of asc-devkit's examples are called."""

from entries import Operator

OPERATORS: dict[str, Operator] = {}
