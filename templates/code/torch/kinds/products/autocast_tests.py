

FLOAT32 = [op for op in PRODUCTS if (torch.float32,) * len(op.inputs) in op.columns]


@DEVICES
@pytest.mark.parametrize("op", FLOAT32, ids=identify)
def test_the_innermost_region_counts(op: ProductCase, device: str) -> None:
    values = on(device, [value.float() for value in product_inputs(op, -1, ((5,), 7, 3))])
    if len(narrow_on(device)) == 1:
        pytest.skip("regions of one dtype")
    for outer, inner in (NARROW, NARROW[::-1]):
        with torch.autocast(device, dtype=outer):
            with torch.autocast(device, dtype=inner):
                in_inner = op(*values)
            with torch.autocast(device, enabled=False):
                in_none = op(*values)
            in_outer = op(*values)
        assert_same(in_none, op(*values))
        for actual, dtype in ((in_inner, inner), (in_outer, outer)):
            used = dtype if (dtype,) * len(op.inputs) in op.columns else torch.float32
            assert_same(actual, op(*(value.to(used) for value in values)))
