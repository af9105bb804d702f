"""Makes the calls that check an installation: each op with known arguments, with and without optional inputs."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.naming import torch_function
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec
from opforge.spec.samples import input_symbols, sample_attr, sample_number


def sample_calls(op: OpSpec, package: str, soc: str) -> list[Mapping[str, object]]:
    """The calls for load_check: the op once, and once without its optional inputs if it has any.

    Different symbols have different sizes. Dtypes are the first combination for ``soc``; without one, no calls.
    """
    rows = combinations(op, soc)
    if not rows:
        return []
    sizes = {"...": [3, 5], **{symbol: [7 + 2 * place] for place, symbol in enumerate(input_symbols(op))}}
    made: list[Mapping[str, object]] = []
    for tensor, dtype in zip(op.inputs, rows[0], strict=False):
        shape = [size for dim in tensor.dims for size in (sizes[dim] if dim in sizes else [int(dim)])]
        made.append({"number": sample_number(tensor)} if tensor.scalar else {"shape": shape, "dtype": dtype})
    few = [None if tensor.optional else given for tensor, given in zip(op.inputs, made, strict=True)]
    written = {tensor.inplace for tensor in op.outputs}
    call = {
        "function": torch_function(op.type, package),
        "attrs": [sample_attr(attr) for attr in op.attrs],
        "written": [place for place, tensor in enumerate(op.inputs) if tensor.name in written],
    }
    return [{**call, "inputs": inputs} for inputs in ([made, few] if None in few else [made])]
