"""The golden files, and how to read them."""

import json
from pathlib import Path
from typing import Any

GOLDEN_FILES = Path(__file__).parent / "golden"


def golden_bytes(name: str) -> bytes:
    """Return a golden file as it is."""
    return (GOLDEN_FILES / name).read_bytes()


def golden_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a golden table."""
    rows: list[dict[str, Any]] = json.loads(golden_bytes(name))
    return rows
