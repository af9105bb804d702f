

def product_values(op: ProductCase) -> list[Tensor]:
    """Of an operator with matrix products."""
    return product_inputs(op, 0, ((5,), 7, 3))


CASES += [(op, product_values(op)) for op in PRODUCTS if op.name in FUSIBLE]
