"""How operators of vllm-project/vllm-ascend are called."""

from entries import Operator

OPERATORS: dict[str, Operator] = {}
