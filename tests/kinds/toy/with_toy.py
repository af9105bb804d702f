"""opforge with the toy kind: ``python with_toy.py build`` is ``opforge build``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from kind import SumOfSquares

from opforge import kinds
from opforge.__main__ import main

if __name__ == "__main__":
    kinds.KINDS = (SumOfSquares, *kinds.KINDS)  # the only registration
    sys.exit(main())
