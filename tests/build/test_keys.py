import json

from opforge.build.keys import Hit, Miss, compare, print_key


def test_first_build() -> None:
    assert compare(None, {"a": "1"}) == Miss("not built yet")


def test_same_is_a_hit() -> None:
    assert compare({"a": "1", "b": "2"}, {"b": "2", "a": "1"}) == Hit()


def test_miss_names_what_changed() -> None:
    old = {"op_kernel/a.cpp": "1", "toolkit": "t", "csrc/old.cpp": "1"}
    new = {"op_kernel/a.cpp": "2", "toolkit": "t", "csrc/new.cpp": "1"}
    assert compare(old, new) == Miss("op_kernel/a.cpp changed; csrc/new.cpp is new; csrc/old.cpp is gone")


def test_many_changes_are_counted() -> None:
    old = {str(i): "1" for i in range(5)}
    new = {str(i): "2" for i in range(5)}
    assert compare(old, new) == Miss("0, 1, 2 and 2 more changed")


def test_printed_key_is_json_lines() -> None:
    lines = [json.loads(line) for line in print_key("wheel", {"b": "ü", "a": "1"}).splitlines()]
    assert lines == [
        {"step": "wheel", "fact": "a", "value": "1"},
        {"step": "wheel", "fact": "b", "value": "ü"},
    ]
