"""What parameters may hold: a value that no function could start with is refused at deployment."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.settings.process import read_settings
from template.loaded import loaded, of_type
from template.resolved import resolved

ROLE = "arn:aws:iam::123456789012:role/Frontend"
URL = "https://models.example.com:8443/v1"
QUEUES = dict.fromkeys(("EVERTURN_QUEUE_URL", "EVERTURN_DEAD_LETTERS_URL"), "https://sqs.test/1/q")
FUNCTIONS = sorted(of_type(resolved(), "AWS::Serverless::Function"))

ALLOWED = [
    ("ServiceRoles", ROLE),
    ("ServiceRoles", f"{ROLE},arn:aws-us-gov:iam::123456789012:role/a/path/Agent_1+=.@-"),
    ("ServiceRoles", f"{ROLE}, {ROLE}"),
    ("RulesFile", "rules.txt"),
    ("JwtAudience", "app,https://api.example.com/"),
    ("GatewayUrl", URL),
    ("GatewayUrl", "http://[fd00::1]:4000"),
    ("ProviderUrl", "https://models.example.com/a/b_c"),
    ("GatewayKey", "sk-1_2.3"),
    ("GatewayHeaders", '{"x-app": "everturn", "x-metadata": "{\\"team\\": 1}"}'),
    ("BedrockEmbedModel", "amazon.titan-embed-text-v2:0"),
    ("BedrockEmbedModel", "cohere.embed-multilingual-v3"),
    ("ExtractModel", "cheap model"),
    ("BedrockExtractModel", "eu.amazon.nova-lite-v1:0"),
]
REFUSED = [
    ("ServiceRoles", "*"),
    ("ServiceRoles", "role/*"),
    ("ServiceRoles", f"{ROLE},*"),
    ("ServiceRoles", f"{ROLE} {ROLE}"),
    ("ServiceRoles", "arn:aws:iam::123456789012:role/*"),
    ("ServiceRoles", "arn:aws:iam::123456789012:user/ann"),
    ("ServiceRoles", "arn:aws:sts::123456789012:assumed-role/Frontend/s"),
    ("RulesFile", "../rules.txt"),
    ("RulesFile", "../../../../etc/hostname"),
    ("RulesFile", "/proc/self/environ"),
    ("RulesFile", "~/rules.txt"),
    ("RulesFile", ".."),
    ("RulesFile", "a/b"),
    ("JwtAudience", "a, b"),
    ("JwtAudience", " a"),
    ("JwtAudience", "a,"),
    ("JwtAudience", ",a"),
    ("GatewayUrl", "models.example.com"),
    ("GatewayUrl", f"{URL}?key=1"),
    ("ProviderUrl", f"{URL}#x"),
    ("ProviderUrl", "https://ann:secret@models.example.com/v1"),
    ("GatewayKey", "sk 1"),
    ("ProviderKey", "s\u00e9cret"),
    ("GatewayHeaders", "x-app: everturn"),
    ("GatewayHeaders", '["x-app"]'),
    ("GatewayHeaders", '{"x-app": 1}'),
    ("BedrockEmbedModel", "amazon.titan-embed-text-v1"),
    ("ExtractModel", " cheap"),
    ("ExtractFallbackModel", "x" * 257),
]
# Without one of these a model of theirs is refused by a rule.
BESIDE = {"ExtractModel": {"GatewayUrl": URL}, "ExtractFallbackModel": {"ProviderUrl": URL}}


def _pattern(name: str) -> "re.Pattern[str]":
    return re.compile(loaded()["Parameters"][name]["AllowedPattern"], re.ASCII)


def _start_all(**parameters: str) -> None:
    """Read the settings of every function as it does at its start."""
    functions = of_type(resolved(**parameters), "AWS::Serverless::Function")
    for name in FUNCTIONS:
        told = functions[name]["Environment"]["Variables"]
        # A file of the function's own folder, which is no matter of a pattern.
        read_settings({**told, **QUEUES, "EVERTURN_RULES_FILE": ""})


@pytest.mark.parametrize(("name", "value"), ALLOWED)
def test_every_function_starts_with_what_is_allowed(name: str, value: str) -> None:
    assert _pattern(name).fullmatch(value)
    _start_all(**{**BESIDE.get(name, {}), name: value})


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_what_no_function_can_use_is_refused(name: str, value: str) -> None:
    """A pattern is of the whole value.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
    """
    assert _pattern(name).fullmatch(value) is None


@pytest.mark.parametrize("name", sorted({name for name, _ in ALLOWED + REFUSED}))
def test_a_parameter_may_be_left_out(name: str) -> None:
    assert _pattern(name).fullmatch(loaded()["Parameters"][name]["Default"])


@given(st.data())
@pytest.mark.parametrize(
    "name", ["ServiceRoles", "GatewayKey", "ProviderKey", "ExtractModel", "ExtractFallbackModel"]
)
def test_whatever_a_pattern_lets_through_starts(name: str, data: st.DataObject) -> None:
    value = data.draw(st.from_regex(_pattern(name), fullmatch=True))
    _start_all(**{**BESIDE.get(name, {}), name: value})


@pytest.mark.parametrize("model", ["ExtractModel", "ExtractFallbackModel"])
@pytest.mark.parametrize(
    ("address", "holds"), [("", False), ("GatewayUrl", True), ("ProviderUrl", True)]
)
def test_a_model_without_an_address_is_refused_at_deployment(
    model: str, address: str, *, holds: bool
) -> None:
    parameters = {model: "cheap"} | ({address: URL} if address else {})
    rule = resolved(**parameters)["Rules"]["ExtractionNeedsAnAddress"]
    assert rule["RuleCondition"] is True
    assert [assertion["Assert"] for assertion in rule["Assertions"]] == [holds]


def test_without_a_model_no_address_is_asked_for() -> None:
    assert resolved()["Rules"]["ExtractionNeedsAnAddress"]["RuleCondition"] is False
