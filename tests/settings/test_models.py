"""The part of the environment that names embedding models."""

import json
from pathlib import Path

import pytest

from everturn.errors import MisconfiguredError
from everturn.settings.models import EmbedderSettings, ModelService, read_embedder_settings
from everturn.settings.process import read_settings

URL = "https://gateway.test/v1"
SECRET = "sk-very-secret"


def test_nothing_is_used_that_is_not_named(tmp_path: Path) -> None:
    """A key that another program left in the environment makes no text leave the machine."""
    foreign = {
        "OPENAI_API_KEY": SECRET,
        "OPENAI_BASE_URL": URL,
        "AWS_REGION": "eu-central-1",
        "XDG_CACHE_HOME": str(tmp_path),
    }
    found = read_embedder_settings(foreign)
    assert found == EmbedderSettings(model_dir=tmp_path / "everturn" / "models")


def test_everything_can_be_named(tmp_path: Path) -> None:
    found = read_embedder_settings(
        {
            "EVERTURN_GATEWAY_URL": f" {URL} ",
            "EVERTURN_GATEWAY_KEY": f"{SECRET}\n",
            "EVERTURN_GATEWAY_HEADERS": '{"X-Team": "agents", "x-cost": "a b"}',
            "EVERTURN_PROVIDER_URL": "http://localhost:8080",
            "EVERTURN_PROVIDER_KEY": "k",
            "EVERTURN_EMBED_MODEL": "small",
            "EVERTURN_BEDROCK_EMBED_MODEL": "amazon.titan-embed-text-v2:0",
            "EVERTURN_MODEL_DIR": str(tmp_path),
            "EVERTURN_EMBEDDER": " Gateway ",
        }
    )
    headers = (("X-Team", "agents"), ("x-cost", "a b"))
    assert found == EmbedderSettings(
        gateway=ModelService(URL, SECRET, headers),
        provider=ModelService("http://localhost:8080", "k"),
        model="small",
        bedrock_model="amazon.titan-embed-text-v2:0",
        model_dir=tmp_path,
        model_dir_named=True,
        pinned="gateway",
    )


def test_the_settings_of_a_process_hold_them_and_can_be_compared() -> None:
    environment = {"EVERTURN_STORE": "d", "EVERTURN_GATEWAY_URL": URL}
    settings = read_settings(environment)
    assert settings.embedder == read_embedder_settings(environment)
    assert hash(settings) == hash(read_settings(environment))


@pytest.mark.parametrize(
    "url",
    [
        "gateway.test/v1",
        "ftp://gateway.test",
        "file:///x",
        "https://",
        "https:///v1",
        "https://user:pw@gateway.test/v1",
        "https://gateway.test/v1?key=1",
        "https://gateway.test/v1?",
        "https://gateway.test/v1#x",
        "https://gateway.test:99999/v1",
        "https://gateway.test:x/v1",
        "https://[::1/v1",
        "https://gate way.test",
        "https://gateway.test/\nv1",
        "https://g\u00e4teway.test",
    ],
)
@pytest.mark.parametrize("name", ["EVERTURN_GATEWAY_URL", "EVERTURN_PROVIDER_URL"])
def test_a_malformed_address_stops_the_start_and_names_its_variable(name: str, url: str) -> None:
    with pytest.raises(MisconfiguredError, match=f"variable={name}$") as caught:
        read_embedder_settings({name: url})
    assert url not in str(caught.value)


@pytest.mark.parametrize(
    "headers",
    [
        "x",
        "[]",
        "null",
        '"X: 1"',
        '{"X-Team": 1}',
        '{"X-Team": null}',
        '{"X Team": "a"}',
        '{"": "a"}',
        '{"X": ""}',
        '{"X": " a"}',
        '{"X": "a\\r\\nY: b"}',
        '{"X": "\\u00e4"}',
        '{"X": "a", "x": "b"}',
        '{"Content-Type": "text/plain"}',
        '{"host": "elsewhere.test"}',
        "[" * 100_000,
    ],
)
def test_malformed_headers_stop_the_start(headers: str) -> None:
    environment = {"EVERTURN_GATEWAY_URL": URL, "EVERTURN_GATEWAY_HEADERS": headers}
    with pytest.raises(MisconfiguredError, match=r"variable=EVERTURN_GATEWAY_HEADERS$") as caught:
        read_embedder_settings(environment)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("name", ["EVERTURN_GATEWAY_KEY", "EVERTURN_PROVIDER_KEY"])
@pytest.mark.parametrize("key", ["two words", "a\nb", "schl\u00fcssel"])
def test_a_key_that_no_header_can_carry_stops_the_start(name: str, key: str) -> None:
    with pytest.raises(MisconfiguredError, match=f"variable={name}$") as caught:
        read_embedder_settings({name: key})
    assert key not in str(caught.value)


def test_no_secret_shows_when_settings_are_printed() -> None:
    environment = {
        "EVERTURN_STORE": "d",
        "EVERTURN_GATEWAY_URL": URL,
        "EVERTURN_GATEWAY_KEY": SECRET,
        "EVERTURN_GATEWAY_HEADERS": json.dumps({"X-Key": SECRET}),
    }
    assert SECRET not in repr(read_settings(environment))


def test_a_local_model_lies_in_the_cache_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(Path("/home/someone")))
    models = Path("/home/someone/.cache/everturn/models")
    assert read_embedder_settings({}).model_dir == models
    assert read_embedder_settings({"XDG_CACHE_HOME": "relative"}).model_dir == models


def test_a_home_that_does_not_exist_stops_the_start() -> None:
    with pytest.raises(MisconfiguredError, match="EVERTURN_MODEL_DIR"):
        read_embedder_settings({"EVERTURN_MODEL_DIR": "~nosuchuser/models"})
