

def elementwise_values(op: OpCase) -> list[Tensor]:
    """Of an operator that works element by element."""
    return random_inputs(op, 0, (5, 3))


CASES += [(op, elementwise_values(op)) for op in OPS if op.name in FUSIBLE]
