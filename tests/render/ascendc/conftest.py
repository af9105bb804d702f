"""One project of many small ops, rendered and compiled once for all tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from attribute_axis_ops import ATTRIBUTE_AXES
from biased_ops import BIASED
from generated_ops import PRODUCTS, GeneratedOps, generate, op
from index_axis_ops import INDEX_AXES
from index_ops import INDEXED
from integer_ops import INTEGERS
from language_ops import LANGUAGE, LISTED, REMAINDERS, TEXTS
from multiplied_ops import MULTIPLIED
from product_row_ops import PRODUCT_ROWS
from row_ops import AXES, ROW_INPUTS, ROWS
from shared_sum_ops import FUSED_SUMS, SHARED_SUMS
from total_ops import TOTALS
from typed_ops import GRADIENTS, TYPED

from opforge.ir.backward import backward_of
from opforge.ir.graph import COMPARE, Graph, Node, Output
from opforge.spec.model import AttrSpec, OpSpec
from tests.parsed import graph_of

ALPHA = AttrSpec("alpha", "float", 1.5)
COUNT = AttrSpec("count", "int", 3)

# Every operator of the expression language, tensor with tensor, tensor with scalar and scalar with tensor.
EXPRESSIONS = (
    op("VectorAdd", "z = x + y", ["x", "y"]),
    op("Arithmetic", "z = (x - y) * x + x / y", ["x", "y"]),
    op("Extremes", "lo = minimum(x, y)\nhi = maximum(x, y)", ["x", "y"]),
    op("Unary", "z = exp(-abs(x))", ["x"]),
    op("SiluMul", "z = silu(x) * y", ["x", "y"]),
    op("Sigmoid", "z = sigmoid(x)", ["x"]),
    op("Rectified", "z = relu(x) + 1.0\nw = leaky_relu(x - 0.5, alpha)", ["x"], [ALPHA]),
    op("Gelu", "z = gelu_tanh(x)", ["x"]),
    op("Literals", "z = 3.0 - x / 10.0 + 0.1 / x - (x - 0.5) * 2.0", ["x"]),
    op("Bounds", "z = maximum(minimum(x, alpha), -2.0) + count", ["x"], [ALPHA, COUNT]),
    op(
        "Scalars", "z = alpha * x + (alpha - count) / y * exp(alpha)\nw = count / x - alpha", ["x", "y"], [ALPHA, COUNT]
    ),
    op("Shared", "u = x + y\nv = u * 1.0 + 0.0\nw = u", ["x", "y"]),
    op("Deep", "z = (a + b) * (c - d) / (maximum(a, c) + 9.0) - silu(b * d) * sigmoid(a - d)", ["a", "b", "c", "d"]),
    op("Nine", "z = a + b + c + d + e", ["a", "b", "c", "d", "e"]),
    # Tensors called like locals, members and temporaries of the kernel, in an expression that needs temporaries.
    op(
        "Clash",
        "z = (sigmoid(op) + silu(op)) * (exp(op) - op) + tmp_local0 / (tile - 9.0) + pipe * tiling_data",
        ["op", "tmp_local0", "tile", "pipe", "tiling_data"],
    ),
    op("OnlyFloat", "z = x * y + x", ["x", "y"], dtypes=["float32"]),
    op("Roots", "z = sqrt(abs(x)) + rsqrt(abs(x) + 1.0)\nw = reciprocal(x)\nv = log(abs(x))", ["x"]),
    op("Curves", "z = tanh(x)\nw = erf(x)", ["x"]),
    op("GeluErf", "z = gelu(x)", ["x"]),
    op("Logarithms", "z = log1p(x)\nw = log2(x)", ["x"]),
    op("Exponentials", "z = expm1(x)\nw = exp2(x)", ["x"]),
    op("Waves", "z = sin(x)\nw = cos(x)", ["x"]),
    op("Inverses", "z = asin(x)\nw = acos(x)\nv = atan(x)\nu = erfinv(x)\ns = logit(x)", ["x"]),
    op("Hyperbolic", "z = sinh(x)\nw = cosh(x)\nv = asinh(x)\nu = acosh(x)\ns = atanh(x)", ["x"]),
    op("Tails", "z = erfc(x)\nw = tan(x)\nv = sinc(x)\nu = log10(x)", ["x"]),
    op(
        "Pairs",
        "z = atan2(x, y)\nw = hypot(x, y)\nv = copysign(x, y)\nu = logaddexp(x, y)\ns = lerp(x, y, alpha)",
        ["x", "y"],
        [ALPHA],
    ),
    op("Rounded", "z = floor(x) * 4 + ceil(x / 3)\nw = trunc(x * 0.7) - frac(x)\nv = round(x)", ["x"]),
    op("Smooth", "z = softplus(x)\nw = mish(x)\nv = logsigmoid(x)", ["x"]),
    op("Softplus", "z = softplus(x)", ["x"]),
    op("LogSigmoid", "z = logsigmoid(x)", ["x"]),
    op("Elu", "z = elu(x, 0.7)", ["x"]),
    op("Declines", "z = expm1(-abs(x))", ["x"]),
    op("Units", "z = elu(x, 0.7)\nw = selu(x)\nv = celu(x, alpha)", ["x"], [ALPHA]),
    op("Hard", "z = hardswish(x) + relu6(x)\nw = hardshrink(x) - softshrink(x, alpha)", ["x"], [ALPHA]),
    op(
        "Joined",
        "z = where(-1 < x <= y and not isnan(y) or isinf(x), x, -2.0)\nw = where(alpha > count, x, y)",
        ["x", "y"],
        [ALPHA, COUNT],
    ),
    op("Powers", "z = x ** 3 - abs(x) ** 2.5\nw = x ** count", ["x"], [COUNT]),
    op("PowerOf", "z = x ** y\nw = 2.0 ** (y - x)", ["x", "y"]),
    op(
        "Chosen",
        "z = where(x > y, x, -1.0) + where(x <= alpha, 2.0, y)\nw = where(x == y, 1.0, where(0.5 < y, y, x))",
        ["x", "y"],
        [ALPHA],
    ),
    op("Clamped", "z = clamp(x, -1.0, y) + clamp(y, alpha - 3.0, alpha)", ["x", "y"], [ALPHA]),
)


def _loaded(*names: str) -> list[Node]:
    nodes = []
    for name in names:
        nodes.append(Node(len(nodes), "input", (), "storage", name))
        nodes.append(Node(len(nodes), "cast", (len(nodes) - 1,)))
    return nodes


def _stored(nodes: list[Node], **results: int) -> Graph:
    outputs = []
    for name, node in results.items():
        nodes.append(Node(len(nodes), "cast", (node,), "storage"))
        outputs.append(Output(name, len(nodes) - 1))
    return Graph(tuple(nodes), tuple(outputs))


def _compared() -> tuple[OpSpec, Graph]:
    """All comparisons, with a tensor and with a scalar on either side: they occur in derivatives alone."""
    nodes = _loaded("x", "y")
    nodes.append(Node(4, "const", value=0.5, scalar=True))
    total = None
    for weight, (name, operands) in enumerate((n, o) for n in COMPARE for o in ((1, 3), (1, 4), (4, 3))):
        nodes.append(Node(len(nodes), name, operands))
        nodes.append(Node(len(nodes), "const", value=float(2**weight % 97), scalar=True))
        nodes.append(Node(len(nodes), "mul", (len(nodes) - 2, len(nodes) - 1)))
        if total is not None:
            nodes.append(Node(len(nodes), "add", (total, len(nodes) - 1)))
        total = len(nodes) - 1
    nodes.append(Node(len(nodes), "sign", (1,)))
    return op("Compared", "z = 0\ns = 0", ["x", "y"]), _stored(nodes, z=total or 0, s=len(nodes) - 1)


def _forwarded() -> tuple[OpSpec, Graph]:
    """An output that is an input, one that is a number, and an input that nothing reads."""
    nodes = [*_loaded("x"), Node(2, "attr", name="alpha", scalar=True)]
    return op("Forwarded", "same = x\nfilled = alpha", ["x", "unread"], [ALPHA]), _stored(nodes, same=1, filled=2)


@pytest.fixture(scope="session")
def ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """The project; kernels are compiled when they are first run."""
    made = (_compared(), _forwarded())
    graphs = {spec.type: graph for spec, graph in made}
    return generate(tmp_path_factory.mktemp("ops"), toolkit_root, [*EXPRESSIONS, *(s for s, _ in made)], graphs)


@pytest.fixture(scope="session")
def matmul_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops with matrix products."""
    return generate(tmp_path_factory.mktemp("products"), toolkit_root, PRODUCTS)


@pytest.fixture(scope="session")
def biased_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Products with a bias."""
    return generate(tmp_path_factory.mktemp("biased"), toolkit_root, BIASED)


@pytest.fixture(scope="session")
def shared_sum_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Products whose cores may share sums."""
    return generate(tmp_path_factory.mktemp("shared-sums"), toolkit_root, SHARED_SUMS)


@pytest.fixture(scope="session")
def fused_sum_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Products whose cores may share sums, and an epilogue."""
    return generate(tmp_path_factory.mktemp("fused-sums"), toolkit_root, FUSED_SUMS)


@pytest.fixture(scope="session")
def product_row_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops with rows of matrix products."""
    return generate(tmp_path_factory.mktemp("product-rows"), toolkit_root, PRODUCT_ROWS)


@pytest.fixture(scope="session")
def typed_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops of every storage type and every kind of signature."""
    return generate(tmp_path_factory.mktemp("typed"), toolkit_root, TYPED)


@pytest.fixture(scope="session")
def integer_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops on integers of every width."""
    return generate(tmp_path_factory.mktemp("integer"), toolkit_root, INTEGERS)


@pytest.fixture(scope="session")
def row_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops with reductions, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("rows"), toolkit_root, ROWS)


@pytest.fixture(scope="session")
def row_input_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops with inputs that have one element for each row, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("row_inputs"), toolkit_root, ROW_INPUTS)


@pytest.fixture(scope="session")
def summing_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Norms and the kernels of their gradients, which sum those of the weights."""
    some = [op for op in ROWS if op.type in ("RmsNorm", "LayerNorm", "AddRmsNorm")]
    return with_gradients(tmp_path_factory.mktemp("summing"), toolkit_root, some)


@pytest.fixture(scope="session")
def multiplied_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops with products of rows, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("multiplied"), toolkit_root, MULTIPLIED)


@pytest.fixture(scope="session")
def index_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops that number the elements of a row, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("indices"), toolkit_root, INDEXED)


@pytest.fixture(scope="session")
def index_axis_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops with the number of an extreme along other dimensions, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("index-axes"), toolkit_root, [each.op for each in INDEX_AXES])


@pytest.fixture(scope="session")
def some_index_axis_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """One of them."""
    return generate(tmp_path_factory.mktemp("index-axes"), toolkit_root, [INDEX_AXES[0].op])


@pytest.fixture(scope="session")
def total_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops that reduce the values of all rows, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("totals"), toolkit_root, TOTALS)


@pytest.fixture(scope="session")
def language_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops of functions of rows with cases of their own, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("language"), toolkit_root, LANGUAGE)


@pytest.fixture(scope="session")
def remainder_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops of remainders."""
    return with_gradients(tmp_path_factory.mktemp("remainders"), toolkit_root, REMAINDERS)


@pytest.fixture(scope="session")
def text_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops that choose by a text."""
    return with_gradients(tmp_path_factory.mktemp("texts"), toolkit_root, (*TEXTS, *LISTED))


@pytest.fixture(scope="session")
def axis_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops with reductions over other dimensions than the last one, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("axes"), toolkit_root, AXES)


@pytest.fixture(scope="session")
def some_axis_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """One op along tiles and one across."""
    some = [op for op in AXES if op.type in ("Moments", "SoftmaxAcross")]
    return with_gradients(tmp_path_factory.mktemp("axes"), toolkit_root, some)


@pytest.fixture(scope="session")
def attribute_axis_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops that reduce the dimension that an attribute gives, and the kernels of their gradients."""
    return with_gradients(tmp_path_factory.mktemp("attribute-axes"), toolkit_root, ATTRIBUTE_AXES)


@pytest.fixture(scope="session")
def some_attribute_axis_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """One of them."""
    return with_gradients(tmp_path_factory.mktemp("attribute-axes"), toolkit_root, ATTRIBUTE_AXES[:1])


@pytest.fixture(scope="session")
def spread_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """Ops of each layout of rows but the last dimension."""
    names = ("MeanOfAll", "BatchNorm", "NormAcross")
    return generate(tmp_path_factory.mktemp("spread"), toolkit_root, [o for o in AXES if o.type in names])


def with_gradients(folder: Path, toolkit_root: Path, ops: Sequence[OpSpec]) -> GeneratedOps:
    """Ops and the kernels of their gradients, in one project."""
    graphs = {spec.type: graph_of(spec) for spec in ops}
    specs = list(ops)
    for spec in ops:
        backward = backward_of(spec, graphs[spec.type])
        if backward is not None and backward.kernel is not None and backward.graph is not None:
            specs.append(backward.kernel)
            graphs[backward.kernel.type] = backward.graph
    return generate(folder, toolkit_root, specs, graphs)


@pytest.fixture(scope="session")
def gradient_ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    """The kernels of the gradients of ops with every kind of input."""
    found = [(spec, graph_of(spec)) for spec in (*EXPRESSIONS, *TYPED) if spec.type in GRADIENTS]
    parts = [backward_of(spec, graph) for spec, graph in found]
    kernels = {p.kernel: p.graph for p in parts if p is not None and p.kernel is not None and p.graph is not None}
    graphs = {spec.type: graph for spec, graph in kernels.items()}
    return generate(tmp_path_factory.mktemp("gradients"), toolkit_root, list(kernels), graphs)
