

def product_inputs(op: ProductCase, column: int, sizes: Sizes) -> list[Tensor]:
    """CPU tensors for all inputs.

    Left operands are normal, and so are right ones, divided by the root of the number of terms, as weights are in
    networks: then the products are normal too, and no float16 overflows.
    """
    made = []
    for i, (name, shape) in enumerate(zip(op.inputs, op.shapes(sizes), strict=True)):
        dtype = op.columns[column][i]
        if name in (*op.left, *op.right):
            normal = torch.randn(shape, generator=torch.Generator().manual_seed(i + 1))
            made.append((normal / max(sizes[2], 1) ** 0.5 if name in op.right else normal).to(dtype))
        else:
            made.append(random_tensor(shape, dtype, seed=i + 1))
    return made


def kernel_inputs(kernel: GradientKernel, column: int, shape: tuple[int, ...]) -> list[Tensor]:
    """CPU tensors for all inputs."""
    return [random_tensor(shape, dtype, seed=i + 1) for i, dtype in enumerate(kernel.columns[column])]
