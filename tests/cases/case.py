"""What a shared case is: one JSON object of `cases.jsonl`.

Not here: running one (adapter.py, probes.py).
"""

from typing import Any

Case = dict[str, Any]
