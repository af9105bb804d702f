

def check_column_parallel(op: ProductCase, values: list[Tensor], rank: int) -> None:
    """Each process has a part of the result's columns, as tensor-parallel layers do.

    The parts make the result, gathered or used where they are; the gradients of what both have are summed.
    """
    columns = dim_of(op, op.symbols[1])
    inputs = [value.clone().requires_grad_() for value in values]
    mine = [part(value, dim, rank).clone().requires_grad_() for value, dim in zip(values, columns, strict=True)]
    whole, parts = op(*inputs), op(*mine)
    for output, local in zip(whole, parts, strict=True):
        gathered = [torch.empty_like(local) for _ in range(WORLD)]
        distributed.all_gather(gathered, local.detach())
        torch.testing.assert_close(torch.cat(gathered, -1), output.detach(), equal_nan=True)
    weights = [torch.linspace(-1, 1, output.numel()).reshape(output.shape).to(output) for output in whole]
    wanted = torch.autograd.grad(whole, inputs, weights)
    given = torch.autograd.grad(parts, mine, [part(weight, -1, rank) for weight in weights])
    for golden, grad, dim in zip(wanted, given, columns, strict=True):
        if dim is None:
            distributed.all_reduce(grad)
        torch.testing.assert_close(grad, part(golden, dim, rank), equal_nan=True)
