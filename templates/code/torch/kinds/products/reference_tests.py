

PRODUCTS = [(op, column) for op, column in PRODUCT_COMBINATIONS if op.name in REFERENCES]


def product_values(op: ProductCase, column: int) -> list[list[Any]]:
    """Inputs of several shapes, and without what is optional."""
    rows = ((2, 3), (1009,)) if op.folds else ((6,), (1009,))
    values: list[list[Any]] = [[*product_inputs(op, column, (each, 33, 67))] for each in rows]
    bare = [None if name in op.optional else v for name, v in zip(op.inputs, values[0], strict=True)]
    return [*values, bare] if op.optional else values


@pytest.mark.parametrize(("op", "column"), PRODUCTS, ids=identify)
def test_golden_reference_of_products(op: ProductCase, column: int) -> None:
    for values in product_values(op, column):
        for i, (golden, reference) in enumerate(zip(op.golden(*values), wanted(op, values), strict=True)):
            assert_product_close(golden, reference.to(golden.dtype), f"{op.name}'s output {i} by its expression")


@pytest.mark.parametrize(("op", "column"), PRODUCTS, ids=identify)
def test_kernel_of_products(op: ProductCase, column: int) -> None:
    for values in product_values(op, column):
        references = wanted(op, values)
        for i, (output, reference) in enumerate(zip(op(*on("npu", values)), references, strict=True)):
            assert_product_close(output, reference.to(output.dtype), f"{op.name}'s output {i}")
