"""Reads and writes receipts of ``opforge install``: one JSON file per package, below ``<env>/opp/opforge``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from opforge.errors import InstallError
from opforge.frozen import dataclass

SCHEMA = 1


@dataclass(frozen=True)
class Receipt:
    """One installed project. Paths are absolute; ``files`` are those besides the wheel and the vendor tree."""

    package: str
    version: str
    vendor: str
    vendor_dir: str
    content_hash: str
    wheel_sha256: str
    toolkit_kind: str
    toolkit_root: str
    soc: str
    files: tuple[str, ...] = ()


def receipt_path(folder: Path, package: str) -> Path:
    """The path of a package's receipt."""
    return folder / f"{package}.json"


def read_receipt(path: Path) -> Receipt:
    """Raises InstallError for a receipt that is damaged."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        if fields.pop("schema") != SCHEMA:
            raise ValueError("another schema")  # noqa: TRY301
        return Receipt(**{**fields, "files": tuple(fields["files"])})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise InstallError(
            f"{path} cannot be read: {e}", hint="remove the file and run `opforge install` in the project again"
        ) from e


def all_receipts(folder: Path) -> list[Receipt]:
    """Every receipt of an environment, by package name."""
    return [read_receipt(path) for path in sorted(folder.glob("*.json"))]


def write_receipt(folder: Path, receipt: Receipt) -> None:
    """Replaces the package's receipt in one step."""
    folder.mkdir(parents=True, exist_ok=True)
    path = receipt_path(folder, receipt.package)
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps({"schema": SCHEMA, **asdict(receipt)}, indent=2) + "\n", encoding="utf-8")
    scratch.replace(path)
