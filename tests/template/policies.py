"""What AWS decides about one request under the statements of policies, as far as ours go.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from template.loaded import Template, of_type

_KNOWN = {"Sid", "Effect", "Principal", "Action", "Resource", "Condition"}
_WILD_OR_VARIABLE = re.compile(r"\$\{[^}]*\}|[*?]")

Context = Mapping[str, str | list[str]]
"""Condition keys of a request; a principal's tag `x` is `aws:PrincipalTag/x`."""


@dataclass(frozen=True, slots=True)
class Request:
    """One action on one resource, with the condition keys that the request carries."""

    action: str
    resource: str
    context: Context = field(default_factory=dict)


def is_like(actual: str, pattern: str, context: Context) -> bool:
    """Say whether a text is what a pattern says, `*` and `?` in a variable's value being letters.

    A variable that the request does not carry matches nothing.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
    """
    written, at = "", 0
    for found in _WILD_OR_VARIABLE.finditer(pattern):
        written += re.escape(pattern[at : found.start()])
        at = found.end()
        if found[0] in ("*", "?"):
            written += {"*": ".*", "?": "."}[found[0]]
            continue
        value = context.get(found[0][2:-1])
        if not isinstance(value, str):
            return False
        written += re.escape(value)
    return re.fullmatch(written + re.escape(pattern[at:]), actual, re.DOTALL) is not None


def _equals(actual: str | list[str] | None, wanted: list[str], context: Context) -> bool:
    del context
    return actual in wanted


def _like(actual: str | list[str] | None, wanted: list[str], context: Context) -> bool:
    return isinstance(actual, str) and any(is_like(actual, one, context) for one in wanted)


def _not_like(actual: str | list[str] | None, wanted: list[str], context: Context) -> bool:
    """A key that is missing is like nothing.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
    """
    return not _like(actual, wanted, context)


def _null(actual: str | list[str] | None, wanted: list[str], context: Context) -> bool:
    """A key that is to be missing is wanted as "true"."""
    del context
    return wanted == [str(actual is None).lower()]


def _all_equal(actual: str | list[str] | None, wanted: list[str], context: Context) -> bool:
    """Each of the values that there are; none are all."""
    del context
    return set(listed(actual or [])) <= set(wanted)


# A missing key matches nothing, but for `Null`, `ForAllValues` and what is not.
_OPERATORS: Mapping[str, Callable[[str | list[str] | None, list[str], Context], bool]] = {
    "Null": _null,
    "Bool": _equals,
    "StringEquals": _equals,
    "StringLike": _like,
    "StringNotLike": _not_like,
    "ForAllValues:StringEquals": _all_equal,
}


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


def statements_of(template: Template, role: str) -> list[Template]:
    """What a role of a resolved template may do: by what is written in it and attached to it."""
    properties = of_type(template, "AWS::IAM::Role")[role]
    managed = of_type(template, "AWS::IAM::ManagedPolicy")
    attached = [
        policy
        for policy in template["Resources"].values()
        if policy["Type"] == "AWS::IAM::Policy" and role in policy["Properties"]["Roles"]
    ]
    documents = [
        *(policy["PolicyDocument"] for policy in properties["Policies"]),
        *(managed[name]["PolicyDocument"] for name in properties.get("ManagedPolicyArns", [])),
        *(policy["Properties"]["PolicyDocument"] for policy in attached),
    ]
    return [statement for document in documents for statement in document["Statement"]]


def role_of(template: Template, function: str) -> str:
    """The role of a function of a resolved template."""
    arn: str = of_type(template, "AWS::Serverless::Function")[function]["Role"]
    return arn.removeprefix("arn:")


def _matches(statement: Template, request: Request) -> bool:
    assert statement.keys() <= _KNOWN, f"unknown elements {statement.keys() - _KNOWN}"
    context = request.context
    # A trust policy names no resource: it stands on one.
    resources = listed(statement.get("Resource", "*"))
    return (
        any(is_like(request.action, pattern, {}) for pattern in listed(statement["Action"]))
        and any(is_like(request.resource, pattern, context) for pattern in resources)
        and all(
            _OPERATORS[operator](context.get(key), listed(wanted), context)
            for operator, keys in statement.get("Condition", {}).items()
            for key, wanted in keys.items()
        )
    )
