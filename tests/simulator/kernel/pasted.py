"""What a message says to write into opforge.yaml, pasted there and read back."""

from __future__ import annotations

from opforge.spec.read.parse import parse_spec

SPEC = """\
edition: 1
project: {name: pasted, package: pasted, vendor: pasted, version: 0.1.0, soc: [ascend910b]}
ops:
  %s:
    inputs: {x: {shape: [...], dtype: [float32]}}
    outputs: {z: {shape: [...], dtype: [float32]}}
    sources: [op_host/any.cpp, op_kernel/any.cpp]
"""
NEW = " in opforge.yaml ("
LISTED = " in the list simulator: allow: of opforge.yaml ("

Allow = list[tuple[str, str, bool]]


class Pasted:
    """An opforge.yaml of one op, which takes what messages propose."""

    def __init__(self, op: str) -> None:
        self.text = SPEC % op
        self.count = 0

    @property
    def project(self) -> int:
        """What the launch is told of this opforge.yaml."""
        return 2 if self.count else 1

    def add(self, message: str) -> None:
        """Puts the last lines of a message where it says: a list that is there already takes the entry alone."""
        lines = message.splitlines()
        head = max(number for number, line in enumerate(lines) if "opforge.yaml" in line)
        assert NEW in lines[head] or (self.count and LISTED in lines[head] and len(lines) == head + 2), message
        if lines[-1] not in self.text.splitlines():
            self.text += "\n".join(lines[-1:] if self.count else lines[head + 1 :]) + "\n"
            self.count += 1

    def allow(self) -> Allow:
        """What a launch is given."""
        entries = parse_spec(self.text, None).simulator.allow
        assert len(entries) == self.count
        return [(entry.rule or "", entry.file or "", entry.warn) for entry in entries]
