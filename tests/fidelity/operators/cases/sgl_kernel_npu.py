"""How operators of sgl-project/sgl-kernel-npu are called."""

from entries import Operator

OPERATORS: dict[str, Operator] = {}
