"""What a shared case is: one JSON object of `cases.jsonl`."""

from typing import Any

Case = dict[str, Any]
