"""How operators of hicann/ops-transformer are called."""

from entries import Operator

OPERATORS: dict[str, Operator] = {}
