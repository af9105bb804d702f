"""The values that op_host reads from CANN's context into the host tiling's ``Call``."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.naming import lower_camel
from opforge.spec.model import TensorSpec


@dataclass(frozen=True)
class ReadAttribute:
    """An attribute: its place in the definition, its member of ``Call``; ``whole``: it must fit int32."""

    index: int
    name: str
    member: str
    whole: bool


@dataclass(frozen=True)
class ReadValues:
    """An input whose values the host reads: its place in the definition, and the member of ``Call``."""

    index: int
    name: str
    member: str


def values_member(tensor: TensorSpec) -> str:
    """The member of the host tiling's ``Call`` with the values of an input that the host reads."""
    return f"{lower_camel(tensor.name)}Values"
