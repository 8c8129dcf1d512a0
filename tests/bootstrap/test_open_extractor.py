"""Which extractor bootstrap puts together from the settings, and what that loads."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from emulation.chat_service import ChatService, said
from everturn.bootstrap.components import open_extractor
from everturn.settings.process import read_settings

MODELS = {"EVERTURN_EXTRACT_MODEL": "small", "EVERTURN_EXTRACT_FALLBACK_MODEL": "big"}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    open_extractor.cache_clear()


@pytest.fixture
def nothing(tmp_path: Path) -> dict[str, str]:
    """An environment that names a store and no model."""
    return {"EVERTURN_STORE": str(tmp_path)}


def test_with_nothing_configured_rules_read(nothing: dict[str, str]) -> None:
    extractor = open_extractor(read_settings(nothing))
    assert (extractor.name, extractor.costs_tokens, extractor.works()) == ("rules", False, True)


def test_the_same_settings_give_the_same_extractor(nothing: dict[str, str]) -> None:
    assert open_extractor(read_settings(nothing)) is open_extractor(read_settings(nothing))


def test_rules_that_are_asked_for_come_before_every_model(nothing: dict[str, str]) -> None:
    named = {"EVERTURN_GATEWAY_URL": "http://127.0.0.1:9/v1", "EVERTURN_EXTRACTOR": "rules"}
    assert open_extractor(read_settings(nothing | named | MODELS)).name == "rules"


def test_a_named_model_is_asked_at_its_address_and_then_its_fallback(
    nothing: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with ChatService(lambda _: said('{"facts": [1]}')) as service:
        named = {"EVERTURN_GATEWAY_URL": service.url, "EVERTURN_GATEWAY_KEY": "k"}
        extractor = open_extractor(read_settings(nothing | named | MODELS))
        assert (extractor.name, extractor.costs_tokens) == ("gateway:small", True)
        assert not service.bodies
        assert not extractor.works()
    assert [body["model"] for body in service.bodies] == ["small", "big"]
    assert service.headers[0]["authorization"] == "Bearer k"


LOAD = """
import json, sys
from everturn.bootstrap.components import open_extractor
from everturn.settings.process import read_settings
heavy = ("numpy", "httpx", "botocore.session")
extractor = open_extractor(read_settings())
print(json.dumps([extractor.name, [name for name in heavy if name in sys.modules]]))
"""


@pytest.mark.parametrize(
    ("named", "name", "loaded"),
    [
        ({}, "rules", []),
        ({"EVERTURN_GATEWAY_URL": "https://g.test/v1", **MODELS}, "gateway:small", ["httpx"]),
        ({"EVERTURN_BEDROCK_EXTRACT_MODEL": "nova"}, "bedrock:nova", ["botocore.session"]),
    ],
)
def test_only_what_a_named_model_needs_is_loaded(
    nothing: dict[str, str], named: dict[str, str], name: str, loaded: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOAD],
        check=True, capture_output=True, text=True, env=nothing | named,
    )  # fmt: skip
    assert json.loads(done.stdout) == [name, loaded]
