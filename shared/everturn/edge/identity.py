"""Who calls, and whose data it is: the one place where an event becomes a scope.

API Gateway has checked the signature or the token before the event exists.
"""

from collections.abc import Mapping
from typing import Any

from everturn.errors import ForbiddenError, InvalidRequestError, UnauthenticatedError
from everturn.settings.process import Role, Settings
from everturn.values.keys import Scope, valid_id

TENANT_HEADER, ACTOR_HEADER = "x-everturn-tenant", "x-everturn-actor"
DEFAULT_TENANT = "default"
_ACT_AS_SCOPE = "everturn/act-as"


def scope_of(event: Mapping[str, Any], settings: Settings) -> Scope:
    """Return the scope of a request.

    A trusted caller (a role in `service_roles`, or the JWT scope `everturn/act-as`) may name the
    user in the act-as headers.

    Raises:
        UnauthenticatedError: no identity.
        ForbiddenError: act-as headers from anyone else, or a kind of identity without an actor.
        InvalidRequestError: an act-as header is no id.
    """
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    if claims := (authorizer.get("jwt") or {}).get("claims"):
        own, trusted = _jwt_scope(claims, settings), _ACT_AS_SCOPE in _words(claims.get("scope"))
    elif arn := (authorizer.get("iam") or {}).get("userArn"):
        own, trusted = _iam_scope(arn), _role_of(arn) in settings.service_roles
    else:
        raise UnauthenticatedError("the request carries no identity")
    headers = event.get("headers") or {}
    tenant, actor = headers.get(TENANT_HEADER), headers.get(ACTOR_HEADER)
    if tenant is None and actor is None:
        return own
    if not trusted:
        raise ForbiddenError("this caller may not act for another user")
    if actor is None:
        raise InvalidRequestError("name the actor together with the tenant", field=ACTOR_HEADER)
    return Scope(
        own.tenant if tenant is None else valid_id(tenant, field=TENANT_HEADER),
        valid_id(actor, field=ACTOR_HEADER),
    )


def _jwt_scope(claims: Mapping[str, Any], settings: Settings) -> Scope:
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject:
        raise UnauthenticatedError("the token names no subject")
    tenant = claims.get(settings.tenant_claim) if settings.tenant_claim else None
    if tenant is not None and not isinstance(tenant, str):
        raise ForbiddenError("the tenant's claim is no string")
    tenant = valid_id(tenant or DEFAULT_TENANT, field="tenant")
    return Scope(tenant, valid_id(subject, field="sub"))


def _words(scopes: object) -> list[str]:
    return scopes.split() if isinstance(scopes, str) else []


def _iam_scope(arn: str) -> Scope:
    """Return the scope of an IAM principal: a role session by its name, a user as `user/{name}`.

    No session name holds a slash, so neither can pass for the other.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
    """
    kind, _, name = arn.split(":", 5)[-1].partition("/")
    if kind == "assumed-role" and "/" in name:
        return Scope(DEFAULT_TENANT, valid_id(name.rpartition("/")[2], field="identity"))
    if kind == "user" and name:
        return Scope(DEFAULT_TENANT, valid_id(f"user/{name}", field="identity"))
    raise ForbiddenError("this kind of identity has no actor, assume a role")


def _role_of(arn: str) -> Role | None:
    """Return the role behind a session."""
    account, resource = arn.split(":", 5)[-2:]
    kind, _, name = resource.partition("/")
    return Role(account, name.partition("/")[0]) if kind == "assumed-role" else None
