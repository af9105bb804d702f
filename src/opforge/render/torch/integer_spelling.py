"""How torch spells the operators that only integers have, or have in another way than floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Form = tuple[str, int, tuple[int, int]]  # the arguments of Spelling

# Divisions, and their results for a divisor of 0, which torch refuses.
_DIVIDED = {
    "floor_divide": ("{0} // {1}", "0"),
    "remainder": ("{0} % {1}", "{0}"),
    "fmod": ("torch.fmod({0}, {1})", "{0}"),
}
# Their operands are in parentheses unless they are calls, names or have a sign: few know how `x << 2 + 1` is read.
_BITS: Mapping[str, Form] = {
    "bitwise_and": ("{0} & {1}", 0, (3, 3)),
    "bitwise_or": ("{0} | {1}", 0, (3, 3)),
    "bitwise_xor": ("{0} ^ {1}", 0, (3, 3)),
    "bitwise_not": ("~{0}", 3, (3, 3)),
    "bitwise_left_shift": ("{0} << {1}", 0, (3, 3)),
    "bitwise_right_shift": ("{0} >> {1}", 0, (3, 3)),
}
OF_INTEGERS = (*_DIVIDED, *_BITS)


def of_integers(op: str, scalar: Sequence[bool]) -> Form:
    """The spelling of one of OF_INTEGERS. ``scalar`` says which operands are numbers; not all are."""
    if op in _BITS:
        return _BITS[op]
    form, of_zero = _DIVIDED[op]
    if scalar[1]:
        return form, 2, (2, 3)
    first = "torch.full_like({1}, {0})" if scalar[0] and op == "fmod" else "{0}"
    divided = form.format(first, "torch.where({1} == 0, 1, {1})")
    return f"torch.where({{1}} == 0, {of_zero}, {divided})", 4, (4, 3)
