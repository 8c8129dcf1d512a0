"""What each function may do, and that it is no more than it needs."""

import re

import pytest

from template.loaded import Template, loaded, of_type
from template.policies import Request, decision, listed, role_of, statements_of
from template.resolved import resolved

FUNCTIONS = sorted(of_type(resolved(), "AWS::Serverless::Function"))
HEAD = "arn:DataBucket/c/t/a/c.json"
INDEX = "arn:DerivedBucket/i/t/a/conversations"
DOCUMENT = "arn:DataBucket/o/t/a/s/k.json"

G, P, D = "s3:GetObject", "s3:PutObject", "s3:DeleteObject"


def _data(*prefixes: str) -> list[str]:
    return [{"c": HEAD, "o": DOCUMENT}.get(p, f"arn:DataBucket/{p}/t/a/x") for p in prefixes]


def _each(actions: list[str], resources: list[str]) -> set[tuple[str, str]]:
    return {(action, resource) for action in actions for resource in resources}


VECTORS = ["arn:DerivedBucket/v/t/a/x"]
MARKERS = ["arn:DerivedBucket/dirty/t/a/x"]

ALLOWED = {
    "Actor": _each([G, P, D], [HEAD, INDEX])
    | _each([G, D], _data("s", "o", "m", "x", "q", "w"))
    | _each([D], VECTORS + MARKERS),
    "Append": _each([G, P], [HEAD]) | _each([G, P, D], _data("s")) | _each([P], MARKERS),
    "Consolidate": _each([G, P], [HEAD])
    | _each([G, D], _data("s"))
    | _each([G, P, D], [INDEX, *_data("m", "w", "x", "q"), *VECTORS, *MARKERS]),
    "Conversations": _each([G, P], [HEAD])
    | _each([G, P, D], [INDEX, *_data("m")])
    | _each([G, D], _data("s", "x", "q", "w"))
    | _each([D], VECTORS),
    "Documents": _each([G, P, D], [DOCUMENT]),
    "List": _each([G], _data("c", "s")) | _each([G, P, D], [INDEX]),
    "Patterns": _each([G, P], _data("m")) | _each([G, P, D], [INDEX]),
    "Recall": _each([G], _data("c", "s", "w")) | _each([G, P, D], [INDEX, *VECTORS]),
    "Remember": _each([G], _data("c", "s")) | _each([G, P, D], [INDEX, *_data("m")]),
    "Retrieve": _each([G], _data("c", "s", "w", "m")) | _each([G, P, D], [INDEX, *VECTORS]),
    "Sweep": _each([G, P, D], [HEAD, INDEX, *_data("m"), *MARKERS])
    | _each([G, D], _data("s", "x", "q", "w"))
    | _each([D], VECTORS),
    "Turns": _each([G, P], [HEAD, *_data("w")])
    | _each([G, P, D], [INDEX, *_data("s", "m")])
    | _each([G, D], _data("x"))
    | _each([D], VECTORS),
}
ACTIONS = [G, P, D, "s3:DeleteObjectVersion"]
RESOURCES = [HEAD, INDEX, DOCUMENT] + [
    f"arn:{bucket}/{prefix}/t/a/x"
    for bucket in ("DataBucket", "DerivedBucket")
    for prefix in ("c", "s", "m", "h", "w", "x", "o", "q", "i", "v", "dirty")
    if (bucket, prefix) not in (("DataBucket", "c"), ("DataBucket", "o"), ("DerivedBucket", "i"))
]


def _role(function: str, **parameters: str) -> Template:
    template = resolved(**parameters)
    return of_type(template, "AWS::IAM::Role")[role_of(template, function)]


def _statements(function: str, **parameters: str) -> list[Template]:
    template = resolved(**parameters)
    return statements_of(template, role_of(template, function))


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


MODEL = "amazon.titan-embed-text-v2:0"
MODELS = "arn:AWS::Partition:bedrock:AWS::Region::foundation-model"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_searches_may_invoke_the_model_that_is_named_and_no_other(function: str) -> None:
    def may(model: str, **parameters: str) -> bool:
        request = Request("bedrock:InvokeModel", f"{MODELS}/{model}")
        return decision(_statements(function, **parameters), request) == "allowed"

    searching = {"Consolidate", "Recall", "Retrieve"}
    assert may(MODEL, BedrockEmbedModel=MODEL) is (function in searching)
    assert not may("cohere.embed-english-v3", BedrockEmbedModel=MODEL)
    assert not may(MODEL)
    assert not may("")


NOVA, PROFILE = "amazon.nova-lite-v1:0", "eu.amazon.nova-lite-v1:0"
PROFILES = "arn:AWS::Partition:bedrock:AWS::Region:AWS::AccountId:inference-profile"


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("parameter", ["BedrockExtractModel", "BedrockExtractFallbackModel"])
def test_what_consolidates_may_invoke_the_model_that_is_named_and_no_other(
    function: str, parameter: str
) -> None:
    def may(resource: str, model: str, **context: str) -> bool:
        statements = _statements(function, **{parameter: model})
        request = Request("bedrock:InvokeModel", resource, context)
        return decision(statements, request) == "allowed"

    consolidates = function == "Consolidate"
    elsewhere = f"arn:AWS::Partition:bedrock:eu-west-3::foundation-model/{NOVA}"
    key = "bedrock:InferenceProfileArn"
    assert may(f"{MODELS}/{NOVA}", NOVA) is consolidates
    assert may(f"{PROFILES}/{PROFILE}", PROFILE) is consolidates
    assert may(elsewhere, PROFILE, **{key: f"{PROFILES}/{PROFILE}"}) is consolidates
    assert not may(elsewhere, PROFILE)
    assert not may(elsewhere, PROFILE, **{key: f"{PROFILES}/us.{NOVA}"})
    assert not may(elsewhere, NOVA)
    assert not may(f"{MODELS}/{MODEL}", NOVA)
    assert not may(f"{MODELS}/{NOVA}", "")


SQS = {
    "Append": {("JobQueue", "SendMessage"), ("JobQueue", "GetQueueAttributes")},
    "Consolidate": {
        ("JobQueue", "ReceiveMessage"),
        ("JobQueue", "DeleteMessage"),
        ("JobQueue", "GetQueueAttributes"),
        ("JobQueue", "SendMessage"),
    },
    "Recall": {("JobQueue", "GetQueueAttributes"), ("DeadLetters", "GetQueueAttributes")},
    "Sweep": {("JobQueue", "SendMessage"), ("JobQueue", "GetQueueAttributes")},
}
QUEUE_ACTIONS = (
    "SendMessage",
    "ReceiveMessage",
    "DeleteMessage",
    "ChangeMessageVisibility",
    "GetQueueAttributes",
    "SetQueueAttributes",
    "PurgeQueue",
)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_with_the_queues_what_it_needs_and_nothing_else(function: str) -> None:
    allowed = {
        (queue, action)
        for queue in ("JobQueue", "DeadLetters")
        for action in QUEUE_ACTIONS
        if decision(_statements(function), Request(f"sqs:{action}", f"arn:{queue}")) == "allowed"
    }
    assert allowed == SQS.get(function, set())


@pytest.mark.parametrize(
    ("model", "fits"),
    [("", True), (MODEL, True), ("*", False), ("cohere.*", False), ("a/b", False)],
)
def test_a_bedrock_model_is_named_by_one_id(model: str, *, fits: bool) -> None:
    pattern = loaded()["Parameters"]["BedrockEmbedModel"]["AllowedPattern"]
    assert bool(re.match(pattern, model)) is fits


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("bucket", ["DataBucket", "DerivedBucket"])
def test_a_function_may_list_both_buckets_without_a_prefix(function: str, bucket: str) -> None:
    """Else S3 answers 403 where a key is absent; a get carries no s3:prefix to compare."""
    request = Request("s3:ListBucket", f"arn:{bucket}")
    assert decision(_statements(function), request) == "allowed"


@pytest.mark.parametrize("prefix", ["dirty/", "dirty/0029000000/"])
def test_markers_are_listed_by_those_alone_who_look_for_some(prefix: str) -> None:
    """Who takes one up, who goes over all of them, and who erases a user's."""
    request = Request("s3:ListBucket", "arn:DerivedBucket", {"s3:prefix": prefix})
    listing = {name for name in FUNCTIONS if decision(_statements(name), request) == "allowed"}
    assert listing == {"Actor", "Consolidate", "Sweep"}


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
        assert "Condition" not in statement or statement["Action"] == "s3:ListBucket"
        assert statement["Effect"] == "Allow"
        assert not [action for action in listed(statement["Action"]) if "*" in action]
        for resource in listed(statement["Resource"]):
            bucket_and_prefix = resource.removesuffix("/*")
            assert "*" not in bucket_and_prefix
            assert resource == bucket_and_prefix or "/" in bucket_and_prefix


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_is_for_lambda_and_has_only_what_is_written_out(function: str) -> None:
    role = _role(function)
    assert role.get("ManagedPolicyArns", []) == (
        [] if function == "Sweep" else [f"{function}Objects"]
    )
    [statement] = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}


def test_no_two_functions_share_a_role() -> None:
    functions = of_type(resolved(), "AWS::Serverless::Function").values()
    roles = {function["Role"] for function in functions}
    assert len(roles) == len(FUNCTIONS)
    assert not [function for function in functions if "Policies" in function]
