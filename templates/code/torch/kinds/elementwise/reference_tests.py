

ELEMENTWISE = [(op, column) for op, column in COMBINATIONS if op.name in REFERENCES]


def elementwise_values(op: OpCase, column: int) -> list[list[Any]]:
    """Inputs of several shapes, and without what is optional."""
    values = [random_inputs(op, column, (size,)) for size in (0, 1, 33, 1009)]
    values += [random_inputs(op, column, (3, 1), (1, 5))]
    bare = [None if name in op.optional else v for name, v in zip(op.inputs, values[-2], strict=True)]
    return [*values, bare] if op.optional else values


@pytest.mark.parametrize(("op", "column"), ELEMENTWISE, ids=identify)
def test_golden_reference(op: OpCase, column: int) -> None:
    for values in elementwise_values(op, column):
        for i, (golden, reference) in enumerate(zip(op.golden(*values), wanted(op, values), strict=True)):
            assert_close(golden, reference.to(golden.dtype), f"{op.name}'s output {i} by its expression")


@pytest.mark.parametrize(("op", "column"), ELEMENTWISE, ids=identify)
def test_kernel(op: OpCase, column: int) -> None:
    for values in elementwise_values(op, column):
        references = wanted(op, values)
        for i, (output, reference) in enumerate(zip(op(*on("npu", values)), references, strict=True)):
            assert_close(output, reference.to(output.dtype), f"{op.name}'s output {i}")
