"""Projects for the tests of the torch side: rendered from YAML, with the adapter compiled once per content."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from opforge.fileset import FileSet
from opforge.kinds import derive
from opforge.render.torch import render_torch
from opforge.spec.model import Spec
from opforge.spec.read.parse import parse_spec
from tests.kept import kept

ROOT = Path(__file__).parents[3]
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))

VECTOR_ADD = """\
edition: 1
project: {name: vector_add, package: vector_add, vendor: vector_add, version: 0.1.0, soc: [ascend910b, ascend910_93]}
ops:
  VectorAdd:
    doc: Element-wise sum of two tensors.
    inputs:
      x: {shape: [...], dtype: [float16, bfloat16, float32]}
      y: {shape: [...]}
    compute: z = x + y
"""

# Two outputs, attributes of two types, a number in an extreme and as a divisor, text that must be escaped.
GATED_PAIR = """\
edition: 1
project: {name: pair, package: pair_ops, vendor: pair_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  GatedPair:
    doc: A gate, and what "passes" it; no back\\slash is lost.
    inputs:
      x:    {shape: [...], dtype: [float16, bfloat16, float32]}
      gate: {shape: [...]}
    attrs:
      alpha: {type: float, default: 1.0}
      beta: {type: int, default: 2}
    outputs:
      y: {shape: [...]}
      larger: {shape: [...]}
    compute: |
      act = silu(gate) * alpha
      y = act * x
      larger = max(x, beta) / (1.0 + exp(alpha))
"""

# Each operator, with tensors and numbers on either side; shared values, long ones, awkward names, no derivative.
GATE_OPS = """\
edition: 1
project: {name: gates, package: gate_ops, vendor: gate_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  VectorAdd:
    inputs:
      x: {shape: [...], dtype: [float16, bfloat16, float32]}
      y: {shape: [...]}
    compute: z = x + y
  GatedPair:
    inputs:
      x:    {shape: [...], dtype: [float16, bfloat16, float32]}
      gate: {shape: [...]}
    attrs:
      alpha: {type: float, default: 1.0}
      beta: {type: int, default: 2}
    outputs:
      y: {shape: [...]}
      larger: {shape: [...]}
    compute: |
      act = silu(gate) * alpha
      y = act * x
      larger = max(x, beta) / (1.0 + exp(alpha))
  Arithmetic:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
      y: {shape: [...]}
      w: {shape: [...]}
    compute: z = (x - (y - w)) * -x / (w / y) - (3.0 - x) / 2.0
  Extremes:
    inputs:
      x: {shape: [...], dtype: [float32]}
      y: {shape: [...]}
    outputs:
      lo: {shape: [...]}
      hi: {shape: [...]}
      clipped: {shape: [...]}
    compute: |
      lo = min(x, y)
      hi = max(x, y)
      clipped = max(min(x, 1.5), -1.5)
  Shared:
    inputs:
      x: {shape: [...], dtype: [float32, bfloat16]}
    outputs:
      u: {shape: [...]}
      v: {shape: [...]}
    compute: |
      u = exp(-abs(x)) + sigmoid(x)
      v = u
  Scalars:
    inputs:
      wide: {shape: [...], dtype: [float32]}
      shape: {shape: [...]}
    attrs:
      dtype: {type: float}
      t9: {type: int}
    outputs:
      t8: {shape: [...]}
    compute: |
      number = (dtype - t9) / dtype * exp(dtype) + silu(dtype) - sigmoid(dtype) + abs(-dtype)
      t8 = wide * number / (min(dtype, t9) + max(dtype, 4.0)) + shape / (dtype + dtype)
  OneWay:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
    compute: y = x * x
    backward: false
  Smooth:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
      y: {shape: [...]}
    attrs:
      scale: {type: float, default: 1.0}
    compute: |
      angle = atan2(asinh(x), clamp_min(hypot(x, y), 0.5)) - logit(sigmoid(x), 0.25) * log10(abs(y) + 1)
      kept = where(signbit(x), lerp(x, y, 0.25), nan_to_num(y, posinf=9, neginf=-9))
      inner = softplus(x * 2, beta=scale) * mish(y) + angle * kept
      z = where(-1 < x and not isnan(y), hardswish(inner), elu(x)) + expm1(-abs(y)) * round(x)
  LongNames:
    inputs:
      first_input_tensor: {shape: [...], dtype: [float32]}
      second_input_tensor: {shape: [...]}
      third_input_tensor: {shape: [...]}
      fourth_input_tensor: {shape: [...]}
      fifth_input_tensor: {shape: [...]}
    attrs:
      some_long_attribute_name: {type: float, default: 0.1}
      text: {type: str, default: 'say "so"'}
      flag: {type: bool, default: true}
    compute: \
 y = (first_input_tensor * second_input_tensor + third_input_tensor * some_long_attribute_name) \
* (fourth_input_tensor - fifth_input_tensor) / (exp(first_input_tensor) + exp(fifth_input_tensor))
"""

# Results made of all rows, whose backward ATen begins: classes, weights, numbers, texts, integers, masks, extremes.
LOSS_OPS = """\
edition: 2
project: {name: losses, package: loss_ops, vendor: loss_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  MeanLoss:
    inputs:
      x: {shape: [..., C], dtype: [float32, float16]}
      target: {shape: [...], dtype: [int64]}
    compute: loss = cross_entropy(x, target)
  WeightedLoss:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      target: {shape: [..., 1], dtype: [int64]}
      w: {shape: [C]}
    attrs:
      ignored: {type: int, default: 2}
    compute: loss = cross_entropy(x, target, w, ignore_index=ignored)
  Range:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      y: {shape: [..., C]}
    compute: v = amax(sum(x * y, -1)) - amin(x)
  Spread:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      y: {shape: [..., C]}
    compute: v = sqrt(sum(sum(x * x, -1)) + exp(mean(y)))
  Choice:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      w: {shape: [C], optional: true}
      alpha: {shape: [], scalar: true}
    attrs:
      mode: {type: str, default: mean}
      power: {type: float, default: 2.0}
      steps: {type: list_int, default: [3, 2]}
    compute: |
      rows = sum(abs(x) ** power * steps[1] * where(present(w), w, 0.5) * alpha, -1)
      v = sqrt(mean(rows)) * (power if mode == "mean" else 2.0) ** 3
  Integers:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      k: {shape: [..., C], dtype: [int8, int32]}
      t: {shape: [..., 1], dtype: [int32]}
      m: {shape: [..., C], dtype: [bool]}
    attrs:
      n: {type: int, default: 3}
      flag: {type: bool, default: true}
    compute: |
      some = where(k * 200 > n and m, x * x, t.float())
      v = sqrt(mean(sum(some, -1)) + exp(n) / n * max(n, 2) + (1.0 if flag else 2.0))
  Shifted:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      y: {shape: [C]}
      z: {shape: [..., 1]}
    compute: v = mean(sum(x + y * 3 - z, -1))
  Direct:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      y: {shape: [C]}
    compute: v = sum(sum(x + y, -1))
  ScaledRows:
    inputs:
      x: {shape: [..., C], dtype: [float32, float16]}
      r: {shape: [..., 1]}
    outputs: {y: {}, rstd: {dtype: [float32, float32]}}
    compute: |
      rstd = rsqrt(mean(x * x, -1) + 0.5)
      y = x * rsqrt(mean(x * x, -1, keepdim=True) + 0.5) * r
  RowsAlone:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      r: {shape: [..., 1]}
    compute: v = sum(x, -1, keepdim=True) * r + tanh(r)
  RowsWeighted:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      r: {shape: [...]}
    compute: v = sum(x * x, -1) * r + tanh(r)
  RowSums:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      y: {shape: [..., 1]}
    compute: v = sum(x + y, -1)
  MomentsOver:
    inputs:
      x: {shape: [...], dtype: [float32]}
      w: {shape: [...]}
    attrs:
      dim: {type: int, default: -1}
    outputs: {m: {}, v: {}, d: {}}
    compute: |
      m = mean(x, dim, keepdim=True)
      v = var(x, dim, 0)
      d = (x - m) * w
  MeanProductOver:
    inputs:
      x: {shape: [...], dtype: [float32]}
      w: {shape: [...]}
    attrs:
      dim: {type: int, default: 0}
    compute: v = mean(x * w, dim)
  Weighted:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
    attrs:
      weights: {type: list_float, default: [1.5, 2.0]}
    compute: v = mean(sum(x * x, -1)) * weights[1]
  LeastOver:
    inputs:
      x: {shape: [...], dtype: [float32]}
    attrs:
      dim: {type: int, default: -1}
    compute: v, i = min(x, dim)
  LargestPlane:
    inputs:
      x: {shape: [..., A, B, C], dtype: [float32]}
    compute: v, i = max(x, -3, keepdim=True)
  SumOfFirst:
    inputs:
      x: {shape: [...], dtype: [float32]}
    compute: v = sum(x, 0)
  DownProduct:
    inputs:
      x: {shape: [..., A, B], dtype: [float32]}
      w: {shape: [..., A, B]}
    compute: v = sum(x * w, -2)
  Outer:
    inputs:
      x: {shape: [A, 1], dtype: [float32]}
      y: {shape: [1, B]}
    compute: v = sum(x + y, -1)
  TwoMeans:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
    outputs:
      a: {shape: []}
      b: {shape: []}
    compute: |
      rows = logsumexp(x, -1)
      a = mean(rows)
      b = sqrt(sum(rows * rows)) * prod(x, -1).sum()
"""

SWIGLU = """\
edition: 1
project: {name: swiglu, package: swiglu, vendor: swiglu, version: 0.1.0, soc: [ascend910b, ascend910_93]}
ops:
  SwiGLU:
    doc: Gated linear unit with SiLU.
    inputs:
      x:      {shape: [..., H], dtype: [float16, bfloat16, float32]}
      w_gate: {shape: [H, I]}
      w_up:   {shape: [H, I]}
    compute: y = silu(x @ w_gate) * (x @ w_up)
"""

# A derivative without a kernel, an argument that may be None.
LINEAR = """\
edition: 1
project: {name: linear, package: linear, vendor: linear, version: 0.1.0, soc: [ascend910b]}
ops:
  Linear:
    inputs:
      x:      {shape: [..., K], dtype: [float16, float32]}
      weight: {shape: [N, K]}
      bias:   {shape: [N], optional: true}
    compute: y = x @ weight.T + where(present(bias), bias, 0.0)
"""

# All that an op with products can be: operands transposed and shared, one to three products, rows by a symbol, operands
# of the epilogue of every shape and given or not, some reached without a kernel, two outputs, no derivative.
PRODUCT_OPS = """\
edition: 1
project: {name: products, package: product_ops, vendor: product_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  SwiGLU:
    inputs:
      x:      {shape: [..., H], dtype: [float32, float16]}
      w_gate: {shape: [H, I]}
      w_up:   {shape: [H, I]}
    compute: y = silu(x @ w_gate) * (x @ w_up)
  Linear:
    inputs:
      x:      {shape: [..., K], dtype: [float32, bfloat16]}
      weight: {shape: [N, K]}
      bias:   {shape: [N], optional: true}
    compute: y = x @ weight.T + where(present(bias), bias, 0.0)
  MatmulLeakyRelu:
    inputs:
      a:    {shape: [..., K], dtype: [float32]}
      b:    {shape: [K, N]}
      bias: {shape: [N]}
    attrs:
      negative_slope: {type: float, default: 0.01}
    compute: y = leaky_relu(a @ b + bias, negative_slope)
  TwoGates:
    inputs:
      x:       {shape: [..., H], dtype: [float32]}
      w_first: {shape: [H, I]}
      rest:    {shape: [..., I]}
      shift:   {shape: [I], optional: true}
    attrs:
      scale: {type: float}
    outputs:
      y: {shape: [..., I]}
      z: {shape: [..., I]}
    compute: |
      first = x @ w_first
      y = sigmoid(first + where(present(shift), shift, 0.5)) * scale
      z = first + rest
  TurnedLeft:
    inputs:
      x: {shape: [K, M], dtype: [float32, float16]}
      w: {shape: [K, N]}
    compute: y = exp(x.T @ w)
  TurnedBoth:
    inputs:
      x: {shape: [K, M], dtype: [float32]}
      w: {shape: [N, K]}
      v: {shape: [N, K]}
    compute: y = x.T @ w.T - x.T @ v.T
  Square:
    inputs:
      x: {shape: [..., H], dtype: [float32]}
      w: {shape: [H, H]}
      b: {shape: [..., H], optional: true}
    compute: y = silu(x @ w) * where(present(b), b, 1.0)
  Plain:
    inputs:
      a: {shape: [..., K], dtype: [float32]}
      b: {shape: [K, N]}
    compute: y = a @ b
    backward: false
  NormedGates:
    inputs:
      x:      {shape: [..., H], dtype: [float32, float16]}
      w_gate: {shape: [H, I]}
      w_up:   {shape: [H, I]}
      gamma:  {shape: [I], optional: true}
    compute: |
      total = silu(x @ w_gate) * (x @ w_up)
      root = rsqrt(sum(total * total, -1, keepdim=True) + 1.0)
      y, r, total_of_row = total * root * where(present(gamma), gamma, 1.0), root, sum(total, -1)
  ProductNorm:
    inputs:
      x:     {shape: [..., K], dtype: [float32]}
      w:     {shape: [K, N]}
      gamma: {shape: [N]}
    compute: y = rms_norm(x @ w, gamma, 1.0e-6)
  TurnedSum:
    inputs:
      x: {shape: [K, M], dtype: [float32]}
      w: {shape: [N, K]}
    compute: total = sum(x.T @ w.T, -1)
  VectorAdd:
    inputs:
      x: {shape: [...], dtype: [float32]}
      y: {shape: [...]}
    compute: z = x + y
"""

# Every kind of argument that a kernel written by hand can have; golden.py has their references.
KINDS = """\
edition: 1
project: {name: kinds, package: kinds_ops, vendor: kinds_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  Concat:
    inputs:
      xs: {shape: [..., A], dtype: [float32, float16], dynamic: true}
      y: {shape: [..., A]}
    outputs:
      z: {shape: [..., A + 2 * A]}
    reference: golden:concat
  Lists:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
      more: {shape: [...], dynamic: true, optional: true}
      axes: {shape: [N], dtype: [int64], value_depend: required}
      w: {shape: [W], dtype: [float32], value_depend: optional, optional: true}
    attrs:
      k: {type: int, default: 4}
      f: {type: list_float, default: [0.5]}
      i: {type: list_int, default: []}
      b: {type: list_bool, default: [true, false]}
      s: {type: str, default: a}
    outputs:
      y: {shape: [...]}
      n: {shape: [N, k // 2, "max(N, 3)"], dtype: [int32]}
    reference: golden:lists
  Scaled:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
      alpha: {scalar: true}
      betas: {dtype: [float32], scalar: true, dynamic: true}
      c: {scalar: true, optional: true}
    outputs:
      y: {shape: [...]}
    reference: golden:scaled
  AddInto:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
      y: {shape: [...]}
    outputs:
      r: {inplace: x}
      s: {shape: [...]}
    reference: golden:add_into
  Both:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
      y: {shape: [...]}
    outputs:
      r: {inplace: x}
      t: {inplace: y}
    reference: golden:both
  Select:  # the name of a function of C
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
    outputs:
      r: {shape: [...]}
  Mask:
    inputs:
      x: {shape: [...], dtype: [float32, float16]}
      m: {shape: [...], dtype: [bool]}
      q: {shape: [...], dtype: [int8, int32]}
    outputs:
      r: {shape: [...], dtype: [bool]}
      t: {shape: [...], dtype: [int8, float32]}
    reference: golden:mask
  Apart:
    inputs:
      x: {shape: [..., N], dtype: [float32, float16]}
      w: {shape: [...w, 2], dtype: [float32, float16]}
      v: {shape: [...w]}
      each: {shape: [...each], dynamic: true}
    outputs:
      y: {shape: [..., N]}
      u: {shape: [...w, N]}
    reference: golden:apart
  Counted:
    inputs:
      i: {shape: [...], dtype: [int32]}
    attrs:
      step: {type: int, default: 3}
      a_number_with_quite_a_long_name: {type: int, default: 1}
    compute: j = i * step + a_number_with_quite_a_long_name
"""

# Expressions with references beside them; the long one needs its import on two lines.
REFERENCES = """\
edition: 1
project: {name: references, package: reference_ops, vendor: reference_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  Scaled:
    inputs:
      x: {shape: [...], dtype: [float16, float32]}
      y: {shape: [...]}
    compute: z = x * y
    reference: golden:scaled_reference
  Gated:
    inputs:
      x: {shape: [..., K], dtype: [float16, float32]}
      w: {shape: [K, N]}
    compute: y = silu(x @ w)
    reference: golden:the_product_of_many_rows_and_many_columns_gated_by_the_sigmoid_of_itself
"""

GOLDEN = """\
import torch


def concat(xs, y):
    rows = torch.broadcast_shapes(sum(xs).shape[:-1], y.shape[:-1])
    return torch.cat([part.expand(*rows, -1) for part in (sum(xs), y, y)], -1)


def lists(x, more, axes, w, k, f, i, b, s):
    y = x * f[0] + sum(axes)
    for tensor in more or ():
        y = y + tensor
    return y, torch.full((len(axes), k // 2, max(len(axes), 3)), len(i), dtype=torch.int32)


def scaled(x, alpha, betas, c):
    wide = x if x.dtype == torch.float64 else x.float()  # its sums cancel
    return (wide * alpha + sum(betas) + (c or 0)).to(x.dtype)


def add_into(x, y):
    return x + y, x * y


def both(x, y):
    return x + y, x - y


def apart(x, w, v, each):
    total = sum(one.sum() for one in each)
    return x * total, (w.sum(-1) + v)[..., None].expand(*v.shape, x.shape[-1])


def mask(x, m, q):
    return m & (x > 0), q.to({torch.int8: torch.int8, torch.int32: torch.float32}[q.dtype])
"""


def spec_of(text: str) -> Spec:
    return parse_spec(text, None)


def render(spec: Spec) -> FileSet:
    """The torch side of a project."""
    return FileSet.of(*render_torch(derive(spec)))


def write(files: FileSet, folder: Path) -> Path:
    """The files below ``folder``; with those of KINDS and REFERENCES, the references that their authors write."""
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    for package in ("kinds_ops", "reference_ops"):
        if (folder / "python" / package).is_dir():
            (folder / "python" / package / "golden.py").write_text(GOLDEN, encoding="utf-8")
    return folder


def compiled(sources: Sequence[Path], *flags: str) -> Path:
    """A shared library of these sources (headers beside them count), each compiled once for all tests."""
    compiler = shutil.which("g++")
    assert compiler is not None
    strict = ("-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
    options = (*strict, *(flag for flag in flags if not flag.startswith(("-L", "-l", "-Wl,"))))

    def run(*words: str | Path) -> None:
        done = subprocess.run((compiler, *words), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def object_of(source: Path) -> Path:
        texts = [path.read_text(encoding="utf-8") for path in (source, *sorted(source.parent.glob("*.h")))]
        content = [compiler, source.name, texts, options]
        return kept("objects", content, lambda to: run(*options, "-c", source, "-o", to / "made.o")) / "made.o"

    objects = [object_of(source) for source in sources]
    content = [compiler, objects, flags]
    return kept("libraries", content, lambda to: run("-shared", *objects, *flags, "-o", to / "made.so")) / "made.so"


def adapter(project: Path, *more: Path, flags: Sequence[str] = ()) -> Path:
    """The compiled csrc/adapter.cpp, with ``more`` units beside it: it must link torch alone."""
    torch = SITE_PACKAGES / "torch"
    return compiled(
        [project / "csrc" / "adapter.cpp", *more],
        *flags,
        *(f"-isystem{torch / 'include'}", f"-L{torch / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl"),
        "-Wl,--no-undefined",
    )


LIBRARIES = "lib/torch-2.13"


def site(project: Path, spec: Spec, folder: Path, library: Path, **facts: object) -> Path:
    """The Python package as a wheel would install it, without an operator package."""
    package = spec.project.package
    shutil.copytree(project / "python" / package, folder / package)
    libraries = folder / package / LIBRARIES
    libraries.mkdir(parents=True)
    shutil.copy(library, libraries / "libadapter.so")
    build = {"schema": 1, "vendor": spec.project.vendor, "torch": ["2.13.0"], "content_hash": "0"}
    build |= {"toolkit": "simulator", "toolkit_sources": "", "socs": list(spec.project.soc), "files": {}}
    (folder / package / "_build.json").write_text(json.dumps(build | facts), encoding="utf-8")
    return folder
