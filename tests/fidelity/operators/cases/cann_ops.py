"""How operators of Hayden727/cann-ops are called."""

from entries import Operator

OPERATORS: dict[str, Operator] = {}
