"""What AWS decides about one request under the statements of policies, as far as ours go.

Not here: principals, `Not...` elements, variables; what is unknown is an error, never a guess.
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from template.loaded import Template

_KNOWN = {"Sid", "Effect", "Principal", "Action", "Resource", "Condition"}

_OPERATORS: Mapping[str, Callable[[str | None, str], bool]] = {
    # "true" asks that the key is missing.
    "Null": lambda actual, wanted: (actual is None) == (wanted == "true"),
    # A missing key matches nothing.
    "Bool": lambda actual, wanted: actual == wanted,
    "StringEquals": lambda actual, wanted: actual == wanted,
}


@dataclass(frozen=True, slots=True)
class Request:
    """One action on one resource, with the condition keys that the request carries."""

    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict)


def decision(
    statements: Iterable[Template], request: Request
) -> Literal["allowed", "denied", "not mentioned"]:
    """Decide: one matching deny wins, else one matching allow, else nobody said anything."""
    effects = {statement["Effect"] for statement in statements if _matches(statement, request)}
    if "Deny" in effects:
        return "denied"
    return "allowed" if "Allow" in effects else "not mentioned"


def listed(value: str | list[str]) -> list[str]:
    """The one or many values of an element as a list."""
    return [value] if isinstance(value, str) else value


def _matches(statement: Template, request: Request) -> bool:
    assert statement.keys() <= _KNOWN, f"unknown elements {statement.keys() - _KNOWN}"
    return (
        any(fnmatchcase(request.action, pattern) for pattern in listed(statement["Action"]))
        and any(fnmatchcase(request.resource, pattern) for pattern in listed(statement["Resource"]))
        and all(
            _OPERATORS[operator](request.context.get(key), wanted)
            for operator, keys in statement.get("Condition", {}).items()
            for key, wanted in keys.items()
        )
    )
