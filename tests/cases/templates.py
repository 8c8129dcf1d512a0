"""The cases about the deployed template."""

from cases.case import Case
from template.rules import holds


def probe_template(case: Case) -> None:
    """Hold every rule that a case names against the template."""
    assert case["check"] == {"template": True}
    rules = case["input"]["rules"]
    assert rules
    assert [rule for rule in rules if not holds(rule)] == []
