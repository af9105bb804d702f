"""SHA-256 for modules that every build imports: hashlib loads OpenSSL, 2 of a build's 40 ms.

CPython has the function in a module of its own, which ``random`` also prefers; elsewhere it is hashlib's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["sha256"]

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # Python 3.12 and later
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256
