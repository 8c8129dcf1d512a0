"""The part of the environment that names chat models."""

import pytest

from everturn.errors import MisconfiguredError
from everturn.settings.models import (
    ExtractorSettings,
    missing_setting,
    named_models,
    read_embedder_settings,
    read_extractor_settings,
)
from everturn.settings.process import read_settings

URL = "https://gateway.test/v1"
GATEWAY = {"EVERTURN_GATEWAY_URL": URL}
PROVIDER = {"EVERTURN_PROVIDER_URL": "http://localhost:8080"}
MODELS = {"EVERTURN_EXTRACT_MODEL": "small", "EVERTURN_EXTRACT_FALLBACK_MODEL": "big"}
BEDROCK = {
    "EVERTURN_BEDROCK_EXTRACT_MODEL": "amazon.nova-micro-v1:0",
    "EVERTURN_BEDROCK_EXTRACT_FALLBACK_MODEL": "amazon.nova-pro-v1:0",
}


def read(environment: dict[str, str]) -> ExtractorSettings:
    return read_extractor_settings(environment, services=read_embedder_settings(environment))


def names(environment: dict[str, str]) -> list[str]:
    services = read_embedder_settings(environment)
    return [one.name for one in named_models(read(environment), services)]


def test_nothing_is_used_that_is_not_named() -> None:
    """A key that another program left in the environment makes no text leave the machine."""
    foreign = {"OPENAI_API_KEY": "sk-x", "OPENAI_MODEL": "m", "AWS_REGION": "eu-central-1"}
    assert read(foreign) == ExtractorSettings()
    assert names(foreign) == []


def test_everything_can_be_named() -> None:
    more = {"EVERTURN_EXTRACTOR": " Gateway ", "EVERTURN_DAILY_TOKENS": " 1000000 "}
    found = read(
        {**GATEWAY, **BEDROCK, "EVERTURN_EXTRACT_MODEL": " small\n",
         "EVERTURN_EXTRACT_FALLBACK_MODEL": "big", **more}
    )  # fmt: skip
    assert found == ExtractorSettings(
        model="small",
        fallback_model="big",
        bedrock_model="amazon.nova-micro-v1:0",
        bedrock_fallback_model="amazon.nova-pro-v1:0",
        pinned="gateway",
        daily_tokens=1_000_000,
    )


def test_the_settings_of_a_process_hold_them_and_can_be_compared() -> None:
    environment = {"EVERTURN_STORE": "d", **GATEWAY, **MODELS}
    settings = read_settings(environment)
    assert settings.extractor == read(environment)
    assert hash(settings) == hash(read_settings(environment))


def test_models_are_asked_service_by_service_and_the_fallback_after_the_first() -> None:
    assert names({**PROVIDER, **GATEWAY, **MODELS, **BEDROCK}) == [
        "gateway:small",
        "gateway:big",
        "provider:small",
        "provider:big",
        "bedrock:amazon.nova-micro-v1:0",
        "bedrock:amazon.nova-pro-v1:0",
    ]


def test_a_model_knows_where_it_is_asked() -> None:
    environment = {**GATEWAY, **BEDROCK, **MODELS, "EVERTURN_GATEWAY_KEY": "k"}
    services = read_embedder_settings(environment)
    first, *_, last = named_models(read(environment), services)
    assert (first.service, first.model, first.address) == ("gateway", "small", services.gateway)
    assert last.address is None


@pytest.mark.parametrize(
    ("named", "models"),
    [
        ({"EVERTURN_EXTRACT_MODEL": "m", "EVERTURN_EXTRACT_FALLBACK_MODEL": "m"}, ["gateway:m"]),
        ({"EVERTURN_EXTRACT_FALLBACK_MODEL": "m"}, ["gateway:m"]),
        ({"EVERTURN_EXTRACT_MODEL": "", "EVERTURN_EXTRACT_FALLBACK_MODEL": " "}, []),
        ({"EVERTURN_EMBED_MODEL": "m"}, []),
    ],
)
def test_a_model_that_is_named_twice_is_asked_once_and_a_blank_one_never(
    named: dict[str, str], models: list[str]
) -> None:
    assert names({**GATEWAY, **named}) == models


@pytest.mark.parametrize(
    ("pinned", "services"),
    [
        ("gateway", {"gateway"}),
        ("provider", {"provider"}),
        ("bedrock", {"bedrock"}),
        ("rules", set()),
    ],
)
def test_who_is_asked_for_by_name_is_the_only_one(pinned: str, services: set[str]) -> None:
    everything = {**PROVIDER, **GATEWAY, **MODELS, **BEDROCK, "EVERTURN_EXTRACTOR": pinned}
    assert {name.partition(":")[0] for name in names(everything)} == services


@pytest.mark.parametrize(
    ("environment", "variable"),
    [
        (MODELS, "EVERTURN_EXTRACT_MODEL"),
        ({"EVERTURN_EXTRACT_FALLBACK_MODEL": "m"}, "EVERTURN_EXTRACT_FALLBACK_MODEL"),
        ({**MODELS, **BEDROCK}, "EVERTURN_EXTRACT_MODEL"),
        ({"EVERTURN_EXTRACTOR": "gateway", **MODELS, **PROVIDER}, "EVERTURN_GATEWAY_URL"),
        ({"EVERTURN_EXTRACTOR": "gateway", **GATEWAY}, "EVERTURN_EXTRACT_MODEL"),
        ({"EVERTURN_EXTRACTOR": "provider", **GATEWAY, **MODELS}, "EVERTURN_PROVIDER_URL"),
        ({"EVERTURN_EXTRACTOR": "bedrock", **GATEWAY}, "EVERTURN_BEDROCK_EXTRACT_MODEL"),
    ],
)
def test_a_model_that_can_never_be_asked_stops_the_start(
    environment: dict[str, str], variable: str
) -> None:
    """Rules would stand in for it, and nobody would know."""
    with pytest.raises(MisconfiguredError, match=f"variable={variable}$"):
        read(environment)


@pytest.mark.parametrize("pinned", ["rules", "bedrock"])
def test_a_model_that_is_not_wanted_needs_no_service(pinned: str) -> None:
    assert read({**MODELS, **BEDROCK, "EVERTURN_EXTRACTOR": pinned}).pinned == pinned


@pytest.mark.parametrize("text", ["openai", "rule", "gateway,rules", "\u0280ules"])
def test_an_extractor_that_does_not_exist_stops_the_start(text: str) -> None:
    with pytest.raises(MisconfiguredError, match=r"variable=EVERTURN_EXTRACTOR$") as caught:
        read({"EVERTURN_EXTRACTOR": text})
    assert text not in str(caught.value).split()


@pytest.mark.parametrize("variable", [*MODELS, *BEDROCK])
@pytest.mark.parametrize("name", ["a\nb", "mod\u00e8le", "x" * 257, "a\0"])
def test_a_malformed_name_of_a_model_stops_the_start(variable: str, name: str) -> None:
    with pytest.raises(MisconfiguredError, match=f"variable={variable}$") as caught:
        read({**GATEWAY, variable: name})
    assert name not in str(caught.value)


@pytest.mark.parametrize("name", ["x", "a/b:c-1.5 (free)", "x" * 256])
def test_names_are_as_services_write_them(name: str) -> None:
    assert names({**GATEWAY, "EVERTURN_EXTRACT_MODEL": name}) == [f"gateway:{name}"]


@pytest.mark.parametrize("text", ["-1", "1.5", "1e6", "1_000", "x", "\u0663", "9" * 16])
def test_a_number_of_tokens_is_whole(text: str) -> None:
    with pytest.raises(MisconfiguredError, match=r"variable=EVERTURN_DAILY_TOKENS$") as caught:
        read({"EVERTURN_DAILY_TOKENS": text})
    assert text not in str(caught.value)


def test_tokens_have_no_end_unless_told() -> None:
    for text in ("", "0", " "):
        assert read({"EVERTURN_DAILY_TOKENS": text}).daily_tokens == 0


@pytest.mark.parametrize(
    ("service", "environment", "missing"),
    [
        ("gateway", {}, "EVERTURN_GATEWAY_URL"),
        ("gateway", GATEWAY, "EVERTURN_EXTRACT_MODEL"),
        ("gateway", {**GATEWAY, **MODELS}, ""),
        ("provider", {**GATEWAY, **MODELS}, "EVERTURN_PROVIDER_URL"),
        ("bedrock", {}, "EVERTURN_BEDROCK_EXTRACT_MODEL"),
        ("bedrock", BEDROCK, ""),
    ],
)
def test_what_a_service_lacks_is_one_variable(
    service: str, environment: dict[str, str], missing: str
) -> None:
    services = read_embedder_settings(environment)
    assert missing_setting(service, read(environment), services) == missing


def test_no_secret_shows_when_a_model_is_printed() -> None:
    environment = {**GATEWAY, **MODELS, "EVERTURN_GATEWAY_KEY": "sk-very-secret"}
    found = named_models(read(environment), read_embedder_settings(environment))
    assert "sk-very-secret" not in repr(found)
