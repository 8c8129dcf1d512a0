"""What each function may do, and that it is no more than it needs.

Not here: what the buckets refuse whoever asks (test_buckets.py).
"""

import pytest

from template.loaded import Template, of_type
from template.policies import Request, decision, listed
from template.resolved import resolved

FUNCTIONS = sorted(of_type(resolved(), "AWS::Serverless::Function"))
HEAD = "arn:DataBucket/c/t/a/c.json"
INDEX = "arn:DerivedBucket/i/t/a/conversations"

ALLOWED = {
    "Append": {("s3:GetObject", HEAD), ("s3:PutObject", HEAD)},
    "Conversations": {("s3:GetObject", HEAD), ("s3:PutObject", HEAD)},
    "List": {("s3:GetObject", HEAD), ("s3:GetObject", INDEX), ("s3:PutObject", INDEX)},
}
ACTIONS = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:DeleteObjectVersion"]
RESOURCES = [HEAD, INDEX] + [
    f"arn:{bucket}/{prefix}/t/a/x"
    for bucket in ("DataBucket", "DerivedBucket")
    for prefix in ("c", "s", "m", "h", "w", "x", "o", "q", "i", "v", "dirty")
    if (bucket, prefix) not in (("DataBucket", "c"), ("DerivedBucket", "i"))
]


def _role(function: str) -> Template:
    template = resolved()
    arn = of_type(template, "AWS::Serverless::Function")[function]["Role"]
    return of_type(template, "AWS::IAM::Role")[arn.removeprefix("arn:")]


def _statements(function: str) -> list[Template]:
    return [
        statement
        for policy in _role(function)["Policies"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def _log_group(function: str) -> str:
    properties = of_type(resolved(), "AWS::Serverless::Function")[function]
    return f"arn:{properties['LoggingConfig']['LogGroup']}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_touch_the_objects_it_needs_and_no_others(function: str) -> None:
    allowed = {
        (action, resource)
        for action in ACTIONS
        for resource in RESOURCES
        if decision(_statements(function), Request(action, resource)) == "allowed"
    }
    assert allowed == ALLOWED[function]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("bucket", ["DataBucket", "DerivedBucket"])
def test_a_function_may_list_both_buckets_without_a_condition(function: str, bucket: str) -> None:
    """Else S3 answers 403 where a key is absent; a get carries no s3:prefix to compare."""
    request = Request("s3:ListBucket", f"arn:{bucket}")
    assert decision(_statements(function), request) == "allowed"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_write_its_own_log_and_no_other(function: str) -> None:
    allowed = {
        other
        for other in FUNCTIONS
        for action in ("logs:CreateLogStream", "logs:PutLogEvents")
        if decision(_statements(function), Request(action, _log_group(other))) == "allowed"
    }
    assert allowed == {function}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_permission_has_a_wildcard_action_or_resource(function: str) -> None:
    """An object's key may end in one, below a named prefix of a named bucket."""
    for statement in _statements(function):
        assert statement["Effect"] == "Allow"
        assert not [action for action in listed(statement["Action"]) if "*" in action]
        for resource in listed(statement["Resource"]):
            bucket_and_prefix = resource.removesuffix("/*")
            assert "*" not in bucket_and_prefix
            assert resource == bucket_and_prefix or "/" in bucket_and_prefix


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_is_for_lambda_and_has_only_what_is_written_out(function: str) -> None:
    role = _role(function)
    assert "ManagedPolicyArns" not in role
    [statement] = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}


def test_no_two_functions_share_a_role() -> None:
    functions = of_type(resolved(), "AWS::Serverless::Function").values()
    roles = {function["Role"] for function in functions}
    assert len(roles) == len(FUNCTIONS)
    assert not [function for function in functions if "Policies" in function]
