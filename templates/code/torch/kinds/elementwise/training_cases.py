

def elementwise_samples() -> list[Sample]:
    """Rows are the first of the leading dimensions."""
    made = []
    for op in OPS:
        if op.differentiable:
            rows = [0 if "..." in op.dims.get(name, ("...",)) else None for name in op.inputs]
            made.append((op, random_inputs(op, -1, (2 * WORLD, 3)), rows))
    return made
