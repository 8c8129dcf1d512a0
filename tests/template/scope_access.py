"""What a request to a store asks of AWS, and who may ask it where scopes have their own role."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everturn.adapters.aws.scope_credentials import session_tags
from everturn.values.keys import Scope
from template.loaded import Template, of_type
from template.policies import Context, Request, decision, role_of, statements_of
from template.resolved import resolved

DATA, DERIVED = "DataBucket", "DerivedBucket"

# What a verb of the store needs of its key. A put or a delete with a condition has to read as well.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
_ACTIONS: Final = {
    "get": ("s3:GetObject",),
    "put": ("s3:PutObject", "s3:GetObject"),
    "overwrite": ("s3:PutObject",),
    "delete": ("s3:DeleteObject", "s3:GetObject"),
    "delete_many": ("s3:DeleteObject",),
    "list": (),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a store: a verb, and a key or the prefix of a list."""

    bucket: str
    verb: str
    key: str

    def requests(self) -> Iterator[Request]:
        """Yield what AWS decides about, each of which has to be allowed."""
        for action in _ACTIONS[self.verb]:
            yield Request(action, f"arn:{self.bucket}/{self.key}")
        # A get may have to look whether its key is absent.
        if self.verb in ("get", "list"):
            yield Request("s3:ListBucket", f"arn:{self.bucket}", {"s3:prefix": self.key})


def tags_of(scope: Scope) -> Context:
    """The condition keys that a session of a scope carries."""
    return {f"aws:PrincipalTag/{name}": value for name, value in session_tags(scope)}


class ScopeAccess:
    """The stack with TenantRole: sessions of scopes, and the functions' own roles."""

    def __init__(self) -> None:
        self.template: Template = resolved(TenantRole="true")
        self._session = statements_of(self.template, "ScopeRole")
        self._policies = of_type(self.template, "AWS::IAM::ManagedPolicy")

    def reached_by_scope(self, scope: Scope, asked: Asked) -> bool:
        """Whether the role of a scope allows it, whatever function asks."""
        return all(self._allows(self._session, scope, one) for one in asked.requests())

    def reached(self, function: str, scope: Scope, asked: Asked) -> bool:
        """Whether a function may do it in a session of this scope: the role and its policy agree.

        https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session
        """
        name = of_type(self.template, "AWS::Serverless::Function")[function]["Environment"][
            "Variables"
        ]["EVERTURN_SCOPE_POLICY"]
        policy = self._policies[name]["PolicyDocument"]["Statement"]
        return self.reached_by_scope(scope, asked) and all(
            self._allows(policy, scope, one) for one in asked.requests()
        )

    def reached_by_itself(self, function: str, asked: Asked) -> bool:
        """Whether a function may do it in its own role."""
        statements = statements_of(self.template, role_of(self.template, function))
        return all(decision(statements, one) == "allowed" for one in asked.requests())

    def _allows(self, statements: list[Template], scope: Scope, request: Request) -> bool:
        context = {**tags_of(scope), **request.context}
        with_tags = Request(request.action, request.resource, context)
        return decision(statements, with_tags) == "allowed"
