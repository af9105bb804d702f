"""Forms hold no logic and contexts no lines of code; every form and every field of a context is used."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from tests.house_rules.repository import PACKAGE, TEMPLATES, forms, modules, show, text_of

# What a form is made of: text, slots, `for`, `if flag`. Everything else is logic and belongs to the context's maker.
FORM_NODES = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Getattr,
    nodes.For,
    nodes.If,
    nodes.Not,
    nodes.Operand,  # of a comparison, which is found itself
)
FORM_FILTERS = {"wrap", "comment"}


def logic_in(form: str) -> list[str]:
    """What of a form's text is more than slots, loops over a name and plain flags."""
    findings = []
    tree = Environment(autoescape=False).parse(form)  # noqa: S701  (forms are source code)
    for node in tree.find_all(nodes.Node):
        if isinstance(node, nodes.Filter):
            if node.name not in FORM_FILTERS:
                findings.append(f"line {node.lineno}: filter {node.name}")
        elif isinstance(node, (nodes.Const, nodes.Keyword)):
            continue  # arguments of an allowed filter; anywhere else their parent is found
        elif not isinstance(node, FORM_NODES):
            findings.append(f"line {node.lineno}: {type(node).__name__}")
        elif isinstance(node, nodes.Not) and not isinstance(node.node, (nodes.Name, nodes.Getattr)):
            findings.append(f"line {node.lineno}: Not of more than a flag")
    return findings


@pytest.mark.parametrize("form", forms(), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_a_form_holds_no_logic(form: Path) -> None:
    assert logic_in(text_of(form)) == []


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("{{ a.b }}{% for x in xs %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}", []),
        ("f({{ items | wrap }});", []),
        ("{{ text | indent(4) }}", ["line 1: filter indent"]),
        ("{% if a == b %}{% endif %}", ["line 1: Compare"]),
        ("{{ f(x) }}", ["line 1: Call"]),
        ("{{ x | upper }}", ["line 1: filter upper"]),
        ("{% set x = y %}", ["line 1: Assign"]),
        ("{{ a + b }}", ["line 1: Add"]),
        ("{% if a and b %}{% endif %}", ["line 1: And"]),
        ("{% macro m() %}{% endmacro %}", ["line 1: Macro"]),
    ],
)
def test_logic_in_a_form_is_found(form: str, found: list[str]) -> None:
    assert logic_in(form) == found


# A string of Python that is a line of generated code: a statement or the head of a block in C++, a statement in Python,
# a list that is to be laid out, several lines. Values of an f-string are @.
CODE_LINE = re.compile(
    r"""
    ; \s* $ | [)\w@] \s \{ \s* $
  | ^ \s* (?:return|raise|def|class|template|using)\b \s+ \S
  | ^ \s* from \s \S+ \s import \s \S
  | ^ \s* (?:if|for|while|with|else)\b .* :$
  | ^ \s* (?:[\w@:<>&*]+ \s)* [\w@.\[\]>-]+ (?: , \s [\w@.]+)* \s [-+|]?= \s (?! (?:None|True|False|@)$ ) \S
  | =\s? [{(\[] $
  | [;{}(),:\]@] \n [ ]* \S
    """,
    re.VERBOSE,
)
# The modules that print code: the layout of lists and of statements.
PRINTERS = {"render/layout.py", "render/torch/statements.py"}
# Those that write English, with line breaks, formulas and samples of code.
PROSE = {
    "render/readme.py",
    "kinds/products/description.py",  # what `opforge inspect plan` prints
}


def strings_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The strings of a module with their lines, an f-string as one text; without docstrings."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        ):
            left_out.add(node.body[0].value)
        elif isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
            left_out.update(
                each.format_spec for each in node.values if isinstance(each, ast.FormattedValue) and each.format_spec
            )
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (str(each.value) if isinstance(each, ast.Constant) else "@" for each in node.values)
            yield node.lineno, "".join(parts)


def code_lines(text: str) -> list[str]:
    """The lines of code in the strings of a module, each with its place."""
    return [f"{line}: {found!r}" for line, found in strings_in(ast.parse(text)) if CODE_LINE.search(found)]


def test_lines_of_code_stand_in_forms() -> None:
    known = {str(path.relative_to(PACKAGE)) for path in modules()}
    assert known >= PRINTERS | PROSE
    findings = [
        f"{name}:{found}"
        for name in sorted(known - PRINTERS - PROSE)
        if name.startswith(("render/", "kinds/"))
        for found in code_lines(text_of(PACKAGE / name))
    ]
    assert not findings, show(findings)


@pytest.mark.parametrize("name", sorted(PRINTERS | PROSE))
def test_a_module_with_lines_of_code_needs_its_exception(name: str) -> None:
    assert code_lines(text_of(PACKAGE / name))


@pytest.mark.parametrize(
    "line",
    [
        '"context->SetBlockDim(n);"',
        'f"const size_t {name} = {value};"',
        'f"inline std::string {name}({parameters}) {{"',
        'f"return {value}"',
        'f"from {module} import {name}"',
        'f"if {name} is not None:"',
        'f"ctx.{name} = {name}.shape"',
        'f"{name}, {other} = torch.split({x})"',
        '"inputs={"',
        'f"at::Tensor {name};\\n    {name} = x;"',
        'fill("f(", items, ");")',
    ],
)
def test_a_line_of_code_in_a_string_is_found(line: str) -> None:
    assert code_lines(f'"""A module."""\n\nLINES = [{line}]\n')


@pytest.mark.parametrize(
    "text",
    [
        'f"const {kind}& {name}"',
        'f"{place}.empty() ? 0 : 1"',
        'f"{name}: int = {value}"',
        '"the shapes; they broadcast"',
    ],
)
def test_an_expression_in_a_string_is_no_line_of_code(text: str) -> None:
    assert not code_lines(f"TEXT = {text}\n")


SAMPLES = (
    """\
edition: 1
project: {name: vector_add, package: vector_add, vendor: vector_add, version: 0.1.0, soc: [ascend910b]}
ops:
  VectorAdd:
    inputs: {x: {dtype: [float16, bfloat16, float32]}, y: {}}
    compute: z = x + y
    reference: golden:added
""",
    """\
edition: 1
project: {name: two, package: two, vendor: two, version: 0.1.0, soc: [ascend910b, ascend910_93], license: MIT}
ops:
  TwoWays:
    doc: A sum and a gated product.
    inputs: {x: {dtype: [float32]}, y: {}}
    attrs: {beta: {type: int}, alpha: {type: float, default: 1.5}}
    outputs: {s: {}, p: {}}
    compute: |
      s = exp(alpha) * x + y
      p = silu(x) * min(y, beta)
  Wrapped:
    inputs: {x: {dtype: [int8, int16]}, y: {}}
    compute: z = where(x > y, x * y, x - 1)
  Forward:
    inputs: {x: {dtype: [bfloat16]}}
    compute: y = exp(-abs(x))
    backward: false
""",
    """\
edition: 1
project: {name: coupled, package: coupled, vendor: coupled, version: 0.1.0, soc: [ascend910b, ascend310p]}
ops:
  Gate:
    inputs: {x: {dtype: [float16, float32]}, y: {}}
    compute: z = silu(x) * y
""",
    """\
edition: 1
project: {name: products, package: products, vendor: products, version: 0.1.0, soc: [ascend910b]}
ops:
  Gated:
    inputs:
      x: {dtype: [float16], shape: ["...", K]}
      w: {shape: [K, N]}
      v: {shape: [K, N]}
      bias: {shape: [N], optional: true}
    attrs: {alpha: {type: float, default: 1.5}}
    compute: y = silu(x @ w + where(present(bias), bias, 0.0)) * (x @ v) * alpha
    reference: golden:gated
  Plain:
    inputs: {x: {dtype: [float16], shape: ["...", K]}, w: {shape: [K, N]}}
    compute: y = x @ w
  Biased:
    inputs:
      x: {dtype: [bfloat16], shape: ["...", K]}
      w: {shape: [K, N]}
      bias: {shape: [N], optional: true}
    compute: y = x @ w + where(present(bias), bias, 0.0)
  Shared:
    inputs: {x: {dtype: [float16], shape: ["...", K]}, w: {shape: [K, N]}}
    batch_invariant: false
    compute: y = x @ w
  SharedGate:
    inputs: {x: {dtype: [float16], shape: ["...", K]}, w: {shape: [K, N]}}
    batch_invariant: false
    compute: y = silu(x @ w)
""",
    """\
edition: 1
project: {name: kinds, package: kinds, vendor: kinds, version: 0.1.0, soc: [ascend910b]}
ops:
  Kinds:
    inputs:
      m: {dtype: [bool], shape: ["...", H]}
      x: {dtype: [float16], shape: ["...", H]}
      bias: {dtype: [float16], shape: [H], optional: true}
      gain: {dtype: [float32], scalar: true}
    compute: y = where(m, gelu(x), where(present(bias), bias, 0.0)) * gain
  Into:
    inputs: {x: {dtype: [float16]}, y: {}}
    outputs: {z: {inplace: x}}
    compute: z = x + y
  ByHand:
    inputs: {x: {dtype: [float32]}}
    outputs: {y: {shape: ["..."]}}
    reference: golden:by_hand
""",
    """\
edition: 1
project: {name: norms, package: norms, vendor: norms, version: 0.1.0, soc: [ascend910b]}
ops:
  AddNorm:
    inputs:
      x: {dtype: [float16], shape: ["...", H]}
      gamma: {shape: [H]}
      beta: {shape: [H], optional: true}
    attrs: {eps: {type: float, default: 1.0e-6}}
    outputs: {y: {}, mean: {dtype: [float32]}}
    compute: |
      mean = mean(x, -1, keepdim=True)
      y = rms_norm(x - mean, gamma, eps) + where(mean > 0.5, tanh(x), where(present(beta), beta, 0.0))
  Largest:
    inputs: {x: {dtype: [int8], shape: ["...", H]}, m: {dtype: [bool], shape: ["...", H]}}
    compute: y = cast(amax(where(m, cast(x, float32), 0.0), -1), int8)
    backward: false
  ProductOfRows:
    inputs: {x: {dtype: [float16], shape: ["...", H]}}
    compute: y = prod(x, -1)
  OverDim:
    inputs: {x: {dtype: [float32]}}
    attrs: {dim: {type: int, default: -1}}
    compute: y = softmax(x, dim)
  MeanOver:
    inputs: {x: {dtype: [float32]}, w: {}}
    attrs: {dim: {type: int, default: -1}}
    compute: y = mean(x * w, dim)
  OverFirst:
    inputs: {x: {dtype: [float32]}}
    compute: y = softmax(x, 0)
  ClassLoss:
    inputs: {x: {dtype: [float16], shape: ["...", C]}, t: {dtype: [int64], shape: ["..."]}}
    compute: y = cross_entropy(x, t, reduction="none")
  MeanDistance:
    inputs: {x: {dtype: [float16], shape: ["...", H]}, y: {shape: ["...", H], optional: true}}
    attrs: {scale: {type: float, default: 0.5}, power: {type: float, default: 2.0}}
    compute: loss = mean(sum(abs(x - where(present(y), y, 0.0)) ** power, -1)) * scale
  ProductNorm:
    inputs: {x: {dtype: [float16], shape: ["...", K]}, w: {shape: [K, N]}, gamma: {shape: [N], optional: true}}
    attrs: {eps: {type: float, default: 1.0e-6}}
    compute: |
      root = rsqrt(mean((x @ w) * (x @ w), -1, keepdim=True) + eps)
      y, rstd = x @ w * root * where(present(gamma), gamma, 1.0), root
  ProductSoftmax:
    inputs: {x: {dtype: [float16], shape: ["...", K]}, w: {shape: [K, N]}}
    compute: y = softmax(x @ w, -1)
    backward: false
""",
)


# For each pattern of handwritten ops: inputs, and shapes that differ from the pattern's own.
PATTERN_SAMPLES = {
    "elementwise": (("x", "y"), ()),
    "rows": (("x",), ("y=[...]",)),
    "gather": (("table", "index"), ()),
    "matmul": (("a", "b"), ()),
}


# Lists as results, which an export does not have.
LISTS = """\
edition: 1
project: {name: lists, package: lists, vendor: lists, version: 0.1.0, soc: [ascend910b]}
ops:
  Each:
    inputs: {xs: {shape: ["...xs"], dtype: [float32], dynamic: true}, v: {shape: ["...v"], dynamic: true}}
    outputs: {ys: {shape: ["...xs"], dynamic: true}, r: {inplace: v}}
    sources: [op_host/each.cpp, op_kernel/each.cpp]
  OneList:
    inputs: {xs: {shape: ["...xs"], dtype: [float32], dynamic: true}}
    outputs: {ys: {shape: ["...xs"], dynamic: true}}
    sources: [op_host/each.cpp, op_kernel/each.cpp]
  Parted:
    inputs: {x: {shape: [N], dtype: [float32]}, times: {shape: [K], dtype: [int64], value_depend: required}}
    attrs: {sizes: {type: list_int}, count: {type: int}}
    outputs: {ys: {shape: handwritten, dynamic: true}, zs: {shape: [N], dynamic: count}, z: {shape: [N]}}
    reference: golden:parted
  Shaped:
    inputs: {x: {shape: [N], dtype: [float32]}}
    outputs: {y: {shape: handwritten}}
    reference: golden:shaped
  InBlocks:
    inputs: {w: {shape: [K, N], dtype: [float16], format: [FRACTAL_NZ]}}
    outputs: {y: {shape: [K, N]}}
    sources: [op_host/each.cpp, op_kernel/each.cpp]
"""

HAVE_CONTEXTS = ("opforge.render.", "opforge.kinds.")  # modules with contexts of forms


@pytest.fixture(scope="module")
def fillings() -> dict[str, list[object]]:
    """Every form that rendering and exporting SAMPLES fills, with the contexts it is filled with."""
    from opforge.kinds import derive, kernel_of
    from opforge.render import cann_project, project
    from opforge.render.ascendc import tuned_plans
    from opforge.render.forms import render_form
    from opforge.render.torch.op_plugin import render_op_plugin
    from opforge.soc import SOCS
    from opforge.spec.combinations import combinations
    from opforge.spec.read.command_line import OpOptions, op_from_options
    from opforge.spec.read.parse import parse_spec

    filled: dict[str, list[object]] = defaultdict(list)

    def record(name: str, context: object) -> str:
        filled[name].append(context)
        return render_form(name, context)  # type: ignore[type-var]

    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith(HAVE_CONTEXTS) and getattr(module, "render_form", None) is render_form:
                patch.setattr(module, "render_form", record)
        for text in SAMPLES:
            spec = parse_spec(text, None)
            program = derive(spec)
            project.render_project(program)
            project.render_project(program.in_project(lambda _: "of an older opforge"))
            render_op_plugin(program, "npu_")
            cann_project.cann_files(spec, ["Op"], ["op_kernel/shared"], "CANN", copied=True)
            for kernel in program.kernels:
                kernel.trial_files(combinations(kernel.op)[0])
        tuned_plans.tuned_header((tuned_plans.TunedEntry("", "Op", 0, 48, "{{1, 1, 8}}", "{1, 0, 0, 0}"),))
        cann_project.cmake_files_8()
        project.render_project(derive(parse_spec(LISTS, None)))
        for pattern, (inputs, shapes) in PATTERN_SAMPLES.items():
            op = op_from_options(OpOptions("MyOp", inputs, pattern=pattern, shapes=shapes))
            kernel_of(op, (SOCS["ascend910b"],), None).pattern_files(pattern, "my_op")
    return filled


def contexts(value: object) -> Iterator[object]:
    """A context and every context inside it: the dataclasses of opforge.render."""
    if is_dataclass(value):
        if type(value).__module__.startswith(HAVE_CONTEXTS):
            yield value
        for field in fields(value):
            yield from contexts(getattr(value, field.name))
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from contexts(item)


@cache
def names_in(form: str) -> set[str]:
    """Every name and attribute that a form uses; not to be changed."""
    tree = Environment(autoescape=False).parse(text_of(TEMPLATES / form))  # noqa: S701
    used = {node.name for node in tree.find_all(nodes.Name)}
    return used | {node.attr for node in tree.find_all(nodes.Getattr)}


def test_every_form_is_filled_by_some_project(fillings: dict[str, list[object]]) -> None:
    unused = {str(form.relative_to(TEMPLATES)) for form in forms()} - set(fillings)
    assert not unused


def test_every_field_of_a_context_is_used_by_a_form(fillings: dict[str, list[object]]) -> None:
    used: dict[type, set[str]] = defaultdict(set)
    for form, filled in fillings.items():
        for context in filled:
            for part in contexts(context):
                used[type(part)] |= names_in(form)
    trees = [ast.parse(text_of(path)) for room in ("render", "kinds") for path in (PACKAGE / room).rglob("*.py")]
    read = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    unused = [
        f"{context.__module__}.{context.__name__}.{field.name}"
        for context, names in used.items()
        for field in fields(context)
        if field.name not in names | read  # a value inside a context may have fields for its maker alone
    ]
    assert not unused, show(unused)
