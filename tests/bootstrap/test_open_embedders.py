"""Which embedders bootstrap puts together from the settings, and what that loads."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from everturn.bootstrap.components import open_embedders
from everturn.settings.process import read_settings


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    open_embedders.cache_clear()


@pytest.fixture
def nothing(tmp_path: Path) -> dict[str, str]:
    """An environment that names a store and no model."""
    return {"EVERTURN_STORE": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_with_nothing_configured_words_are_hashed_and_each_reason_is_told(
    nothing: dict[str, str],
) -> None:
    choice = open_embedders(read_settings(nothing)).live()
    assert (choice.name, choice.fell_back, choice.embedder.semantic) == ("hash", False, False)
    assert [(tried.name, tried.reason) for tried in choice.tried] == [
        ("gateway", "EVERTURN_GATEWAY_URL is not set"),
        ("provider", "EVERTURN_PROVIDER_URL is not set"),
        ("bedrock", "EVERTURN_BEDROCK_EMBED_MODEL is not set"),
        ("local", "no model is installed, everturn model install does it"),
    ]


def test_an_address_without_a_model_is_not_asked(nothing: dict[str, str]) -> None:
    nothing["EVERTURN_GATEWAY_URL"] = "https://gateway.test/v1"
    choice = open_embedders(read_settings(nothing)).live()
    assert choice.tried[0].reason == "EVERTURN_EMBED_MODEL is not set"


def test_a_gateway_that_is_not_there_is_fallen_back_from(nothing: dict[str, str]) -> None:
    # The discard port: nobody listens there.
    named = {"EVERTURN_GATEWAY_URL": "http://127.0.0.1:9/v1", "EVERTURN_EMBED_MODEL": "m"}
    choice = open_embedders(read_settings(nothing | named | {"NO_PROXY": "*"})).live()
    assert (choice.name, choice.fell_back) == ("hash", True)
    assert choice.reason.startswith("gateway: it cannot be reached")


def test_a_bedrock_model_of_another_kind_is_fallen_back_from(nothing: dict[str, str]) -> None:
    named = {"EVERTURN_BEDROCK_EMBED_MODEL": "anthropic.claude", "EVERTURN_EMBEDDER": "bedrock"}
    choice = open_embedders(read_settings(nothing | named)).live()
    assert (choice.name, choice.fell_back) == ("hash", True)
    assert "neither titan v2 nor cohere" in choice.reason


def test_a_named_model_folder_that_is_not_there_is_fallen_back_from(
    nothing: dict[str, str], tmp_path: Path
) -> None:
    named = {"EVERTURN_MODEL_DIR": str(tmp_path / "nowhere")}
    choice = open_embedders(read_settings(nothing | named)).live()
    assert (choice.name, choice.fell_back) == ("hash", True)
    assert choice.reason.startswith("local: ")


def test_the_same_settings_give_the_same_embedders(nothing: dict[str, str]) -> None:
    assert open_embedders(read_settings(nothing)) is open_embedders(read_settings(nothing))


LOAD = """
import json, sys
from everturn.bootstrap.components import open_backends, open_embedders
from everturn.settings.process import read_settings
heavy = ("numpy", "httpx", "botocore.session")
open_backends(settings := read_settings())
before = [name for name in heavy if name in sys.modules]
open_embedders(settings).live()
print(json.dumps([before, [name for name in heavy if name in sys.modules]]))
"""


def test_nothing_heavy_is_loaded_before_an_embedder_is_wanted(nothing: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOAD], check=True, capture_output=True, text=True, env=nothing
    )
    assert json.loads(done.stdout) == [[], ["numpy"]]
