"""Stands for asc_opc below make: hands a kernel's compilation to the build, which waits at a socket.

A program of its own, started once for each kernel: kernel_client.py <socket> <words of the compiler> -- <arguments>. It
becomes the compiler if the build says so, or cannot be reached.
"""

from __future__ import annotations

import json
import os
import socket
import sys


def main(words: list[str]) -> int:
    """Returns the compiler's exit status."""
    address, rest = words[0], words[1:]
    end = rest.index("--")
    compiler, arguments = rest[:end], rest[end + 1 :]
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(address)
            line.sendall(json.dumps({"words": arguments, "environ": dict(os.environ)}).encode() + b"\n")
            answer = json.loads(b"".join(iter(lambda: line.recv(65536), b"")))
    except (OSError, ValueError):
        answer = None
    if answer is None or "code" not in answer:
        os.execv(compiler[0], [*compiler, *arguments])  # noqa: S606  (the same program goes on)
    sys.stderr.write(answer["output"])
    return int(answer["code"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
