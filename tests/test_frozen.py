"""Frozen classes are dataclasses, as the standard library makes them."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from opforge import frozen

MAKERS = {"ours": frozen.dataclass, "the standard library's": dataclasses.dataclass}


def classes(dataclass: Any) -> tuple[Any, Any]:
    @dataclass(frozen=True)
    class Point:
        """A place."""

        x: int
        y: int = 2
        names: tuple[str, ...] = field(default_factory=tuple)
        where: str = field(default="", compare=False, repr=False)
        total: int = field(init=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.x + self.y)

    @dataclass(frozen=True)
    class Named(Point):
        """One with a name."""

        name: str = "n"

        def __repr__(self) -> str:
            return self.name

    return Point, Named


@pytest.fixture(params=MAKERS)
def made(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    return classes(MAKERS[request.param])


def test_values_and_defaults(made: tuple[Any, Any]) -> None:
    point, named = made
    assert dataclasses.astuple(point(1)) == (1, 2, (), "", 3)
    assert dataclasses.astuple(point(1, 5, where="here")) == (1, 5, (), "here", 6)
    assert dataclasses.astuple(named(x=1, name="a")) == (1, 2, (), "", 3, "a")
    assert repr(point(1)).endswith("Point(x=1, y=2, names=(), total=3)")
    assert repr(named(1)) == "n"
    assert dataclasses.replace(point(1), y=7).total == 8
    assert dataclasses.is_dataclass(point)
    match named(1, 4):
        case point(x, y):
            assert (x, y) == (1, 4)


def test_equality_and_hashes(made: tuple[Any, Any]) -> None:
    point, named = made
    assert point(1, where="a") == point(1, where="b")
    assert point(1) != point(2)
    assert point(1) != named(1)
    assert point(1) != (1, 2, (), "", 3)
    assert len({point(1, where="a"), point(1, where="b"), named(1), point(2)}) == 3
    assert copy.deepcopy(point(1)) == point(1)


def test_nothing_can_be_changed(made: tuple[Any, Any]) -> None:
    one = made[0](1)
    with pytest.raises(FrozenInstanceError, match="x"):
        one.x = 2
    with pytest.raises(FrozenInstanceError, match="other"):
        one.other = 2
    with pytest.raises(FrozenInstanceError, match="x"):
        del one.x
    assert one.x == 1


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1, 2, (), "", 3), {}), ((1,), {"x": 2}), ((1,), {"z": 2}), ((1,), {"total": 2})],
    ids=("missing", "too many", "twice", "unknown", "not to be given"),
)
def test_wrong_arguments(made: tuple[Any, Any], values: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="Point"):
        made[0](*values, **named)


@frozen.dataclass(frozen=True)
class Sent:
    """A value that another process gets."""

    value: int


def test_instances_are_pickled() -> None:
    assert pickle.loads(pickle.dumps(Sent(3))) == Sent(3)  # noqa: S301


@pytest.mark.parametrize("maker", MAKERS)
def test_a_class_that_is_not_frozen(maker: str) -> None:
    @MAKERS[maker]
    class Count:
        value: int = 0
        names: list[str] = field(default_factory=list)

    count = Count()
    count.value += 1
    count.other = 3
    assert count == Count(1)
    assert repr(count).endswith("Count(value=1, names=[])")
    assert Count(value=2, names=["a"]).names == ["a"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(count)
    with pytest.raises(TypeError, match="Count"):
        Count(1, [], 2)
