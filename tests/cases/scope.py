"""Which of the shared cases concern the routes that exist, and what the others wait for.

Not here: running one (adapter.py, probes.py).
"""

from collections.abc import Iterator
from typing import Any, Final

Case = dict[str, Any]

LATER_OPS: Final = {
    "parse_llm": "extraction",
    "consolidate": "consolidation",
    "consolidate_prompt": "consolidation",
    "sqs": "the worker",
    "enqueue": "the queue",
    "template_check": "the queue in the template",
}
LATER_STEPS: Final = {
    "deliver_job": "the worker",
    "drain_queue": "the worker",
}


def reason_to_wait(case: Case) -> str | None:
    """Say which later issue a case needs; None where the routes that exist do."""
    given = case["input"]
    if given["op"] in LATER_OPS:
        return LATER_OPS[given["op"]]
    needs = [LATER_STEPS[word] for word in _words(given.get("steps", [])) if word in LATER_STEPS]
    return needs[0] if needs else None


def _words(steps: list[Case]) -> Iterator[str]:
    for step in steps:
        yield from step
        if isinstance(step.get("do"), str):
            yield step["do"]
