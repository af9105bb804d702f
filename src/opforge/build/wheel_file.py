"""Writes a wheel: its files and RECORD, the list of their hashes.

Format: the binary distribution format of the Python packaging specifications.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

Entry = tuple[str, bytes, bool]  # name, content, whether it is executable


def pack(target: Path, entries: Iterable[Entry], record: str) -> None:
    """Writes the entries in order and ``record`` as the last one. The same entries always give the same bytes."""
    rows = []
    with zipfile.ZipFile(target, "w") as file:
        for name, data, runs in entries:
            _put(file, name, data, runs=runs)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append((name, f"sha256={digest}", str(len(data))))
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        _put(file, record, text.getvalue().encode(), runs=False)


def _put(file: zipfile.ZipFile, name: str, data: bytes, *, runs: bool) -> None:
    """Writes one entry with a fixed time and fixed permissions."""
    about = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    about.external_attr = (0o100755 if runs else 0o100644) << 16
    about.compress_type = zipfile.ZIP_DEFLATED
    file.writestr(about, data)
