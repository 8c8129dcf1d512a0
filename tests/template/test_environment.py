"""The variables of the functions: each is told what its settings read, and nothing else."""

import re

import pytest

from everturn.settings.process import QueueSettings, read_settings
from template.loaded import loaded, of_type
from template.resolved import resolved

FUNCTIONS = sorted(of_type(resolved(), "AWS::Serverless::Function"))

ALL = {
    "EVERTURN_SERVICE_ROLES": "ServiceRoles",
    "EVERTURN_TENANT_CLAIM": "TenantClaim",
    "EVERTURN_VERSION_DAYS": "NoncurrentVersionDays",
    "EVERTURN_IDLE_DAYS": "IdleDays",
    "POWERTOOLS_LOG_LEVEL": "LogLevel",
}
QUEUE = {"EVERTURN_QUEUE_DEPTH": "QueueDepth", "EVERTURN_SETTLE_S": "SettleSeconds"}
SERVICES = {
    "EVERTURN_GATEWAY_URL": "GatewayUrl",
    "EVERTURN_GATEWAY_KEY": "GatewayKey",
    "EVERTURN_GATEWAY_HEADERS": "GatewayHeaders",
    "EVERTURN_PROVIDER_URL": "ProviderUrl",
    "EVERTURN_PROVIDER_KEY": "ProviderKey",
}
EMBEDDERS = {
    "EVERTURN_EMBED_MODEL": "EmbedModel",
    "EVERTURN_BEDROCK_EMBED_MODEL": "BedrockEmbedModel",
}
EXTRACTORS = {
    "EVERTURN_EXTRACT_MODEL": "ExtractModel",
    "EVERTURN_EXTRACT_FALLBACK_MODEL": "ExtractFallbackModel",
    "EVERTURN_BEDROCK_EXTRACT_MODEL": "BedrockExtractModel",
    "EVERTURN_BEDROCK_EXTRACT_FALLBACK_MODEL": "BedrockExtractFallbackModel",
}
CAP = {"EVERTURN_DAILY_TOKENS": "DailyTokens"}
# Every function that works for one user at a time.
SCOPED = ["EVERTURN_SCOPE_ROLE", "EVERTURN_SCOPE_POLICY"]
TOLD = {"EVERTURN_IDENTITY": "AgentIdentity", "EVERTURN_RULES_FILE": "RulesFile"}

FIXED = {
    "EVERTURN_STORE": "s3://DataBucket",
    "EVERTURN_DERIVED_STORE": "s3://DerivedBucket",
    "POWERTOOLS_SERVICE_NAME": "AWS::StackName",
    "POWERTOOLS_METRICS_NAMESPACE": "Everturn",
    "POWERTOOLS_METRICS_DISABLED": "false",
}
QUEUES = {"EVERTURN_QUEUE_URL": "JobQueue", "EVERTURN_DEAD_LETTERS_URL": "DeadLetters"}

# Variable -> parameter, for what a function has beyond the others.
OWN: dict[str, dict[str, str]] = {
    "Append": QUEUE,
    "Consolidate": QUEUE | SERVICES | EMBEDDERS | EXTRACTORS | CAP,
    # Its status says which models are named, and how the queue is.
    "Recall": QUEUE | SERVICES | EMBEDDERS | EXTRACTORS,
    "Retrieve": SERVICES | EMBEDDERS | TOLD,
    "Sweep": QUEUE,
}
NUMBERS = {
    "NoncurrentVersionDays": "9",
    "IdleDays": "30",
    "QueueDepth": "7",
    "SettleSeconds": "11",
    "DailyTokens": "13",
}


def _variables(function: str, **parameters: str) -> dict[str, str]:
    functions = of_type(resolved(**parameters), "AWS::Serverless::Function")
    variables: dict[str, str] = functions[function]["Environment"]["Variables"]
    return variables


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_is_told_what_it_reads_and_nothing_else(function: str) -> None:
    named = ALL | OWN.get(function, {})
    given = {name: NUMBERS.get(name, f"value of {name}") for name in named.values()}
    queues = QUEUES if named.keys() >= QUEUE.keys() else {}
    expected = {variable: given[parameter] for variable, parameter in named.items()}
    scoped = {} if function == "Sweep" else dict.fromkeys(SCOPED, "")
    assert _variables(function, **given) == expected | FIXED | queues | scoped


@pytest.mark.parametrize("function", FUNCTIONS)
def test_all_but_the_sweep_are_told_of_the_role_of_scopes(function: str) -> None:
    variables = _variables(function, TenantRole="true")
    told = [variables.get(name) for name in SCOPED]
    assert told == (
        [None, None] if function == "Sweep" else ["arn:ScopeRole", f"{function}Objects"]
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_starts_where_no_parameter_is_given(function: str) -> None:
    """A variable that is empty is not set."""
    addresses = dict.fromkeys(QUEUES, "https://sqs.test/1/jobs")
    settings = read_settings({**_variables(function), **addresses})
    named = settings.embedder
    assert (named.gateway, named.provider, named.bedrock_model) == (None, None, "")
    assert (settings.identity, settings.rules) == ("", ())


@pytest.mark.parametrize("function", ["Append", "Consolidate", "Recall", "Sweep"])
def test_the_queue_that_a_function_is_told_of_is_one(function: str) -> None:
    addresses = {name: f"https://sqs.test/1/{queue}" for name, queue in QUEUES.items()}
    settings = read_settings({**_variables(function), **addresses})
    assert settings.queue == QueueSettings(1_000, 60, None, *addresses.values())


def test_the_keys_of_models_are_not_shown_by_cloudformation() -> None:
    parameters = loaded()["Parameters"]
    hidden = {name for name, spec in parameters.items() if spec.get("NoEcho")}
    assert hidden == {"GatewayKey", "GatewayHeaders", "ProviderKey"}


@pytest.mark.parametrize("parameter", ["BedrockExtractModel", "BedrockExtractFallbackModel"])
@pytest.mark.parametrize(
    ("model", "fits"),
    [
        ("", True),
        ("amazon.nova-lite-v1:0", True),
        ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", True),
        ("zai.glm-4.6", True),
        ("nova", False),
        ("*", False),
        ("amazon.*", False),
        ("a/b.c", False),
        ("amazon.nova-lite-v1:0\n", False),
    ],
)
def test_a_bedrock_model_that_reads_is_named_by_one_id(
    parameter: str, model: str, *, fits: bool
) -> None:
    pattern = loaded()["Parameters"][parameter]["AllowedPattern"]
    assert bool(re.fullmatch(pattern.removeprefix("^").removesuffix("$"), model)) is fits
