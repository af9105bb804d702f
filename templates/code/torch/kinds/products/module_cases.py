

def product_arguments(op: ProductCase, column: int, rows: int) -> Named:
    """Of an operator with matrix products."""
    return named(op, product_inputs(op, column, ((rows,), 7, 5)))


CASES += [(op, partial(product_arguments, op, column)) for op, column in PRODUCT_COMBINATIONS if op.name in MODULES]
