"""How operators of hicann/ops-nn are called."""

from entries import Operator

OPERATORS: dict[str, Operator] = {}
