"""The values that op_host reads from CANN's context into the host tiling's ``Call``."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import lower_camel
from opforge.spec.model import TensorSpec


@dataclass(frozen=True)
class ReadAttribute:
    """An attribute: its index in the definition and its member of ``Call``.

    A list has at least ``least`` elements. The values ``whole`` must fit int32.
    """

    index: int
    name: str
    member: str
    least: int
    whole: tuple[str, ...]


@dataclass(frozen=True)
class ReadValues:
    """An input whose values the host reads: its index in the definition and its member of ``Call``."""

    index: int
    name: str
    member: str


def values_member(tensor: TensorSpec) -> str:
    """The member of the host tiling's ``Call`` that holds the values of an input."""
    return f"{lower_camel(tensor.name)}Values"
