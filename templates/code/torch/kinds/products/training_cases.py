

def dim_of(op: ProductCase, symbol: str) -> list[int | None]:
    """Which dimension of each input has this symbol."""
    return [dims.index(symbol) if symbol in dims else None for dims in op.inputs.values()]


def product_samples() -> list[Sample]:
    """Rows are those of the products."""
    ops = [op for op in PRODUCTS if op.differentiable]
    sizes = ((2 * WORLD,), 5 * WORLD, 7)
    return [(op, product_inputs(op, -1, sizes), dim_of(op, op.symbols[0])) for op in ops]
