

def elementwise_arguments(op: OpCase, column: int, rows: int) -> Named:
    """Of an operator that works element by element."""
    return named(op, random_inputs(op, column, (rows, 3)))


CASES += [(op, partial(elementwise_arguments, op, column)) for op, column in COMBINATIONS if op.name in MODULES]
