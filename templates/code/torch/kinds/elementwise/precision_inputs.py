

def random_inputs(op: OpCase, column: int, *leading: tuple[int, ...], **symbols: int) -> list[Tensor]:
    """CPU tensors for all inputs; leading dimensions are repeated as often as it takes."""
    shapes = op.shapes(leading or ((),), **symbols)
    return [random_tensor(shape, op.columns[column][i], seed=i + 1) for i, shape in enumerate(shapes)]
