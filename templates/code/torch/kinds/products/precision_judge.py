def assert_product_close(
    actual: Tensor, golden: Tensor, what: str = "the result", native: Tensor | None = None
) -> None:
    """As assert_close, for what comes of matrix products."""
    exact = golden.detach().double().flatten()
    finite = exact[exact.isfinite()]
    more = OF_THE_MEAN[golden.dtype] * float(finite.square().mean().sqrt()) if len(finite) else 0.0
    assert_close(actual, golden, what, native, more)


