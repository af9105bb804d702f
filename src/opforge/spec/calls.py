"""Calls with torch's arguments: binds them to parameters, and expands the functions of the prelude.

``y = softplus(x * 2)`` becomes assignments that only opforge sees: one for the argument, one for each line of the
function, one for its result. Therefore each value is computed once, however often the function uses it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from opforge.errors import InternalError
from opforge.spec import class_losses, value_kinds
from opforge.spec.language import DEFINED, DIVISIONS, FLOAT32_MAX, LOSSES
from opforge.spec.prelude import Definition, definitions
from opforge.spec.reading import Reading
from opforge.spec.tree import Apply, Assignment, Call, Cast, Name, Number
from opforge.spec.value_kinds import Typed


def defined(name: str) -> Definition | None:
    """The function of the prelude with this name."""
    return definitions()[name] if name in DEFINED else None


def called(reader: Reading, function: Definition, call: ast.Call) -> Typed | None:
    """The value of a call of a function with a definition, or None if it was refused."""
    nodes = bound(reader, function, call)
    if nodes is None:
        return None
    if function.name in LOSSES:
        said = class_losses.reduction(reader, dict(zip(function.parameters, nodes, strict=True)), function.name)
        return expanded(reader, _reduced(function, said), call, nodes[:-1]) if said else None
    if function.body:
        return expanded(reader, function, call, nodes)
    return _READERS[function.name](reader, call, nodes)


def _clamp(reader: Reading, call: ast.Call, nodes: Sequence[ast.expr]) -> Typed | None:
    """``clamp(x, min, max)`` with one bound or two."""
    bounds = [(op, node) for op, node in zip(("max", "min"), nodes[1:], strict=True) if not _is(node, None)]
    if not bounds:
        reader.report(call, "`clamp` needs a bound", "for example `clamp(x, min=0)` or `clamp(x, 0, 6)`")
        return None
    made = reader.values([nodes[0], *(node for _, node in bounds)])
    if made is None:
        return None
    result: Typed | None = made[0]
    for (op, node), limit in zip(bounds, made[1:], strict=True):
        result = result and reader.combined(op, (result, limit), (nodes[0], node), reader.text(call))
    return result


def _gelu(reader: Reading, call: ast.Call, nodes: Sequence[ast.expr]) -> Typed | None:
    if not _is(nodes[1], "none") and not _is(nodes[1], "tanh"):
        reader.report(nodes[1], '`approximate` must be "none" or "tanh"', 'for example `gelu(x, approximate="tanh")`')
        return None
    return reader.apply("gelu_tanh" if _is(nodes[1], "tanh") else "gelu", nodes[:1], call)


def _leaky_relu(reader: Reading, call: ast.Call, nodes: Sequence[ast.expr]) -> Typed | None:
    made = reader.values(nodes)
    if made is not None and not made[1].number:
        hint = "for example `leaky_relu(x, 0.01)`, or an attribute; for a tensor write `where(x > 0, x, w * x)`"
        reader.report(nodes[1], "the slope of `leaky_relu` must be a number; this is a tensor", hint)
        return None
    return None if made is None else reader.combined("leaky_relu", made, nodes, reader.text(call))


def _logit(reader: Reading, call: ast.Call, nodes: Sequence[ast.expr]) -> Typed | None:
    """``logit(x)``, or that of x between eps and 1 - eps."""
    if _is(nodes[1], None):
        return reader.apply("logit", nodes[:1], call)
    made = reader.values(nodes)
    if made is not None and not made[1].number:
        reader.report(
            nodes[1], "the `eps` of `logit` must be a number; this is a tensor", "for example `logit(x, 1e-6)`"
        )
        return None
    rest = made and reader.combined("sub", (_ONE, made[1]), (nodes[1], nodes[1]), "...")
    if not made or not rest:
        return None
    value: Typed | None = made[0]
    for op, bound in (("max", made[1]), ("min", rest)):
        value = value and reader.combined(op, (value, bound), nodes, "...")
    return value and reader.combined("logit", (value,), nodes[:1], reader.text(call))


def _nan_to_num(reader: Reading, call: ast.Call, nodes: Sequence[ast.expr]) -> Typed | None:
    """``posinf`` and ``neginf`` must be stated: torch's are the largest numbers of a dtype, which may be float16."""
    if _is(nodes[2], None) or _is(nodes[3], None):
        hint = "for example `nan_to_num(x, posinf=65504, neginf=-65504)`, which fits in every dtype"
        reader.report(call, "`nan_to_num` needs the numbers for infinities", hint)
        return None
    made = reader.values(nodes)
    if made is None:
        return None
    names = dict(zip(("x", "nan", "posinf", "neginf"), made, strict=True))
    body = reader.within(names, call, reader.title or "nan_to_num", inner=False)
    large = repr(FLOAT32_MAX)
    text = f"where(x != x, nan, where(x > {large}, posinf, where(x < -{large}, neginf, x)))"
    value = body.value(ast.parse(text, mode="eval").body)
    return value and replace(value, text=reader.text(call))


_ONE = Typed(Number(1.0), "1", "float", number=True, whole=True)
_READERS = {
    "clamp": _clamp,
    "gelu": _gelu,
    "leaky_relu": _leaky_relu,
    "logit": _logit,
    "nan_to_num": _nan_to_num,
}


def _is(node: ast.expr, value: str | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == value and type(node.value) is type(value)


def bound(reader: Reading, function: Definition, call: ast.Call) -> list[ast.expr] | None:
    """An expression for each parameter, or None if the arguments do not fit, which is reported."""
    given: dict[str, ast.expr] = dict(zip(function.parameters, call.args, strict=False))
    hint = f"its arguments: `{function.signature}`"
    for keyword in call.keywords:
        name = function.parameters[0] if keyword.arg == "input" else keyword.arg
        if name not in function.parameters:
            what = f"`{function.name}` has no argument `{name or '**'}`"
        elif name in given:
            what = f"the argument `{name}` of `{function.name}` is given twice"
        else:
            given[name] = keyword.value
            continue
        reader.report(keyword.value, what, hint)
        return None
    optional = dict(zip(function.parameters[function.required :], function.defaults, strict=True))
    missing = [name for name in function.parameters if name not in given and name not in optional]
    if missing or len(call.args) > len(function.parameters):
        count, most, least = len(call.args) + len(call.keywords), len(function.parameters), function.required
        numbers = f"{least} to {most}" if least < most else f"{most}"
        plural = "s" if most > 1 else ""
        reader.report(call, f"`{function.name}` takes {numbers} argument{plural}, not {count}", hint)
        return None
    defaults = {name: ast.copy_location(_copied(value, call), call) for name, value in optional.items()}
    return [given.get(name) or defaults[name] for name in function.parameters]


def _copied(default: ast.expr, call: ast.Call) -> ast.expr:
    """A default as an expression at the place of the call."""
    if isinstance(default, ast.UnaryOp):
        return ast.UnaryOp(default.op, ast.copy_location(_copied(default.operand, call), call))
    return ast.Constant(default.value if isinstance(default, ast.Constant) else None)


def expanded(reader: Reading, function: Definition, call: ast.Call, nodes: Sequence[ast.expr]) -> Typed | None:
    """The value of a function of the prelude, or None if an argument was refused."""
    made = reader.values(nodes)
    if made is None:
        return None
    masks = [place for place, name in enumerate(function.parameters) if function.kinds.get(name) == "mask"]
    refused = [reader.refused(nodes[place], value_kinds.condition(made[place])) for place in masks]
    if any(refused):
        return None
    places = [place for place in range(len(made)) if place not in masks]
    refusal = value_kinds.arithmetic(function.name, [made[place] for place in places])
    if refusal is not None:
        place, why = refusal
        reader.report(nodes[places[place]], *why)
        return None
    if function.name in DIVISIONS and any(value.kind == "int" for value in made):
        whole = reader.combined(function.name, made, nodes, reader.text(call))
        return whole and reader.broadcast(whole, made, call)
    # torch's function takes a tensor first; those of torch.nn.functional take only numbers after it, but for losses.
    first = function.torch.startswith("torch.nn") and "{" not in function.torch
    numbers = function.parameters[1 if first else function.required :]
    native = all(
        function.kinds.get(parameter) == "any" or value.number == (parameter in numbers)
        for parameter, value in zip(function.parameters, made, strict=True)
    )
    name, title = reader.fresh(function.name), reader.title or function.name
    arguments = {
        parameter: kept(reader, value, reader.fresh(f"{name}_{parameter}"), call, title)
        for parameter, value in zip(function.parameters, made, strict=True)
    }
    result = _body(reader.within(dict(arguments), call, title, inner=native), function, name, call)
    if result is None:
        return None
    spelled = Call(function.torch, tuple(value.tree for value in arguments.values())) if native else None
    result = kept(reader, result, name, call, title, call=spelled)
    return replace(result, text=reader.text(call))


def _reduced(loss: Definition, reduction: str) -> Definition:
    """A loss without its last parameter, whose mean over all elements becomes what ``reduction`` says."""
    *before, last = loss.body
    mean = last.value if isinstance(last, ast.Return) else None
    if not isinstance(mean, ast.Call):
        raise InternalError(f"prelude.txt: {loss.name} does not return a mean")
    reduced = mean.args[0] if reduction == "none" else ast.Call(ast.Name(reduction, ast.Load()), mean.args, [])
    torch = loss.torch if reduction == "mean" else f'{loss.torch[:-1]}, reduction="{reduction}")'
    return replace(
        loss,
        parameters=loss.parameters[:-1],
        defaults=loss.defaults[:-1],
        torch=torch,
        body=(*before, ast.copy_location(ast.Return(ast.copy_location(reduced, mean)), last)),
    )


def _body(body: Reading, function: Definition, name: str, call: ast.Call) -> Typed | None:
    """The value that a function returns, or None if it was refused."""
    for line in function.body:
        value = body.value(line.value) if isinstance(line, ast.Assign | ast.Return) and line.value else None
        if value is None:
            return None
        if isinstance(line, ast.Return):
            return value
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            local = line.targets[0].id
            body.bound[local] = kept(body, value, body.fresh(f"{name}_{local}"), call, body.title)
    raise InternalError(f"prelude.txt: {function.name} returns nothing")


def kept(reader: Reading, value: Typed, name: str, node: ast.expr, title: str, *, call: Call | None = None) -> Typed:
    """The value under a fresh name, so that it is computed once however often it is used."""
    tree = value.tree
    negative = isinstance(tree, Apply) and tree.op == "neg" and isinstance(tree.operands[0], Number)
    if call is None and (negative or not isinstance(tree, Apply | Cast)):
        return value
    reader.assigned[name] = Assignment(name, value.tree, *reader.start(node), title, reader.inner, call)
    reader.read.add(name)
    return replace(value, tree=Name(name))
