"""The role of scopes.

What a session of it reaches, who may have one, and what is left without it.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.values import keys
from everturn.values.keys import Scope, key_token
from template.loaded import of_type
from template.policies import Request, decision, role_of, statements_of
from template.resolved import resolved
from template.scope_access import DATA, DERIVED, Asked, ScopeAccess

ACCESS = ScopeAccess()
FUNCTIONS = sorted(of_type(ACCESS.template, "AWS::Serverless::Function"))
ASKING = [function for function in FUNCTIONS if function != "Sweep"]
MARKERS = {"Append": {"overwrite"}, "Consolidate": {"get", "put", "overwrite", "delete", "list"}}
VERBS = ("get", "put", "overwrite", "delete", "delete_many", "list")
TAG_NAMES = ["tenant", "tenant_hash", "actor", "actor_hash"]
LETTERS = "csmhwxoqiv"

# Ids that touch one another, and what a policy could read as something else.
IDS = st.sampled_from(
    ["a", "b", "ab", "a.b", "a-b", "A", "a/b", "a*", "*", "?", "~", "-", "..", "a\\b",
     "${aws:PrincipalTag/tenant}", "$", "é", "A" * 32, key_token("a/b")[1:], "dirty", ".tokens"]
)  # fmt: skip
SCOPES = st.builds(Scope, IDS, IDS)


def _objects(scope: Scope) -> list[tuple[str, str]]:
    """A key of every kind that a scope has, with its bucket."""
    data = [
        keys.head_key(scope, "c"),
        keys.segment_key(scope, "c", "n"),
        keys.staged_key(scope, "c", 0),
        keys.quarantine_key(scope, "c", 0),
        keys.watermark_key(scope, "c"),
        keys.memory_key(scope, "m"),
        keys.document_key(scope, "s", "k"),
    ]
    derived = [
        keys.list_cache_key(scope),
        keys.list_files_prefix(scope) + "n",
        keys.memory_rows_prefix(scope) + "0",
        keys.memory_vectors_prefix(scope, "model") + "0",
        keys.erasure_key(scope),
        keys.chunk_key(scope, "c", "model", 0),
    ]
    return [*((DATA, key) for key in data), *((DERIVED, key) for key in derived)]


def _segments(scope: Scope) -> tuple[str, str]:
    return key_token(scope.tenant), key_token(scope.actor)


@given(mine=SCOPES, other=SCOPES)
def test_a_session_reaches_all_that_its_scope_has_and_nothing_of_another(
    mine: Scope, other: Scope
) -> None:
    is_mine = _segments(mine) == _segments(other)
    for bucket, key in _objects(other):
        for verb in VERBS:
            assert ACCESS.reached_by_scope(mine, Asked(bucket, verb, key)) is is_mine
    marker = Asked(DERIVED, "delete_many", keys.dirty_key(other, "c", minute=29_000_000))
    assert ACCESS.reached_by_scope(mine, marker) is is_mine


@given(mine=SCOPES, tenant=IDS)
def test_the_tokens_of_a_tenant_are_its_own(mine: Scope, tenant: str) -> None:
    is_mine = key_token(mine.tenant) == key_token(tenant)
    for verb in ("get", "overwrite"):
        asked = Asked(DERIVED, verb, keys.token_use_key(tenant))
        assert ACCESS.reached_by_scope(mine, asked) is is_mine


@given(mine=SCOPES, letter=st.sampled_from(LETTERS))
def test_no_list_goes_beyond_a_scope(mine: Scope, letter: str) -> None:
    tenant, actor = _segments(mine)
    whole = f"{letter}/{tenant}/{actor}/"
    for bucket in (DATA, DERIVED):
        assert ACCESS.reached_by_scope(mine, Asked(bucket, "list", whole))
        for end in range(len(whole)):
            assert not ACCESS.reached_by_scope(mine, Asked(bucket, "list", whole[:end]))


def test_a_list_without_a_prefix_is_refused() -> None:
    """S3 then carries no such key, and a condition on it does not hold."""
    statements = statements_of(ACCESS.template, "ScopeRole")
    for bucket in (DATA, DERIVED):
        request = Request("s3:ListBucket", f"arn:{bucket}", {"aws:PrincipalTag/tenant": "acme"})
        assert decision(statements, request) == "not mentioned"


@pytest.mark.parametrize("key", ["i/.sweep", ".probe/x", "c", "", "dirty/x"])
def test_what_is_nobody_s_is_reached_by_no_session(key: str) -> None:
    for verb in ("get", "put", "overwrite", "delete"):
        for bucket in (DATA, DERIVED):
            assert not ACCESS.reached_by_scope(Scope("a", "b"), Asked(bucket, verb, key))


def test_the_sessions_of_the_function_that_erases_find_the_keys_of_all_markers() -> None:
    """Of all functions that one alone: a key names a tenant, an actor and a conversation."""
    alice, asked = Scope("acme", "alice"), Asked(DERIVED, "list", "dirty/")
    assert [name for name in ASKING if ACCESS.reached(name, alice, asked)] == ["Actor"]
    assert not ACCESS.reached_by_scope(alice, Asked(DATA, "list", "dirty/"))


def test_a_session_opens_no_marker() -> None:
    marker = keys.dirty_key(alice := Scope("acme", "alice"), "c", minute=29_000_000)
    for verb in ("get", "put", "overwrite"):
        assert not ACCESS.reached_by_scope(alice, Asked(DERIVED, verb, marker))


@pytest.mark.parametrize("function", ASKING)
def test_a_function_s_own_role_reaches_no_object_but_markers(function: str) -> None:
    scope = Scope("acme", "alice")
    prefixes = [(bucket, f"{letter}/") for letter in LETTERS for bucket in (DATA, DERIVED)]
    for bucket, key in [*_objects(scope), *prefixes, (DERIVED, "i/.sweep"), (DATA, "")]:
        for verb in VERBS:
            assert not ACCESS.reached_by_itself(function, Asked(bucket, verb, key))
    marker = keys.dirty_key(scope, "c", minute=29_000_000)
    reached = {
        verb for verb in VERBS if ACCESS.reached_by_itself(function, Asked(DERIVED, verb, marker))
    }
    assert reached - {"delete_many"} == MARKERS.get(function, set())


def test_the_worker_lists_markers_and_nothing_else_in_its_own_role() -> None:
    assert ACCESS.reached_by_itself("Consolidate", Asked(DERIVED, "list", "dirty/"))
    for prefix in ("", "d", "i/", "dirt"):
        assert not ACCESS.reached_by_itself("Consolidate", Asked(DERIVED, "list", prefix))
        assert not ACCESS.reached_by_itself("Consolidate", Asked(DATA, "list", prefix))


def test_the_sweep_keeps_its_own_access_to_all_scopes() -> None:
    without = resolved()
    role = role_of(without, "Sweep")
    assert statements_of(ACCESS.template, role) == statements_of(without, role)


@pytest.mark.parametrize("function", ASKING)
def test_a_session_does_no_more_than_its_function_does(function: str) -> None:
    """The policy that is a function's own without TenantRole narrows its sessions down with it."""
    without = resolved()
    statements = statements_of(without, role_of(without, function))
    scope = Scope("acme", "alice")
    for bucket, key in _objects(scope):
        for verb in ("get", "overwrite", "delete_many"):
            asked = Asked(bucket, verb, key)
            own = all(decision(statements, one) == "allowed" for one in asked.requests())
            assert ACCESS.reached(function, scope, asked) is own


TRUSTED = dict.fromkeys((f"aws:RequestTag/{name}" for name in TAG_NAMES), "x")


@pytest.mark.parametrize("action", ["sts:AssumeRole", "sts:TagSession"])
def test_a_session_bears_the_four_tags_and_no_other(action: str) -> None:
    trust = of_type(ACCESS.template, "AWS::IAM::Role")["ScopeRole"]["AssumeRolePolicyDocument"]

    def may(names: list[str]) -> bool:
        context = {key: "x" for key in TRUSTED if key.rpartition("/")[2] in names}
        request = Request(action, "arn:ScopeRole", {**context, "aws:TagKeys": names})
        return decision(trust["Statement"], request) == "allowed"

    assert may(TAG_NAMES)
    assert not may([*TAG_NAMES, "Team"])
    assert not may([])
    for name in TAG_NAMES:
        assert not may([one for one in TAG_NAMES if one != name])


def test_the_role_is_for_the_functions_that_work_for_one_scope_at_a_time() -> None:
    role = of_type(ACCESS.template, "AWS::IAM::Role")["ScopeRole"]
    [statement] = role["AssumeRolePolicyDocument"]["Statement"]
    roles = [role_of(ACCESS.template, function) for function in ASKING]
    assert sorted(statement["Principal"]["AWS"]) == sorted(f"arn:{name}" for name in roles)
    assert (role["MaxSessionDuration"], "ManagedPolicyArns" in role) == (3_600, False)
    for function in FUNCTIONS:
        statements = statements_of(ACCESS.template, role_of(ACCESS.template, function))
        for action in ("sts:AssumeRole", "sts:TagSession"):
            found = decision(statements, Request(action, "arn:ScopeRole"))
            assert (found == "allowed") is (function in ASKING)
            assert decision(statements, Request(action, "arn:AppendRole")) == "not mentioned"


@pytest.mark.parametrize("function", ASKING)
def test_switching_the_parameter_gives_a_function_another_role_and_takes_none_of_the_old_one_s(
    function: str,
) -> None:
    """Either way it changes roles as it hears of its sessions, and what it leaves goes last.

    CloudFormation changes a role in place before the functions, and a role with another path not at
    all: it makes another one, and removes the old one when all else is done.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
    """
    without, name = resolved(), role_of(ACCESS.template, function)
    old, new = (of_type(one, "AWS::IAM::Role")[name] for one in (without, ACCESS.template))
    assert old != new
    # A path that appears where none was written would replace the roles of stacks that there are.
    assert (old.get("Path"), new.get("Path")) == (None, "/scoped/")
    policy = of_type(ACCESS.template, "AWS::Serverless::Function")[function]["Environment"][
        "Variables"
    ]["EVERTURN_SCOPE_POLICY"]
    for kind in ("AWS::IAM::ManagedPolicy", "AWS::Serverless::LayerVersion"):
        assert of_type(without, kind) == of_type(ACCESS.template, kind)
    assert old["ManagedPolicyArns"] == [policy]


@pytest.mark.parametrize("function", ASKING)
def test_a_function_waits_for_all_that_lets_it_assume_the_role(function: str) -> None:
    """What it names is there before it; the trust of the role is enough within one account.

    https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
    """
    properties = of_type(ACCESS.template, "AWS::Serverless::Function")[function]
    assert properties["Environment"]["Variables"]["EVERTURN_SCOPE_ROLE"] == "arn:ScopeRole"
    role = of_type(ACCESS.template, "AWS::IAM::Role")["ScopeRole"]
    [statement] = role["AssumeRolePolicyDocument"]["Statement"]
    assert properties["Role"] in statement["Principal"]["AWS"]
    assert statement["Action"] == ["sts:AssumeRole", "sts:TagSession"]


def test_without_the_parameter_there_is_no_such_role() -> None:
    template = resolved()
    assert "ScopeRole" not in of_type(template, "AWS::IAM::Role")
    assert "AssumeScopeRole" not in template["Resources"]


def test_the_role_s_policies_fit_into_iam() -> None:
    """10,240 characters for a role, 6,144 for a managed policy, with the longest names of buckets.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    """
    long = {"arn:DataBucket": "arn:aws-us-gov:s3:::" + "d" * 63}
    long["arn:DerivedBucket"] = long["arn:DataBucket"]

    def size(document: object) -> int:
        text = str(document).replace(" ", "")
        for name, written in long.items():
            text = text.replace(name, written)
        return len(text)

    role = of_type(ACCESS.template, "AWS::IAM::Role")["ScopeRole"]
    assert sum(size(policy["PolicyDocument"]) for policy in role["Policies"]) < 10_240
    for policy in of_type(ACCESS.template, "AWS::IAM::ManagedPolicy").values():
        assert size(policy["PolicyDocument"]) < 6_144
