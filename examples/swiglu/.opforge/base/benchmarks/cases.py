"""The operators of this project, and the sizes at which they are timed. Both tables are yours to extend."""

from __future__ import annotations

import torch

from case import Case, Input, Op

OPS: tuple[Op, ...] = (
    Op(
        name="swiglu",
        type="SwiGLU",
        inputs={"x": Input(dims=("...", "H")), "w_gate": Input(dims=("H", "I")), "w_up": Input(dims=("H", "I"))},
        columns=(
            (torch.float16, torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32, torch.float32),
        ),
        outputs=("y",),
        left=("x",),
        right=("w_gate", "w_up"),
        products=("...", "I", "H"),
        differentiable=True,
    ),
)

# Tokens, terms of a product, columns of its result: small ones for a simulator, and those of a layer of a 7B model.
PRODUCTS = {
    "small": ((1, 1024, 2816), (33, 127, 257), (256, 512, 1376)),
    "full": ((1, 4096, 11008), (128, 4096, 11008), (2048, 4096, 11008)),
}
# Tokens, elements of each.
ELEMENTS = {
    "small": ((1, 4096), (33, 127), (512, 1024)),
    "full": ((1, 4096), (128, 4096), (2048, 4096), (8192, 4096)),
}


def timed(op: Op, size: str) -> tuple[Case, ...]:
    """The cases at which an operator is timed, with each combination of dtypes. ``size``: small or full."""
    columns = range(len(op.columns))
    if op.products:
        return tuple(product_case(op, column, *sizes) for column in columns for sizes in PRODUCTS[size])
    return tuple(element_case(op, column, *sizes) for column in columns for sizes in ELEMENTS[size])


def product_case(op: Op, column: int, tokens: int, terms: int, columns: int) -> Case:
    """An operator with matrix products; where columns and terms are one symbol, terms count."""
    rows, of_columns, of_terms = op.products
    sizes = {of_columns: columns, of_terms: terms}
    if rows != "...":
        sizes = {rows: tokens, **sizes}
    label = f"{tokens}x{terms} @ {terms}x{sizes[of_columns]}"
    return Case(op, column, label, ((tokens,) if op.leads else (),), sizes)


def element_case(op: Op, column: int, tokens: int, elements: int) -> Case:
    """Any other operator: ``tokens`` leads, and dimensions that have names share ``elements`` between them."""
    symbols = op.symbols if op.leads else op.symbols[1:]
    sizes = {} if op.leads else dict.fromkeys(op.symbols[:1], tokens)
    sizes |= {symbol: max(1, int(elements ** (1 / len(symbols)))) for symbol in symbols}
    leading = () if not op.leads else (tokens,) if symbols else (tokens, elements)
    return Case(op, column, "x".join(map(str, (*leading, *sizes.values()))), (leading,), sizes)
