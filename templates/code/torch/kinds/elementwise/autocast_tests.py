

@DEVICES
@pytest.mark.parametrize("op", [op for op in OPS if not op.written and len(op.floating(0)) > 1], ids=identify)
def test_dtypes_that_differ_go_to_the_widest(op: OpCase, device: str) -> None:
    first, *_ = op.floating(0)
    for column, dtypes in enumerate(op.columns):
        if {dtype for dtype in dtypes if dtype.is_floating_point} != {torch.float32}:
            continue
        for narrow in narrow_on(device):
            wide = on(device, random_inputs(op, column, (5, 3)))
            mixed = [value.to(narrow) if place == first else value for place, value in enumerate(wide)]
            with torch.autocast(device, dtype=narrow):
                actual = op(*mixed)
            supported = tuple(value.dtype for value in mixed) in op.columns
            wide[first] = mixed[first].float()
            assert_same(actual, op(*(mixed if supported else wide)))
