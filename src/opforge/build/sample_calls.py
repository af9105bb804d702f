"""The calls by which an installation is tried: each op that has an expression, with all of its inputs and with few."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.naming import torch_function
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec

_SAMPLE = {
    "int": 1,
    "float": 1.0,
    "bool": True,
    "str": "",
    "list_int": [1],
    "list_float": [1.0],
    "list_bool": [True],
}


def sample_calls(op: OpSpec, package: str, soc: str) -> list[Mapping[str, object]]:
    """What load_check calls: the op once, and once without its optional inputs where it has any.

    A symbol has the same size wherever it stands, and two symbols have different ones. Dtypes are those of the first
    combination that ``soc`` has. A kernel written by hand is not called: what it takes only its author knows.
    """
    rows = combinations(op, soc)
    if op.handwritten or not rows:
        return []
    symbols = dict.fromkeys(d for t in op.inputs for d in t.dims if d != "..." and not d.isdigit())
    sizes = {"...": [3, 5], **{symbol: [7 + 2 * place] for place, symbol in enumerate(symbols)}}
    made: list[Mapping[str, object]] = []
    for tensor, dtype in zip(op.inputs, rows[0], strict=False):
        shape = [size for dim in tensor.dims for size in (sizes[dim] if dim in sizes else [int(dim)])]
        made.append({"number": 2} if tensor.scalar else {"shape": shape, "dtype": dtype})
    few = [None if tensor.optional else given for tensor, given in zip(op.inputs, made, strict=True)]
    written = {tensor.inplace for tensor in op.outputs}
    call = {
        "function": torch_function(op.type, package),
        "attrs": [_SAMPLE[attr.type] if attr.default is None else attr.default for attr in op.attrs],
        "written": [place for place, tensor in enumerate(op.inputs) if tensor.name in written],
    }
    return [{**call, "inputs": inputs} for inputs in ([made, few] if None in few else [made])]
