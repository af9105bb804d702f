"""Formats times, bytes, shares and errors for people, and labels simulated ones."""

from __future__ import annotations

import math

NOTHING = "-"  # for quantities that were not measured
SIMULATED = "simulated"

_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")
_THOUSANDS = ("", "k", "M", "G", "T")


def microseconds(value: float) -> str:
    """12.3 us, 4.56 ms, 1.2 s."""
    for unit, factor in (("us", 1.0), ("ms", 1e-3), ("s", 1e-6)):
        scaled = value * factor
        if scaled < 1000 or unit == "s":
            break
    return f"{three_digits(scaled)} {unit}"


def per_second(value: float) -> str:
    """12.3 M/s, 450 /s."""
    index = _step(value, 1000, len(_THOUSANDS))
    return f"{three_digits(value / 1000**index)} {_THOUSANDS[index]}/s"


def size(value: int | None) -> str:
    """12.3 KiB."""
    if value is None:
        return NOTHING
    index = _step(value, 1024, len(_BYTES))
    return f"{value} B" if index == 0 else f"{three_digits(value / 1024**index)} {_BYTES[index]}"


def times(value: float | None) -> str:
    """1.23 x."""
    return NOTHING if value is None else f"{three_digits(value)} x"


def percent(share: float) -> str:
    """12.3 %; a share below 1 is never shown as 100 %."""
    text = f"{share * 100:.4g}"
    return f"{'>99.99' if text == '100' and share < 1 else text} %"


def error(value: float | None) -> str:
    """1.23e-04."""
    if value is None:
        return NOTHING
    return f"{value:.3g}" if value == 0 or not math.isfinite(value) else f"{value:.2e}"


def marked(text: str, *, simulated: bool) -> str:
    """The text, with "simulated" appended if the value does not apply to hardware."""
    return f"{text} {SIMULATED}" if simulated else text


def three_digits(value: float) -> str:
    """Three significant digits, without an exponent: 0.0123, 1.23, 12.3, 1,234."""
    if not math.isfinite(value):
        return str(value)
    if value >= 100:
        return f"{value:,.0f}"
    digits = 2 if value == 0 else 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{min(max(digits, 0), 9)}f}"


def _step(value: float, base: int, steps: int) -> int:
    index = 0
    while index < steps - 1 and value >= base ** (index + 1):
        index += 1
    return index
