"""How operators of hicann/ops-math are called."""

from entries import Operator

OPERATORS: dict[str, Operator] = {}
